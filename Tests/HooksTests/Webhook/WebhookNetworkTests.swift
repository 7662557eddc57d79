import NIOCore
import ProbeTestKit
import Probes
import Synchronization
import Testing

@testable import Hooks

/// The webhook of a machine that goes offline, and comes back.
@Suite
struct WebhookNetworkTests {
    private let bench = WebhookBench()

    /// Sends a webhook that the server answers with 503 when the machine is offline, and waits until a retry is due.
    private func suspend() async throws -> (run: WebhookRun, server: ScriptedServer) {
        let gate = ServerGate()
        let server = try await ScriptedServer.start(scripts: [
            [.receiveRequest, .wait(gate), .respond(.text("down", status: 503))], [.serve(.text("thanks"))],
        ])
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")))
        await server.received(requests: 1)
        run.networkChanged(.offline)
        gate.open()
        try await pauseEnded()
        return (run, server)
    }

    /// Waits until a pause, whose length is zero, has begun and ended.
    private func pauseEnded() async throws {
        await bench.pauseBegan()
        // The call that began the pause must return before its timer is there, and timers of the same time keep their order.
        try await bench.loop.submit {}.get()
        try await bench.loop.scheduleTask(in: .zero) {}.futureResult.get()
    }

    private func isSuspended(_ run: WebhookRun) async throws -> Bool {
        try await bench.loop.submit { run.isSuspended }.get()
    }

    /// Sends a webhook once, which is never retried, and makes the machine offline during the attempt.
    private func sendOnce(_ url: String, _ change: (inout Webhook) -> Void = { _ in }) async throws -> WebhookRun {
        let webhook = try WebhookBench.webhook(url) { webhook in
            webhook.retries = 0
            change(&webhook)
        }
        // On the loop itself, so that the attempt cannot end before.
        return try await bench.loop.submit { [bench] in
            let run = bench.start(webhook)
            run.networkChanged(.offline)
            return run
        }.get()
    }

    @Test
    func `no attempt is made offline, and the one that is due when the machine is online again`() async throws {
        let (run, server) = try await suspend()
        #expect(try await isSuspended(run))
        #expect(server.connections == 1)
        // Nothing happens when the same is reported again.
        run.networkChanged(.offline)
        #expect(try await isSuspended(run))
        run.networkChanged(.online)
        run.networkChanged(.online)
        let end = try #require(await bench.end())
        #expect(end.outcome == .succeeded && end.attempts == 2)
        #expect(bench.questions == [WebhookBench.Question(failures: 1, asked: nil)])
        #expect(try await bench.close().isEmpty)
        #expect(server.requests.count == 2)
        await server.shutDown()
    }

    @Test
    func `an attempt that the loss of the network leaves without an answer does not count`() async throws {
        let run = try await sendOnce("http://127.0.0.1:9/hook") { $0.probe.interface = "nowhere0" }
        try await pauseEnded()
        #expect(try await isSuspended(run))
        run.networkChanged(.online)
        // The same counts while the machine is online.
        let end = try #require(await bench.end())
        #expect(end.undeliveredCode == "interface_unknown" && end.attempts == 2)
        #expect(bench.questions == [WebhookBench.Question(failures: 1, asked: nil)])
        #expect(try await bench.close().isEmpty)
    }

    @Test
    func `attempts count when the network was lost during many of them, and the pauses grow`() async throws {
        let maximum = WebhookRun.maximumUncountedAttempts
        let run = try await sendOnce("http://127.0.0.1:9/hook") { $0.probe.interface = "nowhere0" }
        for _ in 1...maximum {
            try await pauseEnded()
            // On the loop itself, so that the attempt cannot end between the two.
            try await bench.loop.submit {
                run.networkChanged(.online)
                run.networkChanged(.offline)
            }.get()
        }
        let end = try #require(await bench.end())
        #expect(end.undeliveredCode == "interface_unknown" && end.attempts == maximum + 1)
        #expect(bench.questions == (1...maximum).map { WebhookBench.Question(failures: $0, asked: nil) })
        #expect(try await bench.close().isEmpty)
    }

    @Test
    func `an attempt that was answered counts, whatever the network does meanwhile`() async throws {
        let port = try ClosedPort()
        _ = try await sendOnce("http://127.0.0.1:\(port.number)/hook")
        let end = try #require(await bench.end())
        #expect(end.undeliveredCode == "connect_refused" && end.attempts == 1)
        #expect(bench.questions.isEmpty)
        #expect(try await bench.close().isEmpty)
        withExtendedLifetime(port) {}
    }

    @Test
    func `a response that arrives offline ends the webhook`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("thanks"))])
        _ = try await sendOnce(server.url("/hook"))
        let end = try #require(await bench.end())
        #expect(end.outcome == .succeeded && end.attempts == 1)
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }

    @Test
    func `what waits for the network stops at once, also during a pause`() async throws {
        let (run, server) = try await suspend()
        run.stopIfWaiting()
        let end = try #require(await bench.end())
        #expect(end.outcome == .stopped && end.attempts == 1 && end.httpStatus == 503)
        run.networkChanged(.online)
        #expect(try await bench.close().isEmpty)
        #expect(server.connections == 1)
        await server.shutDown()

        let busy = try await ScriptedServer.start([.serve(.text("later", status: 503))])
        let patient = WebhookBench(pause: .seconds(3600))
        let pausing = patient.start(try WebhookBench.webhook(busy.url("/hook")))
        await patient.pauseBegan()
        pausing.networkChanged(.offline)
        pausing.stopIfWaiting()
        #expect(await patient.end()?.outcome == .stopped)
        #expect(try await patient.close().isEmpty)
        await busy.shutDown()
    }

    @Test
    func `an attempt that fails offline after the stop is not retried, and ends the webhook at once`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start([
            .receiveRequest, .wait(gate), .respond(.text("down", status: 503)),
        ])
        let patient = WebhookBench(pause: .seconds(3600))
        let run = patient.start(try WebhookBench.webhook(server.url("/hook")))
        await server.received(requests: 1)
        run.networkChanged(.offline)
        run.stopIfWaiting()
        gate.open()
        let end = try #require(await patient.end())
        #expect(end.outcome == .stopped && end.attempts == 1 && end.httpStatus == 503)
        #expect(try await patient.close().isEmpty)
        #expect(server.connections == 1)
        await server.shutDown()
    }

    @Test
    func `an attempt that is under way is not stopped as one that waits`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start([.receiveRequest, .wait(gate), .respond(.text("thanks"))])
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")))
        await server.received(requests: 1)
        run.networkChanged(.offline)
        run.stopIfWaiting()
        gate.open()
        #expect(await bench.end()?.outcome == .succeeded)
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }

    @Test
    func `an attempt without an answer does not count while only a part of the network works`() async throws {
        let webhook = try WebhookBench.webhook("http://127.0.0.1:9/hook") { webhook in
            webhook.retries = 0
            webhook.probe.interface = "nowhere0"
        }
        let run = try await bench.loop.submit { [bench] in
            let run = bench.start(webhook)
            run.networkChanged(.partial)
            return run
        }.get()
        // All of them are made, and then they count.
        let end = try #require(await bench.end())
        #expect(end.undeliveredCode == "interface_unknown")
        #expect(end.attempts == WebhookRun.maximumUncountedAttempts + 1)
        #expect(try await bench.close().isEmpty)
        withExtendedLifetime(run) {}
    }

    @Test
    func `no attempt is made over a link that it must not use`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("thanks"))])
        let isExcluded = Mutex(true)
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")), isExcluded: { isExcluded.withLock { $0 } })
        run.networkChanged(.online)
        #expect(try await isSuspended(run))
        isExcluded.withLock { $0 = false }
        run.networkChanged(.online)
        #expect(await bench.end()?.outcome == .succeeded)
        #expect(try await bench.close().isEmpty)
        #expect(server.connections == 1)
        await server.shutDown()
    }

    @Test
    func `a link that a request may use again is found without an event`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("thanks"))])
        let bench = WebhookBench(recheck: .milliseconds(1))
        let checks = Mutex(0)
        bench.start(
            try WebhookBench.webhook(server.url("/hook")),
            isExcluded: {
                checks.withLock { count in
                    count += 1
                    return count < 4
                }
            }
        )
        let end = try #require(await bench.end())
        #expect(end.outcome == .succeeded && end.attempts == 1)
        #expect(checks.withLock { $0 } == 4)
        #expect(bench.questions.isEmpty)
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }

    @Test
    func `no attempt is made over a link that it must not use when its secret has been read`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("thanks"))])
        let secret = try SecretFileBench("sesame")
        let bench = WebhookBench(recheck: .milliseconds(1))
        let checks = Mutex(0)
        bench.start(
            try WebhookBench.webhook(server.url("/hook")) { $0.secretFile = secret.path },
            isExcluded: {
                // In front of a reading and after it, for each of two readings.
                checks.withLock { count in
                    count += 1
                    return count == 2
                }
            }
        )
        let end = try #require(await bench.end())
        #expect(end.outcome == .succeeded && end.attempts == 1)
        #expect(checks.withLock { $0 } == 4)
        #expect(try await bench.close().isEmpty)
        #expect(server.connections == 1)
        await server.shutDown()
    }

    @Test
    func `what waits for another link stops at once`() async throws {
        let run = bench.start(try WebhookBench.webhook("http://127.0.0.1:9/hook"), isExcluded: { true })
        #expect(try await isSuspended(run))
        run.stopIfWaiting()
        let end = try #require(await bench.end())
        #expect(end.outcome == .stopped && end.attempts == 0)
        #expect(try await bench.close().isEmpty)
    }

    @Test(arguments: [(503, HookRunEnd.Outcome.stopped), (204, .succeeded)])
    func `a run of a former definition makes no further attempt`(
        status: Int,
        outcome: HookRunEnd.Outcome
    ) async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start([
            .receiveRequest, .wait(gate), .respond(.text("", status: status)),
        ])
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")))
        await server.received(requests: 1)
        run.endBeforeNextAttempt()
        gate.open()
        let end = try #require(await bench.end())
        #expect(end.outcome == outcome && end.attempts == 1)
        #expect(try await bench.close().isEmpty)
        #expect(server.connections == 1)
        await server.shutDown()
    }
}
