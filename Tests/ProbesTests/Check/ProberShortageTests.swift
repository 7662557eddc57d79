import AgentTestKit
import EventLoopExecutor
import Glibc
import LinuxSupport
import NIOCore
import NIOPosix
import ProbeTestKit
import Testing

@testable import Probes

struct ProberShortageTests {
    @Test(arguments: [UInt(0), 1, 2])
    func `without descriptors for an event loop a check ends with the reason, and the next one retries`(
        _ spare: UInt
    ) async {
        await #expect(processExitsWith: .success) { [spare] in
            let server = try await ScriptedServer.start([.serve(.text("hello"))])
            let probe = try CheckBench.probe(server.url())
            let prober = Prober()
            let shortage = try DescriptorShortage(sparing: spare)
            let report = await prober.check(probe)
            prober.whenFree {}
            try shortage.end()
            #expect(report.verdict == .unknown(.resourcesExhausted, .resolve))
            #expect(report.findings.map(\.evidence) == ["start an event loop: Too many open files"])
            #expect(await prober.check(probe).verdict == .ok)
            await prober.shutDown()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"), arguments: [0, 1])
    func `without a thread for each of them neither event loops nor a pool start`(_ spare: Int) async {
        await #expect(processExitsWith: .success) { [spare] in
            // More threads than may end between the count and the start.
            let threads = 8
            let shortage = try ThreadShortage(sparing: spare)
            let pool = NIOThreadPool(numberOfThreads: threads)
            #expect(throws: SystemError(errno: EAGAIN)) {
                try MultiThreadedEventLoopGroup(named: "test", numberOfThreads: threads)
            }
            #expect(throws: SystemError(errno: EAGAIN)) { try pool.start(threads, named: "test-") }
            try shortage.end()
            try pool.start(threads, named: "test-")
            try await pool.shutdownGracefully()
            let group = try MultiThreadedEventLoopGroup(named: "test", numberOfThreads: threads)
            try await group.shutdownGracefully()
        }
    }

    @Test func `without a watch of epoll(7) no event loop starts`() async throws {
        try await onThread {
            try RefusedSystemCall.refuse(RefusedSystemCall.epollControl, with: ENOSPC)
            #expect(throws: SystemError(errno: ENOSPC)) { try MultiThreadedEventLoopGroup(named: "test") }
        }
    }

    /// Nor one whose end the system has no thread to report on.
    @Test func `an event loop that does not end is waited for a second`() async throws {
        let elapsed = try await onThread {
            let group = try MultiThreadedEventLoopGroup(named: "test")
            let isReleased = Monitor(false)
            group.next().execute { isReleased.waitForSignal(within: .seconds(60)) }
            let start = ContinuousClock.now
            group.shutDown()
            let elapsed = start.duration(to: .now)
            isReleased.signal()
            try group.syncShutdownGracefully()
            return elapsed
        }
        #expect(elapsed >= .seconds(1) && elapsed < .seconds(30))
    }

    /// Port 1 of this machine refuses connections.
    @Test(
        arguments: [
            (nil, .unknown(.resourcesExhausted, .connect), [.resourcesExhausted, .connectRefused]),
            ("nowhere0", .unknown(.interfaceUnknown, .connect), [.interfaceUnknown]),
        ] as [(String?, CheckVerdict, [FindingCode])]
    )
    func `without a thread for its review a failure is none of the target`(
        interface: String?,
        verdict: CheckVerdict,
        codes: [FindingCode]
    ) async throws {
        let prober = Prober(resolver: TableResolver(names: [:])) { _, _ throws(SystemError) in
            throw SystemError(errno: EAGAIN)
        }
        let probe = try CheckBench.probe("tcp://127.0.0.1:1") { probe in
            probe.interface = interface
            probe.review = { report in
                var report = report
                report.verdict = .ok
                return report
            }
        }
        let report = await prober.check(probe)
        #expect(report.verdict == verdict)
        #expect(report.findings.map(\.code) == codes)
        await prober.shutDown()
    }
}
