import AgentTestKit
import Dispatch
import Foundation
import ProbeTestKit
import Synchronization
import Testing

@testable import Probes

@Suite
struct DeadlineTests {
    private static let short = Duration.milliseconds(700)

    private func check(_ target: String, resolver: any HostResolver) async throws -> CheckReport {
        let prober = Prober(resolver: resolver)
        let report = await prober.check(try CheckBench.probe(target) { $0.timeout = Self.short })
        await prober.shutDown()
        return report
    }

    @Test
    func `a resolver that never answers is this machine's fault`() async throws {
        let report = try await check("http://host.test/", resolver: SilentResolver())
        #expect(report.verdict == .unknown(.dnsTimeout, .resolve))
        #expect(report.hop.phases.map(\.isComplete) == [false])
        #expect(report.duration >= Self.short)
        let busy = try await check("http://host.test/", resolver: SilentResolver(isQueueing: true))
        #expect(busy.verdict == .unknown(.resolverBusy, .resolve))
    }

    @Test(arguments: [
        ([ServerStep.silence], "https", Phase.tls), ([.silence], "http", .firstByte),
        ([.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .silence], "http", .body),
        (
            [
                .receiveRequest,
                .sendSlowly(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".utf8),
                    piece: 1,
                    interval: .milliseconds(50)
                ),
            ], "http", .body
        ),
    ])
    func `the deadline holds in every phase`(script: [ServerStep], scheme: String, phase: Phase) async throws {
        let server = try await ScriptedServer.start(script)
        let target = "\(scheme)://127.0.0.1:\(server.port)/"
        let report = try await timingOut(after: Self.short, where: { $0.verdict.phase == phase }) { timeout in
            try await CheckBench().check(target) { $0.timeout = timeout }
        }
        #expect(report.verdict == .failed(.timeout, phase))
        #expect(report.hop.phases.last?.isComplete == false)
        #expect(report.hop.phases.dropLast().allSatisfy { $0.isComplete })
        await server.ended(connections: 1)
        await server.shutDown()
    }

    @Test
    func `the part of a response before the deadline is reported`() async throws {
        let head = ServerStep.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        let report = try await timingOut(after: Self.short, where: { $0.verdict.phase == .body }) { timeout in
            try await CheckBench().check([.receiveRequest, head, .silence]) { $0.timeout = timeout }.report
        }
        #expect(report.verdict == .failed(.timeout, .body))
        #expect(report.hop.response?.status == 200)
        #expect(report.hop.response?.bodyBytes == 3)
    }

    @Test(arguments: [true, false])
    func `a server that does not answer the closure alert delays nothing`(answers: Bool) async throws {
        let response = answers ? [ServerStep.respond(.text("hello"))] : []
        let server = try await ScriptedServer.start(
            [.receiveRequest, .stopReading] + response + [.silence],
            tls: CheckBench.tls()
        )
        var shortest = Duration.seconds(60)
        // The TLS library would wait for five seconds, and the prober's end for the TLS library. A busy machine may take
        // as long once, but not each time.
        for _ in 0..<5 where shortest >= .seconds(5) {
            let probe = try CheckBench.probe(server.url()) { $0.timeout = answers ? .seconds(20) : Self.short }
            let (report, duration) = await Self.checkAndShutDown(probe)
            #expect(report?.verdict == .ok || !answers, "\(report?.findings ?? [])")
            shortest = min(shortest, duration)
        }
        #expect(shortest < .seconds(5))
        await server.shutDown()
    }

    /// Returns the report of a check, and the duration of the check and the prober's shutdown, on a thread that does
    /// not queue behind other tests.
    private static func checkAndShutDown(_ probe: Probe) async -> (report: CheckReport?, duration: Duration) {
        await onThread {
            let start = ContinuousClock.now
            let prober = Prober(resolver: TableResolver(names: [:]))
            let hasEnded = DispatchSemaphore(value: 0)
            let report = Mutex<CheckReport?>(nil)
            prober.start(probe) { ended in
                report.withLock { $0 = ended }
                hasEnded.signal()
            }
            hasEnded.wait()
            prober.shutDownAndWait()
            return (report.withLock { $0 }, ContinuousClock.now - start)
        }
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .seconds(Int64.max)])
    func `no timeout is too short or too long`(timeout: Duration) async throws {
        let server = try await ScriptedServer.start([.serve(.text("hello"))])
        let report = try await CheckBench().check(server.url()) { $0.timeout = timeout }
        #expect((report.verdict == .ok) == (timeout > .zero))
        await server.shutDown()
    }

    @Test
    func `a prober that is released ends its checks`() async throws {
        let probe = try CheckBench.probe("http://host.test/")
        let report = await withCheckedContinuation { continuation in
            let prober = Prober(resolver: SilentResolver())
            prober.start(probe) { continuation.resume(returning: $0) }
        }
        #expect(report.verdict.code == .cancelled)
    }

    @Test
    func `a timeout of zero ends at once`() async throws {
        let report = try await CheckBench().check("http://127.0.0.1:1/") { $0.timeout = .zero }
        #expect(!report.hops.isEmpty)
        #expect(report.verdict != .ok)
    }

    @Test
    func `a cancelled check ends at once with a code of its own`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let prober = Prober()
        let probe = try CheckBench.probe(server.url())
        let task = Task { await prober.check(probe) }
        await server.accepted(connections: 1)
        task.cancel()
        let report = await task.value
        #expect(report.verdict.code == .cancelled)
        if case .unknown = report.verdict {} else { Issue.record("it says nothing about the target") }
        await server.ended(connections: 1)
        await prober.shutDown()
        await server.shutDown()
    }

    @Test
    func `a check that is cancelled before it begins ends too`() async throws {
        let prober = Prober(resolver: SilentResolver())
        let probe = try CheckBench.probe("http://host.test/")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await prober.check(probe)
        }
        #expect(await task.value.verdict.code == .cancelled)
        await prober.shutDown()
    }

    @Test(.onOwnThread)
    func `shutting down ends running checks, and later ones`() async throws {
        let prober = Prober(resolver: SilentResolver())
        let probe = try CheckBench.probe("http://host.test/")
        let reports = Mutex<[CheckReport]>([])
        await withCheckedContinuation { continuation in
            prober.start(probe) { report in
                reports.withLock { $0.append(report) }
                continuation.resume()
            }
            prober.shutDownAndWait()
        }
        await withCheckedContinuation { continuation in
            prober.start(probe) { report in
                reports.withLock { $0.append(report) }
                continuation.resume()
            }
        }
        #expect(reports.withLock { $0.map(\.verdict.code) } == [.cancelled, .cancelled])
    }

    @Test
    func `many checks at once each get their own report`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("hello"))], tls: CheckBench.tls())
        let prober = Prober(threads: 2)
        let probe = try CheckBench.probe(server.url())
        let verdicts = await withTaskGroup(of: CheckVerdict.self) { group in
            for _ in 0..<50 { group.addTask { await prober.check(probe).verdict } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts == [CheckVerdict](repeating: .ok, count: 50))
        await prober.shutDown()
        await server.shutDown()
    }
}
