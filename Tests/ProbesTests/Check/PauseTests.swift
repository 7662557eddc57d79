import Dispatch
import EventLoopExecutor
import NIOCore
import NIOPosix
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct PauseTests {
    @Test(
        arguments: [
            (1000, 0, nil), (1000, 100, nil), (1000, 101, 101), (1000, 700, 700), (1000, 1000, 1000),
            (1000, 60_000, 1000),
            (0, 60_000, nil),
        ] as [(Int64, Int64, Int64?)]
    )
    func `a deadline that is reached late is moved once, by its lateness and at most by the timeout`(
        timeout: Int64,
        lateness: Int64,
        reserve: Int64?
    ) {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        var deadline = Deadline(after: .milliseconds(timeout), from: start)
        #expect(deadline.time == start + .milliseconds(timeout))
        let late = deadline.time + .milliseconds(lateness)
        let isLost = deadline.hasPassed(at: late)
        #expect(isLost == (reserve == nil))
        guard let reserve else { return }
        #expect(deadline.time == late + .milliseconds(reserve))
        let hasPassed = deadline.hasPassed(at: deadline.time + .hours(1))
        #expect(hasPassed)
    }

    @Test
    func `a deadline stays where it is until then, and may be as far as time goes`() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        for timeout in [Duration.seconds(1), .seconds(Int64.max)] {
            var deadline = Deadline(after: timeout, from: start)
            let time = deadline.time
            let hasPassed = deadline.hasPassed(at: start)
            #expect(!hasPassed)
            #expect(deadline.time == time)
        }
        #expect(Deadline(after: .seconds(Int64.min), from: start).time == start)
    }

    @Test
    func `a check continues after a pause of the process at its deadline`() async throws {
        let report = try await timingOut(after: .seconds(1), where: { $0.verdict == .ok }) { (timeout) -> CheckReport in
            let answer = ServerGate()
            // The second hop begins after the first deadline, with a handshake and the evaluation of certificates.
            let server = try await ScriptedServer.start(
                scripts: [
                    [.receiveRequest, .wait(answer), .respond(.redirect(to: "/end"))], [.serve(.text("there"))],
                ],
                tls: CheckBench.tls()
            )
            let prober = Prober()
            let probe = try CheckBench.probe(server.url()) { ($0.timeout, $0.maximumRedirects) = (timeout, 1) }
            async let report = prober.check(probe)
            await server.received(requests: 1)
            // A probe that is invalid ends at once, on the prober's thread, which stands still in its completion.
            let invalid = try CheckBench.probe("dns://127.0.0.1/host.test") {
                $0.target = .dns(resolver: .address([127, 0, 0, 1]), port: 53, name: "a..b", type: "A")
            }
            await withCheckedContinuation { continuation in
                prober.start(invalid) { _ in
                    answer.open()
                    Self.pause(for: timeout * 2)
                    continuation.resume()
                }
            }
            let ended = await report
            await prober.shutDown()
            await server.shutDown()
            return ended
        }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hops.map(\.response?.status) == [302, 200])
    }

    @Test
    func `a query continues after a pause of the process at its deadline`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let outcome = try await timingOut(after: .seconds(1), where: { $0.finding == nil }) {
            (timeout) -> DNSQuery.Outcome in
            let resolver = try await ScriptedResolver.start([.truncated, .answer([.address("192.0.2.7")])])
            let server = try #require(WireEndpoint("127.0.0.1", port: UInt16(clamping: resolver.port)))
            let question = DNSMessage.Question(name: try DNSName(parsing: "www.host.test"), type: .a)
            let outcome = await withCheckedContinuation { continuation in
                loop.execute {
                    let query = DNSQuery(server: server, question: question)
                    _ = query.start(on: LoopGate(loop), timeout: timeout) { continuation.resume(returning: $0) }
                    // Runs after the query was sent.
                    loop.execute { Self.pause(for: timeout * 2) }
                }
            }
            await resolver.shutDown()
            return outcome
        }
        try await group.shutdownGracefully()
        #expect(outcome.finding == nil)
        #expect(outcome.reply?.transport == .tcp)
    }

    /// Keeps the calling thread from running, as a pause of the process does.
    private static func pause(for time: Duration) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int(time / .milliseconds(1))))
    }
}
