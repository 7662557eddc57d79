import AgentEvents
import AgentTestKit
import Testing

/// The state that the agent finds when it starts, as hooks are given it.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookStartTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    private func hook(_ name: String, _ more: String = "") -> String {
        """
        [hook.\(name)]
        command = ["/bin/sh", "-c", "echo ${REACH_FROM_VIA-unset} ${REACH_TO_VIA-unset} ${REACH_AT_START-unset} ${REACH_CAUSE_KIND-unset}"]
        \(more)


        """
    }

    @Test
    func `directory hooks and hooks with at_start get the first state once, others never`() async throws {
        try lab.put("etc/10-directory", "echo $REACH_FROM_VIA $REACH_TO_VIA ${REACH_AT_START-unset} $REACH_CAUSE_KIND")
        let agent = try await HookAgent.start(in: lab, hook("with", "at_start = true") + hook("without"))
        let first = try agent.events.first(of: "reachability.changed")
        #expect(first.cause?.kind == "start")
        let directory = try await agent.completed("10-directory", for: first)
        #expect(directory.run?.output?.hasPrefix("unknown wired ") == true)
        #expect(directory.run?.output?.hasSuffix(" start\n") == true)
        #expect(try await agent.completed("with", for: first).run?.output == "unknown wired 1 start\n")
        try lab.use(.wifi)
        let second = try await agent.settles(on: "wifi")
        #expect(try await agent.completed("with", for: second).run?.output == "wired wifi unset route\n")
        #expect(try await agent.completed("without", for: second).run?.output == "wired wifi unset route\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "10-directory").count == 2)
        #expect(agent.completions(of: "with").count == 2)
        #expect(agent.completions(of: "without").count == 1)
    }

    @Test
    func `a machine without a path is a first state as well`() async throws {
        try lab.disconnect()
        try lab.put("etc/none.d/10-directory", "echo $REACH_FROM_VIA $REACH_TO_VIA $REACH_REASON")
        let agent = try await HookAgent.start(in: lab)
        let run = try await agent.completed("none.d/10-directory", for: agent.events.first(of: "reachability.changed"))
        #expect(run.run?.output == "unknown none no_route\n")
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `the first states of targets reach the hooks that request them`() async throws {
        let agent = try await HookAgent.start(
            in: lab,
            """
            [target.office]
            address = "192.0.2.7"

            [target.branch]
            address = "203.0.113.7"


            """ + hook("office", "on = \"target.changed\"\nat_start = true\nwhen = { target = \"office\" }")
        )
        let run = try await agent.completed("office")
        #expect(run.run?.trigger == "target.changed")
        #expect(run.run?.output == "unknown wired 1 start\n")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "office").count == 1)
    }

    @Test
    func `a hook that a reload adds gets the current state`() async throws {
        let agent = try await HookAgent.start(in: lab)
        try lab.use(.wifi)
        let change = try await agent.settles(on: "wifi")
        try agent.reload(hook("late", "at_start = true") + hook("patient"))
        let run = try await agent.completed("late", for: change)
        #expect(run.run?.output == "wired wifi 1 route\n")
        try lab.disconnect()
        let lost = try await agent.settles(on: "none")
        for name in ["late", "patient"] {
            #expect(try await agent.completed(name, for: lost).run?.output == "wifi none unset route\n")
        }
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "late").count == 2)
        #expect(agent.completions(of: "patient").count == 1)
    }
}
