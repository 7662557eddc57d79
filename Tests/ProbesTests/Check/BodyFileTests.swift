import AgentTestKit
import EventLoopExecutor
import Foundation
import HTTPSerialization
import NIOCore
import NIOPosix
import ProbeTestKit
import Testing

@testable import Probes

/// Request bodies from files, whose disks may hang.
struct BodyFileTests {
    private typealias Reports = (hanging: CheckReport, other: CheckReport)

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A check that sends a file as its body, or as a part of a form.
    private func probe(_ server: ScriptedServer, _ bytes: [UInt8], isForm: Bool) throws -> Probe {
        let path = try directory.file("body", bytes)
        var form = MultipartForm()
        try form.append(file: path, name: "part")
        let file = try FileContent(path: path)
        return try CheckBench.probe(server.url()) { probe in
            probe.request.method = "POST"
            probe.request.body = isForm ? .multipart(form) : .file(file)
        }
    }

    /// Makes a check while the file of its body cannot be read, and another one at the same time; `act` is called when the
    /// other one has ended.
    private func hanging(
        _ probe: Probe,
        beside other: Probe,
        on loop: any EventLoop,
        _ services: CheckServices,
        then act: () -> Void = {}
    ) async throws -> Reports {
        let disk = DispatchSemaphore(value: 0)
        defer { disk.signal() }
        try services.files.submit(for: probe.target.description, within: .unlimited()) { disk.wait() }
        async let hanging = CheckBench.check(probe, on: loop, services)
        let report = await CheckBench.check(other, on: loop, services)
        act()
        return (await hanging, report)
    }

    @Test(arguments: [false, true])
    func `a file that hangs ends only its own check, at the deadline, and blames no server`(isForm: Bool) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let services = CheckServices(resolver: TableResolver(names: [:]))
        let server = try await ScriptedServer.start([.serve(.text("hello"))])
        let second = try await ScriptedServer.start([.serve(.text("hello"))])
        // More than one piece.
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        var probe = try probe(server, content, isForm: isForm)
        let other = try CheckBench.probe(second.url())
        let reports: Reports = try await timingOut(
            after: .milliseconds(500),
            where: { $0.hanging.verdict.code == .requestInvalid }
        ) { timeout in
            probe.timeout = timeout
            return try await hanging(probe, beside: other, on: group.next(), services)
        }
        #expect(reports.hanging.verdict == .unknown(.requestInvalid, .request), "\(reports.hanging.findings)")
        #expect(reports.hanging.findings.first?.evidence.contains("was not read within") == true)
        #expect(reports.other.verdict == .ok)
        #expect(server.requests.isEmpty)
        probe.timeout = .seconds(60)
        #expect(await CheckBench.check(probe, on: group.next(), services).verdict == .ok)
        let body = try #require(server.requests.first?.body)
        #expect(isForm ? body.count > content.count : body == content)
        await server.shutDown()
        await second.shutDown()
        services.end()
        try await group.shutdownGracefully()
    }

    /// A disk that reads when the test says so, and the test's clock; used only on the event loop.
    private final class ScriptedDisk: @unchecked Sendable {
        var now = NIODeadline.uptimeNanoseconds(0)
        var work: [@Sendable () -> Void] = []
    }

    @Test(arguments: [
        // A slow disk, whose single pieces are quick; a slow connection; a quick request; a single slow piece.
        (reading: 60, sending: 10, pieces: 10, isSlow: true), (reading: 60, sending: 70, pieces: 10, isSlow: false),
        (reading: 60, sending: 10, pieces: 1, isSlow: false), (reading: 300, sending: 0, pieces: 1, isSlow: true),
    ])
    func `a file is slow if the body waits mostly for it`(reading: Int64, sending: Int64, pieces: Int, isSlow: Bool)
        async throws
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let file = try FileContent(path: directory.file("body", [UInt8](repeating: 1, count: 1000)))
        let disk = ScriptedDisk()
        let feed = try await loop.submit {
            let feed = RequestBodyFeed(.file(file), on: LoopGate(loop), now: { disk.now }) { disk.work.append($0) }
            return NIOLoopBound(feed, eventLoop: loop)
        }.get()
        for _ in 0..<pieces {
            try await loop.submit {
                feed.value.read(upTo: 10) { _ in }
                disk.now = disk.now + .milliseconds(reading)
                disk.work.removeLast()()
            }.get()
            // By its next turn, the event loop has the piece.
            try await loop.submit { disk.now = disk.now + .milliseconds(sending) }.get()
        }
        #expect(try await loop.submit { feed.value.isSlow }.get() == isSlow)
        try await group.shutdownGracefully()
    }

    @Test
    func `a server that closes while the file hangs is not at fault`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let services = CheckServices(resolver: TableResolver(names: [:]))
        let gate = ServerGate()
        let server = try await ScriptedServer.start([.wait(gate), .close])
        let second = try await ScriptedServer.start([.silence])
        let probe = try probe(server, [1], isForm: false)
        // Its timeout is longer than a disk may take that is only slow.
        let other = try CheckBench.probe(second.url()) { $0.timeout = .seconds(1) }
        let reports = try await hanging(probe, beside: other, on: group.next(), services) { gate.open() }
        #expect(reports.hanging.verdict == .unknown(.requestInvalid, .request), "\(reports.hanging.findings)")
        #expect(reports.hanging.findings.first?.evidence.contains("meanwhile") == true)
        await server.shutDown()
        await second.shutDown()
        services.end()
        try await group.shutdownGracefully()
    }
    @Test
    func `a server that answers before the file is read has answered`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let services = CheckServices(resolver: TableResolver(names: [:]))
        let server = try await ScriptedServer.start([.respond(.text("too many connections", status: 503)), .close])
        let probe = try probe(server, [1], isForm: false)
        let disk = DispatchSemaphore(value: 0)
        try services.files.submit(for: probe.target.description, within: .unlimited()) { disk.wait() }
        let report = await CheckBench.check(probe, on: group.next(), services)
        #expect(report.verdict == .failed(.httpStatus, .body), "\(report.findings)")
        #expect(report.hop.response?.status == 503)
        #expect(server.requests.isEmpty)
        disk.signal()
        await server.shutDown()
        services.end()
        try await group.shutdownGracefully()
    }
}
