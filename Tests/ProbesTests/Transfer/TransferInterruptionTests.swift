import EventLoopExecutor
import NIOCore
import NIOPosix
import ProbeTestKit
import Synchronization
import Testing

@testable import Probes

@Suite
struct TransferInterruptionTests {
    private let object = TransferBench.object(200_000, ranges: true)
    private var half: [UInt8] { [UInt8](repeating: 7, count: 100_000) }

    private var halfAnswer: [ServerStep] {
        [.receiveRequest, .send(object.head), .receiveRequest, .send(object.head), .send(half)]
    }

    private func partial(_ range: String, bytes count: Int = 100_000, sent: Int? = nil) -> [ServerStep] {
        let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(range)\r\nContent-Length: \(count)\r\n\r\n"
        return [.receiveRequest, .send(head), .send([UInt8](repeating: 7, count: sent ?? count)), .silence]
    }

    private func resumed(
        _ scripts: [[ServerStep]],
        stallTimeout: Duration = .seconds(10),
        timeout: Duration? = nil
    ) async throws -> (report: CheckReport, server: ScriptedServer) {
        var bench = TransferBench()
        bench.plan = TransferPlan(downloadBytes: 200_000, resumes: true, stallTimeout: stallTimeout)
        return try await bench.transfer(scripts) { if let timeout { $0.timeout = timeout } }
    }

    @Test
    func `a download resumes where it was interrupted`() async throws {
        let (report, server) = try await resumed([
            halfAnswer + [.drop], [.serve(object)], partial("100000-199999/200000"), [.serve(object)],
        ])
        #expect(report.verdict == .ok, "\(report.findings)")
        let transfer = try #require(report.transfer)
        #expect(transfer.download?.bytes == 200_000)
        let seam = try #require(transfer.seams.first)
        #expect(transfer.seams.count == 1)
        #expect(seam.offset == 100_000)
        #expect([.httpTruncated, .connectionReset].contains(seam.code))
        #expect(!seam.isRestarted)
        let request = try #require(server.requests.last { $0.method == "GET" })
        #expect(request.header("Range") == "bytes=100000-199999")
        #expect(request.header("If-Range") == "\"one\"")
    }

    @Test
    func `a download that stalls resumes over another connection`() async throws {
        let (report, server) = try await resumed(
            [halfAnswer + [.silence], [.serve(object)], partial("100000-199999/200000"), [.serve(object)]],
            stallTimeout: .seconds(2)
        )
        #expect(report.verdict == .ok, "\(report.findings)")
        let download = try #require(report.transfer?.download)
        #expect(download.bytes == 200_000)
        let seam = try #require(report.transfer?.seams.first)
        // The pause is not part of the download's time.
        #expect(download.duration + seam.pause <= report.duration)
        #expect(report.transfer?.seams.count == 1)
        #expect(seam.code == .transferStalled)
        #expect(seam.offset == 100_000)
        #expect(seam.pause >= .seconds(2))
        let request = try #require(server.requests.last { $0.method == "GET" })
        #expect(request.header("Range") == "bytes=100000-199999")
        #expect(request.header("If-Range") == "\"one\"")
    }

    @Test
    func `a server that stalls each time is the reason, and is retried only a few times`() async throws {
        let (report, server) = try await resumed(
            [halfAnswer + [.silence], [.serve(object)], [.receiveRequest, .silence]],
            stallTimeout: .milliseconds(500)
        )
        #expect(report.verdict == .failed(.transferStalled, .body), "\(report.findings)")
        #expect(report.findings.first?.evidence.contains("could not be resumed") == true, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 100_000)
        #expect(report.transfer?.seams.isEmpty == true)
        #expect(server.connections <= 12)
    }

    @Test
    func `a server that is gone at the deadline is the reason, and not the time`() async throws {
        let (report, _) = try await resumed(
            [halfAnswer + [.drop], [.serve(object)], [.receiveRequest, .reset]],
            timeout: .seconds(2)
        )
        let codes: [FindingCode] = [.httpTruncated, .connectionReset]
        #expect(codes.contains { report.verdict == .failed($0, .body) }, "\(report.findings)")
        #expect(report.findings.first?.evidence.contains("could not be resumed") == true, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 100_000)
    }

    @Test
    func `an object that has changed is restarted, within the requested bytes`() async throws {
        let (report, _) = try await resumed([
            halfAnswer + [.drop], [.serve(object)], [.receiveRequest, .respond(object)], [.serve(object)],
        ])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 200_000)
        #expect(report.transfer?.seams.map(\.isRestarted) == [true])
    }

    @Test
    func `a wrong part is an error`() async throws {
        let (report, _) = try await resumed([
            halfAnswer + [.drop], [.serve(object)], partial("0-99999/200000"), [.serve(object)],
        ])
        #expect(report.verdict == .failed(.rangeInvalid, .body), "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 100_000)
    }

    @Test
    func `an object without a validator is not resumed`() async throws {
        let plain = ScriptedResponse(200, body: object.body)
        let (report, _) = try await resumed([
            [.receiveRequest, .send(plain.head), .receiveRequest, .send(plain.head), .send(half), .drop],
            [.serve(plain)],
        ])
        #expect(
            report.verdict.code.map { [.httpTruncated, .connectionReset].contains($0) } == true,
            "\(report.findings)"
        )
    }

    /// Runs a transfer that stalls in the middle until the test has intervened.
    private func interrupted(
        resumes: Bool,
        rest: [[ServerStep]] = [],
        admission: (@Sendable (TransferContinuation) -> TransferAdmission)? = nil,
        timeout: Duration? = nil,
        by act: (Prober) -> Void
    ) async throws -> (CheckReport, ProgressLog) {
        let server = try await ScriptedServer.start(scripts: [halfAnswer + [.silence], [.serve(object)]] + rest)
        let log = ProgressLog()
        let probe = try CheckBench.probe(server.url("/large")) { probe in
            probe.transfer = TransferPlan(
                downloadBytes: 200_000,
                resumes: resumes,
                progress: log.closure,
                admission: admission
            )
            if let timeout { probe.timeout = timeout }
        }
        let prober = Prober()
        async let report = prober.check(probe)
        await log.shown(.download)
        await server.received(requests: 10)
        act(prober)
        let result = await report
        await prober.shutDown()
        await server.shutDown()
        return (result, log)
    }

    @Test
    func `a change of the path ends a transfer that cannot be resumed`() async throws {
        let (report, log) = try await interrupted(resumes: false) { $0.pathChanged() }
        #expect(report.verdict.code == .pathChanged, "\(report.findings)")
        guard case .unknown = report.verdict else {
            Issue.record("the target was blamed")
            return
        }
        #expect(report.transfer?.download != nil)
        #expect(log.phases.last == .cancelled)
    }

    @Test
    func `a change of another interface's path changes nothing`() async throws {
        let (report, _) = try await interrupted(resumes: false) { prober in
            prober.pathChanged(interfaces: ["wlan7"])
            prober.yieldTransfers(evidence: "the machine sends 3 Mbit/s")
        }
        #expect(report.verdict.code == .transferYielded, "\(report.findings)")
    }

    @Test(arguments: [
        (AddressFamilies.ipv6, FindingCode.transferYielded), (.ipv4, .pathChanged), (.any, .pathChanged),
    ])
    func `a change of the other family's path changes nothing`(
        families: AddressFamilies,
        code: FindingCode
    ) async throws {
        let (report, _) = try await interrupted(resumes: false) { prober in
            prober.pathChanged(families: families)
            prober.yieldTransfers(evidence: "the machine sends 3 Mbit/s")
        }
        #expect(report.verdict.code == code, "\(report.findings)")
    }

    @Test
    func `a change of the path is a seam of a transfer that can be resumed`() async throws {
        let rest = [[ServerStep]](repeating: [.serve(object)], count: 3)
        let (report, log) = try await interrupted(resumes: true, rest: rest) { $0.pathChanged(interfaces: ["lo"]) }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.transfer?.download?.bytes == 200_000)
        let seam = try #require(report.transfer?.seams.first)
        #expect(seam.code == .pathChanged)
        #expect(seam.from == "lo" && seam.to == "lo")
        #expect(log.phases.contains(.suspended) && log.phases.contains(.resumed))
    }

    @Test
    func `a resumed download whose interface is unknown does not keep the lost one's`() async throws {
        let rest = [[ServerStep]](repeating: [.serve(object)], count: 3)
        // Few bytes: the whole object follows, and a transfer has a limit of bytes on the link.
        let stalled = partial("100000-199999/200000", sent: 10_000)
        // The connection of the small requests stays: a new one would take the script of the resumed download.
        let small = [ServerStep](repeating: .serve(object), count: 100)
        let server = try await ScriptedServer.start(scripts: [halfAnswer + [.drop], small, stalled] + rest)
        let log = ProgressLog()
        let probe = try CheckBench.probe(server.url("/large")) { probe in
            probe.transfer = TransferPlan(downloadBytes: 200_000, resumes: true, progress: log.closure)
        }
        let reads = Mutex(0)
        // Only the first connection has an interface.
        let interfaces = LocalInterfaces(lifetime: .zero) {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            return number == 1 ? [[127, 0, 0, 1]: "old0"] : [:]
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let gate = LoopGate(group.next())
        let services = CheckServices(resolver: TableResolver(names: [:]), interfaces: interfaces)
        let (reports, continuation) = AsyncStream<CheckReport>.makeStream()
        let run = CheckRun(probe, on: gate, services: services) { _, report in continuation.yield(report) }
        gate.execute { run.start() }
        await log.shown(.resumed)
        gate.execute { run.pathChanged(["new0"], .any) }
        let report = try #require(await reports.first { _ in true })
        #expect(report.verdict == .ok, "\(report.findings)")
        let seams = try #require(report.transfer?.seams)
        #expect(seams.map(\.from) == ["old0", nil] && seams.map(\.to) == [nil, nil])
        #expect(seams.last?.code == .pathChanged)
        await server.shutDown()
        services.end()
        try await group.shutdownGracefully()
    }

    @Test
    func `a download that finds no other path until its timeout does not blame the target`() async throws {
        let (report, log) = try await interrupted(resumes: true, rest: [[.silence]], timeout: .seconds(10)) { prober in
            prober.pathChanged()
        }
        // A slow machine may not have read the first bytes by then.
        guard case .unknown(.pathChanged, _) = report.verdict else {
            Issue.record("\(report.verdict): \(report.findings)")
            return
        }
        #expect(report.findings.first?.evidence.hasSuffix("it could not be resumed") == true, "\(report.findings)")
        #expect(report.transfer?.download != nil)
        #expect(log.phases.suffix(2) == [.suspended, .cancelled])
    }

    /// Runs a download that loses its path in the middle; its host has another address from then on.
    ///
    /// - Parameter attempts: Called before each attempt to resume.
    private func moved(
        to address: String,
        attempts: @escaping @Sendable (Prober, TransferContinuation) -> Void
    ) async throws -> CheckReport {
        let server = try await ScriptedServer.start(scripts: [halfAnswer + [.silence], [.serve(object)]])
        let log = ProgressLog()
        let resolver = MovingResolver()
        let prober = Prober(resolver: resolver)
        let probe = try CheckBench.probe(server.url("/large", host: "host.test")) { probe in
            probe.families = .ipv4
            probe.transfer = TransferPlan(
                downloadBytes: 200_000,
                resumes: true,
                progress: log.closure,
                admission: { continuation in
                    attempts(prober, continuation)
                    return .unchanged
                }
            )
        }
        async let report = prober.check(probe)
        await log.shown(.download)
        await server.received(requests: 10)
        resolver.move(to: address)
        prober.pathChanged()
        let result = await report
        await prober.shutDown()
        await server.shutDown()
        return result
    }

    /// The kernel connects to no broadcast address, and nobody listens at the other one.
    @Test(arguments: [("255.255.255.255", 0...0), ("127.0.0.3", 4...8)])
    func `an attempt to resume counts what it may have sent, and no more later`(
        address: String,
        segments: ClosedRange<Int>
    ) async throws {
        let carried = Mutex<[Int]>([])
        let report = try await moved(to: address) { prober, continuation in
            let count = carried.withLock { carried in
                carried.append(continuation.bytesOnWire)
                return carried.count
            }
            if count == 4 { prober.yieldTransfers(evidence: "enough") }
        }
        #expect(report.verdict.code == .transferYielded, "\(report.findings)")
        let counts = carried.withLock { $0 }
        #expect(counts.count == 4)
        let lookup = WireOverhead.lookup(name: "host.test")
        for (one, next) in zip(counts, counts.dropFirst()) {
            #expect((segments.lowerBound * 74...segments.upperBound * 74).contains(next - one - lookup), "\(counts)")
        }
    }

    @Test
    func `attempts to resume that use up the bytes of a transfer do not blame the target`() async throws {
        // Each attempt is abandoned for the next one, and only its lookup counts.
        let report = try await moved(to: "255.255.255.255") { prober, _ in prober.pathChanged() }
        guard case .unknown(.pathChanged, _) = report.verdict else {
            Issue.record("\(report.verdict): \(report.findings)")
            return
        }
        let limit = TransferPlan(downloadBytes: 200_000).bytesOnWire
        #expect(report.bytesOnWire > limit)
        let evidence = report.findings.first?.evidence
        #expect(evidence?.contains("could not be resumed") == true && evidence?.contains("\(limit) bytes") == true)
    }

    @Test
    func `a download continues only over a link that admits it`() async throws {
        let asked = Mutex<[TransferContinuation]>([])
        let finding = Finding(.transferMetered, subject: "host.test", evidence: "the uplink is metered")
        let rest = [[ServerStep]](repeating: [.serve(object)], count: 3)
        let (report, log) = try await interrupted(
            resumes: true,
            rest: rest,
            admission: { continuation in
                asked.withLock { $0.append(continuation) }
                return .refused(finding)
            },
            by: { $0.pathChanged() }
        )
        #expect(report.verdict.code == .transferMetered, "\(report.findings)")
        guard case .unknown = report.verdict else {
            Issue.record("the target was blamed")
            return
        }
        #expect(report.findings == [finding])
        let received = try #require(report.transfer?.download?.bytes)
        #expect(log.phases.suffix(2) == [.suspended, .cancelled])
        let continuation = try #require(asked.withLock { $0 }.first)
        #expect(asked.withLock { $0 }.count == 1)
        #expect(continuation.bytesOnWire >= received && continuation.bytesOnWire <= report.bytesOnWire)
        #expect(continuation.neededBytes == TransferPlan(downloadBytes: 200_000 - received).bytesOnWire)
    }

    @Test(arguments: [(nil, nil), (20_000, FindingCode.budgetExhausted)])
    func `a download that moves to a link with a budget stays within it`(bytes: Int?, code: FindingCode?) async throws {
        let rest = [[ServerStep]](repeating: [.serve(object)], count: 3)
        let decided = Mutex(0)
        let (report, _) = try await interrupted(
            resumes: true,
            rest: rest,
            admission: { _ in
                decided.withLock { count in
                    count += 1
                    return count == 1 ? .moved(budgetBytes: bytes) : .unchanged
                }
            },
            by: { $0.pathChanged() }
        )
        #expect(report.verdict.code == code, "\(report.findings)")
        // Before and after the attempt to connect.
        #expect(decided.withLock { $0 } == 2)
        if let bytes {
            #expect(report.findings.first?.evidence.contains("\(bytes) bytes") == true, "\(report.findings)")
        }
    }

    @Test
    func `a transfer yields at once, with its measurements so far`() async throws {
        let (report, log) = try await interrupted(resumes: true) { $0.yieldTransfers(evidence: "40 % of the bytes") }
        #expect(report.verdict.code == .transferYielded)
        #expect(report.findings.first?.evidence == "40 % of the bytes")
        #expect(report.transfer?.idle?.count == 8)
        #expect(log.phases.last == .cancelled)
    }

    @Test
    func `other checks continue when transfers yield`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let prober = Prober()
        let probe = try CheckBench.probe(server.url())
        async let report = prober.check(probe)
        await server.accepted(connections: 1)
        prober.yieldTransfers(evidence: "")
        prober.pathChanged()
        await prober.shutDown()
        #expect(await report.verdict.code == .cancelled)
        await server.shutDown()
    }
}
