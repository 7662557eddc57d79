import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The queue of events that come faster than a hook runs.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookQueueTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    /// A hook for every edge of the path, whose runs each report their start, and then wait to be let go.
    private func waiting(_ name: String, _ more: String) throws -> String {
        let script = try lab.put("\(name).sh", "echo \"$REACH_SEQ\" > \(lab.path)/here; read line < \(lab.path)/gate")
        return "[hook.\(name)]\ncommand = [\"\(script)\"]\non = \"path.changed\"\n\(more)\n\n"
    }

    private let quick = "[hook.quick]\ncommand = [\"true\"]\non = \"path.changed\"\n\n"

    /// The numbers of the path's changes after the first state.
    private func edges(_ agent: HookAgent) -> [UInt64] {
        agent.events.filter { $0.name == "path.changed" && $0.cause?.kind != "start" }.compactMap(\.seq)
    }

    /// All runs succeeded, in order; the last one is for the last edge, and each edge had a run or is counted as dropped.
    private func expectEveryEdge(_ agent: HookAgent, in runs: [SeenEvent]) {
        let edges = edges(agent)
        let numbers = runs.compactMap(\.run?.triggerSequence)
        #expect(numbers.last == edges.last)
        #expect(numbers == numbers.sorted())
        #expect(runs.reduce(runs.count) { $0 + ($1.run?.superseded ?? 0) } == edges.count)
        #expect(runs.allSatisfy { $0.run?.ending.outcome == "succeeded" })
    }

    @Test
    func `in a storm of 1,000 transitions a hook runs for the newest one, always for the last, and all are counted`()
        async throws
    {
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        let agent = try await HookAgent.start(in: lab, quick + waiting("slow", "timeout = \"300s\""))
        let changes = try await RouteWriter(in: lab).change(agent, times: 1000)
        let last = try #require(changes.last)
        #expect(await here.next() != nil)
        // Only now the first run ends: meanwhile all others have come.
        try await agent.completed("quick", for: last)
        gate.open(for: 2)
        try await agent.completed("slow", for: last)
        #expect(try await agent.stop() == 0)
        #expect(edges(agent).count == 1000)
        for hook in ["quick", "slow"] { expectEveryEdge(agent, in: agent.completions(of: hook)) }
        // On a busy machine the first run is not always for the first event.
        #expect(agent.completions(of: "slow").count == 2)
    }

    @Test
    func `after an event storm faster than the agent the last run is for the final state`() async throws {
        try lab.put("etc/10-keep", "cat > \(lab.path)/kept")
        let agent = try await HookAgent.start(in: lab, quick)
        try lab.storm(of: 1000)
        let last = try await agent.settles(onGateway: "192.0.2.99")
        try await agent.completed("10-keep", for: last)
        #expect(lab.text(of: "kept") == last.text + "\n")
        try await agent.completed("quick", for: #require(agent.events.last { $0.name == "path.changed" }))
        #expect(try await agent.stop() == 0)
        expectEveryEdge(agent, in: agent.completions(of: "quick"))
    }

    @Test
    func `a queue of all runs for each event in order, and drops and counts the oldest of more than 128`() async throws
    {
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        let agent = try await HookAgent.start(in: lab, quick + waiting("each", "queue = \"all\"\ntimeout = \"300s\""))
        let routes = try RouteWriter(in: lab)
        let first = try await routes.change(agent, times: 1)
        #expect(await here.next() == first.last?.seq.map(String.init))
        let last = try #require(try await routes.change(agent, times: 199, last: 98).last)
        try await agent.completed("quick", for: last)
        gate.open(for: 129)
        try await agent.completed("each", for: last)
        #expect(try await agent.stop() == 0)
        let runs = agent.completions(of: "each")
        #expect(runs.compactMap(\.run?.triggerSequence) == edges(agent).prefix(1) + edges(agent).suffix(128))
        expectEveryEdge(agent, in: runs)
    }

    @Test
    func `with a debounce a hook runs once, for the last of several events in close succession`() async throws {
        let agent = try await HookAgent.start(
            in: lab,
            "[hook.calm]\ncommand = [\"true\"]\non = \"path.changed\"\ndebounce = \"5s\"\n"
        )
        let last = try await RouteWriter(in: lab).change(agent, times: 10).last
        let run = try await agent.completed("calm")
        #expect(run.run?.triggerSequence == last?.seq)
        #expect(run.run?.superseded == 9)
        #expect((run.run?.delayMilliseconds ?? 0) >= 5000)
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "calm").count == 1)
    }

    @Test
    func `as many runs as the hook's concurrency are active at a time, and no more`() async throws {
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        let hook = try waiting("three", "queue = \"all\"\nconcurrency = 3\ntimeout = \"300s\"")
        let agent = try await HookAgent.start(in: lab, quick + hook)
        let changes = try await RouteWriter(in: lab).change(agent, times: 5)
        try await agent.completed("quick", for: #require(changes.last))
        let numbers = changes.compactMap { $0.seq.map(String.init) }
        #expect(Set(await here.take(3)) == Set(numbers[..<3]))
        let status = try await agent.status(of: "three")
        #expect(status?.running == 3)
        #expect(status?.waiting == 2)
        gate.open(for: 5)
        #expect(Set(await here.take(2)) == Set(numbers[3...]))
        for change in changes { try await agent.completed("three", for: change) }
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "three").allSatisfy { $0.run?.ending.outcome == "succeeded" })
    }
}
