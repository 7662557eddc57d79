import NIOCore
import ProbeTestKit
import Probes
import Testing

@testable import Hooks

/// The cancellation of a webhook, whose end is reported once.
@Suite
struct WebhookStopTests {
    @Test
    func `an attempt that is under way is cancelled`() async throws {
        let server = try await ScriptedServer.start([.receiveRequest, .silence])
        let bench = WebhookBench()
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")))
        await server.received(requests: 1)
        run.stop()
        let end = try #require(await bench.end())
        #expect(end.outcome == .stopped)
        #expect(end.attempts == 1)
        // The client closed, although the time was not over.
        await server.ended(connections: 1)
        run.stop()
        #expect(try await bench.close().isEmpty)
        #expect(server.connections == 1)
        await server.shutDown()
    }

    @Test
    func `a pause is not waited for`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("later", status: 503))])
        let bench = WebhookBench(pause: .seconds(3600))
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")))
        await bench.pauseBegan()
        run.stop()
        let end = try #require(await bench.end())
        #expect(end.outcome == .stopped)
        #expect(end.attempts == 1)
        #expect(end.httpStatus == 503)
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }

    @Test
    func `a run that is stopped at once ends as stopped, whatever the server would answer`() async throws {
        let server = try await ScriptedServer.start([.serve(ScriptedResponse(200))])
        let bench = WebhookBench()
        let webhook = try WebhookBench.webhook(server.url("/hook"))
        // On the loop itself, so that nothing can come between.
        try await bench.loop.submit { bench.start(webhook).stop() }.get()
        let end = try #require(await bench.end())
        #expect(end.outcome == .stopped)
        #expect(end.attempts == 1)
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }

    @Test
    func `a prober that was shut down stops the webhook`() async throws {
        let server = try await ScriptedServer.start([.receiveRequest, .silence])
        let bench = WebhookBench()
        bench.start(try WebhookBench.webhook(server.url("/hook")))
        await server.received(requests: 1)
        await bench.prober.shutDown()
        #expect(await bench.end()?.outcome == .stopped)
        bench.start(try WebhookBench.webhook(server.url("/hook")))
        #expect(await bench.end()?.outcome == .stopped)
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }

    @Test
    func `stopping after the end changes nothing`() async throws {
        let server = try await ScriptedServer.start([.serve(ScriptedResponse(200))])
        let bench = WebhookBench()
        let run = bench.start(try WebhookBench.webhook(server.url("/hook")))
        #expect(await bench.end()?.outcome == .succeeded)
        run.stop()
        #expect(try await bench.close().isEmpty)
        await server.shutDown()
    }
}
