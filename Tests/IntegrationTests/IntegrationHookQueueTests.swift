import AgentTestKit
import Foundation
import Testing

/// What becomes of events that come faster than a hook runs.
@Suite(.withHooks, .serialized)
struct IntegrationHookQueueTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    /// A hook for every edge of the path, whose runs each say that they are there, and then wait to be let go.
    private func waiting(_ name: String, _ more: String) throws -> String {
        let script = try lab.put("\(name).sh", "echo \"$REACH_SEQ\" > \(lab.path)/here; read line < \(lab.path)/gate")
        return "[hook.\(name)]\ncommand = [\"\(script)\"]\non = \"path.changed\"\n\(more)\n\n"
    }

    private func edges(_ agent: HookAgent) -> [UInt64] {
        agent.events.filter { $0.name == "path.changed" && $0.data.cause?.kind != "start" }.compactMap(\.seq)
    }

    /// Waits for the edge that ``HookLab/storm(of:)`` ends with.
    private func end(of agent: HookAgent) async throws -> HookLine {
        try await agent.next("path.changed", "last") { $0.data.to?.path?.gateway == "192.0.2.99" }
    }

    @Test
    func `in a storm of 1,000 transitions a hook runs for the newest one, always for the last, and all are counted`()
        async throws
    {
        let quick = "[hook.quick]\ncommand = [\"true\"]\non = \"path.changed\"\n\n"
        let configuration = try quick + waiting("slow", "timeout = \"60s\"")
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        let agent = try await HookAgent.start(in: lab, configuration)
        try lab.storm(of: 1000)
        #expect(await here.next() != nil)
        let last = try await end(of: agent)
        // Only now the first run ends: meanwhile all others have come.
        try await agent.completed("quick", for: last)
        gate.open()
        try await agent.completed("slow")
        gate.open()
        try await agent.completed("slow", for: last)
        #expect(try await agent.stop() == 0)
        let edges = edges(agent)
        #expect(edges.count == 1000)
        for hook in ["quick", "slow"] {
            let runs = agent.completions(of: hook)
            #expect(runs.last?.data.trigger_seq == edges.last)
            #expect(runs.reduce(runs.count) { $0 + ($1.data.superseded ?? 0) } == edges.count)
            #expect(runs.allSatisfy { $0.data.outcome == "succeeded" })
            let numbers = runs.compactMap(\.data.trigger_seq)
            #expect(numbers == numbers.sorted())
        }
        #expect(agent.completions(of: "slow").count == 2)
    }

    @Test
    func `a queue of all runs for each event in order, and drops and counts the oldest of more than 128`() async throws {
        let configuration = try waiting("each", "queue = \"all\"\ntimeout = \"60s\"")
        let gate = try lab.gate("gate")
        let here = try lab.channel("here")
        let agent = try await HookAgent.start(
            in: lab,
            configuration + "[hook.after]\ncommand = [\"true\"]\non = \"path.changed\"\n"
        )
        try lab.storm(of: 200)
        #expect(await here.next() != nil)
        let last = try await end(of: agent)
        try await agent.completed("after", for: last)
        gate.open(for: 129)
        try await agent.completed("each", for: last)
        #expect(try await agent.stop() == 0)
        let edges = edges(agent)
        let runs = agent.completions(of: "each")
        #expect(edges.count == 200)
        #expect(runs.compactMap(\.data.trigger_seq) == [edges[0]] + edges.suffix(128))
        #expect(runs.reduce(0) { $0 + ($1.data.superseded ?? 0) } == 200 - 129)
    }

    @Test
    func `with a debounce a hook runs once, for the last of what came close together`() async throws {
        let agent = try await HookAgent.start(
            in: lab,
            "[hook.calm]\ncommand = [\"true\"]\non = \"path.changed\"\ndebounce = \"1s\"\n"
        )
        try lab.storm(of: 20)
        let last = try await end(of: agent)
        let run = try await agent.completed("calm")
        #expect(run.data.trigger_seq == last.seq)
        #expect(run.data.superseded == 19)
        #expect((run.data.delay_ms ?? 0) >= 1000)
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "calm").count == 1)
    }

    @Test
    func `as many runs as its concurrency says go on at the same time, and no more`() async throws {
        let configuration = try waiting("three", "queue = \"all\"\nconcurrency = 3\ntimeout = \"60s\"")
        let gate = try lab.gate("gate")
        let here = try lab.channel("here")
        let agent = try await HookAgent.start(
            in: lab,
            configuration + "[hook.after]\ncommand = [\"true\"]\non = \"path.changed\"\n"
        )
        try lab.storm(of: 5)
        let last = try await end(of: agent)
        try await agent.completed("after", for: last)
        let standing = try await agent.standing(of: "three")
        #expect(standing?.running == 3)
        #expect(standing?.waiting == 2)
        gate.open(for: 5)
        try await agent.completed("three", for: last)
        #expect(try await agent.stop() == 0)
        let runs = agent.completions(of: "three")
        #expect(Set(runs.compactMap(\.data.trigger_seq)) == Set(edges(agent)))
        #expect(runs.allSatisfy { $0.data.outcome == "succeeded" })
        #expect(Set(await here.take(5)) == Set(runs.compactMap(\.data.trigger_seq).map(String.init)))
    }
}
