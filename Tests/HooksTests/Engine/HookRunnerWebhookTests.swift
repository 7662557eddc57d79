import AgentEvents
import ProbeTestKit
import Probes
import Synchronization
import Testing

@testable import Hooks

/// Webhooks that wait until the machine is online.
@Suite
struct HookRunnerWebhookTests {
    private let log = CompletionLog()

    private func runner(
        _ url: String,
        queue: HookPace.Queue = .latest,
        others: [HookDefinition] = [],
        isCellular: @escaping @Sendable (Vantage) -> Bool = { _ in false },
        change: (inout Webhook) -> Void = { _ in }
    ) throws -> HookRunner {
        let settings = HookSettings(definitions: [try hook(url, queue: queue, change)] + others)
        return HookRunner(settings, isCellular: isCellular) { [log] in log.note($0) }
    }

    private func hook(
        _ url: String,
        queue: HookPace.Queue = .latest,
        _ change: (inout Webhook) -> Void = { _ in }
    ) throws -> HookDefinition {
        let action = HookDefinition.Action.webhook(try WebhookBench.webhook(url, change))
        return HookDefinition(name: "chat", action: action, pace: HookPace(queue: queue))
    }

    /// Delivers an event, and waits until it was taken.
    private func deliver(_ number: UInt64, _ to: (via: String, connectivity: String), _ runner: HookRunner) async {
        runner.deliver(SampleEvent.reachability(number, to: to))
        await withCheckedContinuation { next in runner.whenFree { next.resume() } }
    }

    @Test(arguments: [HookPace.Queue.latest, .all])
    func `what waits for the network is shown, and reported when the agent stops`(queue: HookPace.Queue) async throws {
        let runner = try runner("http://127.0.0.1:9/hook", queue: queue)
        for number in 1...3 as ClosedRange<UInt64> { await deliver(number, ("none", "none"), runner) }
        let status = try #require(runner.statuses.first)
        #expect(status.waitsForNetwork == true && status.running == 0 && status.runs == 0)
        #expect(status.waiting == (queue == .all ? 3 : 1))
        await runner.stopped(grace: .seconds(60))
        let report = try #require(log.completions.first)
        #expect(log.completions.count == 1 && report.hook == "chat" && report.triggerSequence == 3)
        #expect(report.superseded == 2 && report.failures == 0)
        #expect(report.ending.outcome == "stopped" && report.ending.attempts == 0)
        #expect(runner.statuses.first?.waiting == 0)
    }

    @Test
    func `a request that is under way offline is shown as waiting, and stops after what is queued`() async throws {
        let server = try await ScriptedServer.start([.receiveRequest, .silence])
        let runner = try runner(server.url("/hook"))
        await deliver(1, ("wifi", "full"), runner)
        #expect(runner.statuses.first?.waitsForNetwork == nil)
        await server.received(requests: 1)
        await deliver(2, ("wifi", "local"), runner)
        let status = try #require(runner.statuses.first)
        #expect(status.waitsForNetwork == true && status.running == 1 && status.waiting == 1)
        await runner.stopped()
        #expect(log.completions.map(\.triggerSequence) == [2, 1])
        #expect(log.completions.map(\.ending.outcome) == ["stopped", "stopped"])
        #expect(log.completions.map(\.ending.attempts) == [0, 1])
        await server.shutDown()
    }

    @Test
    func `retries wait for the network, and later events for the retries`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start(scripts: [
            [.receiveRequest, .wait(gate), .respond(.text("down", status: 503))], [.serve(.text("thanks"))],
        ])
        // A hook that runs later than a retry after 1 s would be made.
        let clock = HookDefinition(
            name: "clock",
            action: .command(HookCommand(arguments: ["/bin/true"])),
            trigger: HookTrigger(types: [.probeChanged]),
            pace: HookPace(debounce: .seconds(2))
        )
        let runner = try runner(server.url("/hook"), queue: .all, others: [clock])
        await deliver(1, ("wifi", "full"), runner)
        await server.received(requests: 1)
        await deliver(2, ("none", "none"), runner)
        gate.open()
        await server.ended(connections: 1)
        runner.deliver(SampleEvent.probe("web", 3))
        #expect(await log.reports(1).map(\.hook) == ["clock"])
        #expect(server.connections == 1)
        // The first attempt has failed, and the retry waits.
        let status = try #require(runner.statuses.first { $0.hook == "chat" })
        #expect(status.attempt?.attempts == 1 && status.waitsForNetwork == true)
        #expect(status.running == 1 && status.waiting == 1)
        await deliver(4, ("wifi", "unknown"), runner)
        let reports = await log.reports(4).filter { $0.hook == "chat" }
        #expect(reports.map(\.triggerSequence) == [1, 2, 4])
        #expect(reports.map(\.ending.attempts) == [2, 1, 1])
        #expect(reports.allSatisfy { $0.ending.isSuccess })
        #expect(runner.statuses.first { $0.hook == "chat" }?.waitsForNetwork == nil)
        await runner.stopped()
        await server.shutDown()
    }

    @Test
    func `a request that begins while only a part of the network works does not use up its retries`() async throws {
        let runner = try runner(
            "http://127.0.0.1:9/hook",
            change: { webhook in
                webhook.retries = 0
                webhook.probe.interface = "nowhere0"
            }
        )
        await deliver(1, ("wired", "partial"), runner)
        await deliver(2, ("wired", "full"), runner)
        // The first attempt of the first request began while the connectivity was partial, and all others later.
        let reports = await log.reports(2)
        #expect(reports.map(\.ending.attempts) == [2, 1])
        #expect(reports.map(\.ending.outcome) == ["undelivered", "undelivered"])
        await runner.stopped()
    }

    @Test
    func `the run of a removed hook still waits for the network, and ends`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start(scripts: [
            [.receiveRequest, .wait(gate), .respond(.text("down", status: 503))], [.serve(.text("thanks"))],
        ])
        let runner = try runner(server.url("/hook"))
        await deliver(1, ("wifi", "full"), runner)
        await server.received(requests: 1)
        await deliver(2, ("none", "none"), runner)
        runner.configure(HookSettings())
        gate.open()
        await deliver(3, ("wifi", "full"), runner)
        let report = try #require(await log.reports(1).first)
        #expect(report.triggerSequence == 1 && report.ending.isSuccess && report.ending.attempts == 2)
        await runner.stopped()
        #expect(log.completions.count == 1 && runner.statuses.isEmpty)
        await server.shutDown()
    }

    @Test
    func `a corrected address gets the event that the wrong one has refused so far`() async throws {
        let server = try await ScriptedServer.start(scripts: [
            [.receiveRequest, .respond(.text("wrong", status: 503))], [.serve(.text("thanks"))],
            [.serve(.text("thanks"))],
        ])
        let runner = try runner(server.url("/wrong"), queue: .all)
        await deliver(1, ("wifi", "full"), runner)
        await server.ended(connections: 1)
        await deliver(2, ("none", "none"), runner)
        runner.configure(HookSettings(definitions: [try hook(server.url("/right"), queue: .all)]))
        await deliver(3, ("wifi", "full"), runner)
        let reports = await log.reports(3)
        #expect(reports.map(\.triggerSequence) == [1, 2, 3])
        #expect(reports.allSatisfy { $0.ending.isSuccess && $0.ending.attempts == 1 })
        #expect(server.requests.map(\.target) == ["/wrong", "/right", "/right", "/right"])
        let status = try #require(runner.statuses.first)
        #expect(status.runs == 3 && status.failedRuns == 0)
        await runner.stopped()
        await server.shutDown()
    }

    @Test
    func `a request that may not use a cellular link waits for another one`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("thanks"))])
        let isCellular = Mutex(true)
        let asked = Mutex<Set<Vantage>>([])
        let runner = try runner(
            server.url("/hook"),
            isCellular: { vantage in
                asked.withLock { _ = $0.insert(vantage) }
                return isCellular.withLock { $0 }
            },
            change: { webhook in
                webhook.probe.request.allowsCellularAccess = false
                webhook.probe.families = .ipv4
            }
        )
        await deliver(1, ("wwan", "full"), runner)
        let status = try #require(runner.statuses.first)
        #expect(status.waitsForNetwork == true && status.running == 0 && status.waiting == 1)
        #expect(asked.withLock { $0 } == [Vantage(families: .ipv4)])
        isCellular.withLock { $0 = false }
        await deliver(2, ("wifi", "full"), runner)
        #expect(await log.reports(1).map(\.triggerSequence) == [2])
        await runner.stopped()
        #expect(server.requests.count == 1)
        await server.shutDown()
    }

    @Test
    func `a request is sent when its link is another one, although no event reports that`() async throws {
        let server = try await ScriptedServer.start([.serve(.text("thanks"))])
        let isCellular = Mutex(true)
        let runner = try runner(
            server.url("/hook"),
            isCellular: { _ in isCellular.withLock { $0 } },
            change: { $0.probe.request.allowsCellularAccess = false }
        )
        await deliver(1, ("wired", "full"), runner)
        #expect(runner.statuses.first?.waitsForNetwork == true)
        isCellular.withLock { $0 = false }
        #expect(await log.reports(1).map(\.ending.isSuccess) == [true])
        #expect(runner.statuses.first?.waitsForNetwork == nil)
        await runner.stopped()
        await server.shutDown()
    }

    @Test
    func `the pause that a server asks for is one for the next event too`() async throws {
        let busy = ScriptedResponse(429, headers: [("Retry-After", "3600")], body: [])
        let server = try await ScriptedServer.start([.serve(busy)])
        let runner = try runner(server.url("/hook"), queue: .all, change: { $0.retries = 0 })
        await deliver(1, ("wifi", "full"), runner)
        await deliver(2, ("none", "none"), runner)
        await deliver(3, ("wifi", "full"), runner)
        let report = try #require(await log.reports(1).first)
        #expect(report.ending.outcome == "undelivered")
        let status = try #require(runner.statuses.first)
        #expect(status.waiting == 2 && status.running == 0)
        // As long as a server may ask for.
        #expect(status.pausedMilliseconds.map { (200_000...300_000).contains($0) } == true)
        await runner.stopped()
        #expect(server.requests.count == 1)
        // Waiting events are dropped with the agent, after which there is no next run.
        #expect(log.completions.map(\.ending.outcome) == ["undelivered", "stopped"])
        #expect(log.completions.map { $0.pausedMilliseconds == nil } == [false, true])
        await server.shutDown()
    }
}
