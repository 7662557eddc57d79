import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// A hook that hangs, and an agent that ends: nobody else notices either.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookIsolationTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    @Test
    func `a hook that hangs delays neither another hook nor the events nor the status`() async throws {
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        try lab.put("etc/10-hangs", "echo hangs > \(lab.path)/here; read line < \(lab.path)/gate")
        try lab.put("etc/20-quick", "echo quick")
        let agent = try await HookAgent.start(in: lab, "[hooks]\ntimeout = \"300s\"\n")
        #expect(await here.next() == "hangs")
        try await agent.completed("20-quick", for: agent.events.first(of: "reachability.changed"))
        var changes: [SeenEvent] = []
        for number in 3...20 {
            try lab.namespace.ip("route replace default via 192.0.2.\(number) dev eth0")
            let change = try await agent.settles(onGateway: "192.0.2.\(number)")
            let run = try await agent.completed("20-quick", for: change)
            #expect(run.run?.output == "quick\n")
            #expect((run.run?.delayMilliseconds ?? .max) < 2000)
            changes.append(change)
        }
        let status = try await agent.ask("status", "--json")
        #expect(status.status == 0)
        #expect(try await agent.status(of: "10-hangs")?.running == 1)
        #expect(agent.completions(of: "10-hangs").isEmpty)
        gate.open(for: 2)
        let last = try #require(changes.last)
        let run = try await agent.completed("10-hangs", for: last)
        #expect(run.run?.superseded == changes.count - 1)
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "10-hangs").count == 2)
    }

    @Test
    func `when the agent stops a hook has a grace period, and is then killed with all its processes`() async throws {
        let alive = try lab.channel("alive", ends: true)
        try lab.put(
            "etc/10-hangs",
            """
            exec 9> \(lab.path)/alive
            trap 'echo asked >&9' TERM
            echo hangs >&9
            sh -c 'trap "" TERM; echo child >&9; while :; do sleep 1000; done' &
            while :; do sleep 1000 & wait; done
            """
        )
        // So long that the hook gets to its trap on a busy machine, too.
        let agent = try await HookAgent.start(in: lab, "[hooks]\nstop_grace = \"3s\"\n")
        #expect(Set(await alive.take(2)) == ["hangs", "child"])
        // It waits for the first run, and then never comes to it.
        try lab.use(.wifi)
        try await agent.settles(on: "wifi")
        #expect(try await agent.stop() == 0)
        let runs = agent.completions(of: "10-hangs")
        #expect(runs.map(\.run?.ending.outcome) == ["stopped"])
        #expect(agent.events.last?.name == "agent.stopping")
        #expect(await alive.rest() == ["asked"])
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(agent.processIdentifier)"))
    }

    @Test
    func `a hook that ends within the grace period has succeeded, and no new one is started`() async throws {
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        try lab.put("etc/10-slow", "echo slow > \(lab.path)/here; read line < \(lab.path)/gate; echo done")
        let agent = try await HookAgent.start(in: lab, "[hooks]\nstop_grace = \"5s\"\n")
        #expect(await here.next() == "slow")
        try lab.use(.wifi)
        try await agent.settles(on: "wifi")
        // A client that is connected is answered to the end, and no new one.
        let control = try SocketLines(agent.socket)
        // An event is with its readers before the hooks have it.
        try await Self.hooks(wait: 1, on: control)
        agent.signal(SIGTERM)
        // Runs that wait are dropped when the agent begins to end; only then the hook may go on.
        try await Self.hooks(wait: 0, on: control)
        gate.open(for: 2)
        let run = try await agent.completed("10-slow")
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(run.run?.output == "done\n")
        #expect(try await agent.ends() == 0)
        #expect(agent.completions.count == 1)
        #expect(agent.events.last?.name == "agent.stopping")
    }

    /// Asks for the status until so many runs wait.
    private static func hooks(wait count: Int, on control: SocketLines) async throws {
        var line = ""
        for _ in 0..<1000 where !line.contains("\"waiting\":\(count)") {
            control.send(#"{"method":"status"}"#)
            line = try await control.next(containing: #""hooks":"#)
        }
        #expect(line.contains("\"waiting\":\(count)"))
    }

    @Test
    func `a killed agent leaves its hooks running, and the next agent starts normally`() async throws {
        let gate = try lab.gate("gate")
        let here = try lab.channel("here")
        try lab.put(
            "etc/10-slow",
            "echo slow > \(lab.path)/here; read line < \(lab.path)/gate; echo over > \(lab.path)/here"
        )
        let first = try await HookAgent.start(in: lab)
        #expect(await here.next() == "slow")
        first.signal(SIGKILL)
        gate.open()
        #expect(await here.next() == "over")
        let second = try await HookAgent.start(in: lab)
        #expect(await here.next() == "slow")
        gate.open()
        let run = try await second.completed("10-slow", for: second.events.first(of: "reachability.changed"))
        #expect(run.run?.ending.outcome == "succeeded")
        #expect(try await second.stop() == 0)
    }
}
