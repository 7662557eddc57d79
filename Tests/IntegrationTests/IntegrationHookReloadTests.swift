import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Hooks that come, change and go while the agent runs, and hooks that fail again and again.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookReloadTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
    }

    private func says(_ name: String, _ words: String) -> String {
        "[hook.\(name)]\ncommand = [\"echo\", \"\(words)\"]\n\n"
    }

    @Test
    func `a reload adds, changes and removes hooks, and lists them`() async throws {
        let agent = try await HookAgent.start(
            in: lab,
            says("stays", "same") + says("changes", "old") + says("goes", "gone")
        )
        try lab.use(.wifi)
        let first = try await agent.settles(on: "wifi")
        for name in ["stays", "changes", "goes"] { try await agent.completed(name, for: first) }
        try agent.reload(says("stays", "same") + says("changes", "new") + says("comes", "here"))
        let reloaded = try await agent.next("config.reloaded")
        #expect(reloaded.reload?.added == ["hook.comes"])
        #expect(reloaded.reload?.changed == ["hook.changes"])
        #expect(reloaded.reload?.removed == ["hook.goes"])
        try lab.use(.wired)
        let second = try await agent.settles(on: "wired")
        #expect(try await agent.completed("stays", for: second).run?.output == "same\n")
        #expect(try await agent.completed("changes", for: second).run?.output == "new\n")
        #expect(try await agent.completed("comes", for: second).run?.output == "here\n")
        #expect(try await agent.status(of: "goes") == nil)
        #expect(try await agent.status(of: "stays")?.runs == 2)
        #expect(try await agent.stop() == 0)
        #expect(agent.completions(of: "goes").count == 1)
    }

    @Test
    func `an active run survives a change or removal of its hook, and is reported`() async throws {
        let here = try lab.channel("here")
        let gate = try lab.gate("gate")
        let script = try lab.put(
            "waits.sh",
            "echo $REACH_HOOK > \(lab.path)/here; read line < \(lab.path)/gate; echo let"
        )
        func waits(_ name: String, _ more: String = "") -> String {
            "[hook.\(name)]\ncommand = [\"\(script)\"]\n\(more)\n"
        }
        let agent = try await HookAgent.start(in: lab, waits("goes") + waits("changes"))
        try lab.use(.wifi)
        let change = try await agent.settles(on: "wifi")
        #expect(Set(await here.take(2)) == ["goes", "changes"])
        try agent.reload(waits("changes", "timeout = \"20s\""))
        try await agent.next("config.reloaded")
        gate.open(for: 2)
        for name in ["goes", "changes"] {
            let run = try await agent.completed(name, for: change)
            #expect(run.run?.ending.outcome == "succeeded")
            #expect(run.run?.output == "let\n")
        }
        #expect(try await agent.stop() == 0)
        #expect(agent.completions.count == 2)
    }

    @Test
    func `a reload can add the first hook and remove the last one`() async throws {
        let agent = try await HookAgent.start(in: lab)
        try agent.reload(says("only", "here"))
        try await agent.next("config.reloaded")
        try lab.use(.wifi)
        #expect(try await agent.completed("only", for: agent.settles(on: "wifi")).run?.output == "here\n")
        try agent.reload("")
        try await agent.next("config.reloaded")
        try lab.use(.wired)
        try await agent.settles(on: "wired")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions.count == 1)
    }

    @Test
    func `hooks that are switched off do not run, and do when they are switched on`() async throws {
        try lab.put("etc/10-directory", "echo directory")
        let hooks = "directories = [\"\(lab.first)\"]\n\n" + says("own", "own")
        let agent = try await HookAgent.start(in: lab, "[hooks]\nenabled = false\n" + hooks, directories: [])
        try lab.use(.wifi)
        let off = try await agent.settles(on: "wifi")
        try agent.reload("[hooks]\n" + hooks)
        try await agent.next("config.reloaded")
        try lab.use(.wired)
        let on = try await agent.settles(on: "wired")
        for name in ["10-directory", "own"] { try await agent.completed(name, for: on) }
        #expect(try await agent.stop() == 0)
        #expect(!agent.completions.contains { $0.run?.triggerSequence == off.seq })
    }

    @Test
    func `a hook that keeps failing is paused for longer and longer, and the status names it`() async throws {
        try lab.write("3", to: "\(lab.path)/exit")
        try lab.put("etc/10-fails", "echo it does not work; exit $(cat \(lab.path)/exit)")
        let agent = try await HookAgent.start(in: lab)
        var runs = [try await agent.completed("10-fails", for: agent.events.first(of: "reachability.changed"))]
        for number in 3...6 {
            try lab.namespace.ip("route replace default via 192.0.2.\(number) dev eth0")
            runs.append(try await agent.completed("10-fails", for: agent.settles(onGateway: "192.0.2.\(number)")))
        }
        #expect(runs.map(\.run?.failures) == [1, 2, 3, 4, 5])
        #expect(runs.map(\.run?.pausedMilliseconds) == [nil, nil, 1000, 2000, 4000])
        // From the end of the run before, however late the event came.
        func rest(before number: Int) throws -> Int {
            let (former, run) = (runs[number - 1], runs[number])
            let event = try #require(agent.events.first { $0.seq == run.run?.triggerSequence })
            let microseconds = event.event.time.microsecondsSince1970 - former.event.time.microsecondsSince1970
            return Int(microseconds / 1000) + Int(run.run?.delayMilliseconds ?? 0)
        }
        #expect(try rest(before: 3) >= 500)
        #expect(try rest(before: 4) >= 1000)
        let status = try await agent.ask("status").output
        #expect(status.contains("10-fails"))
        #expect(status.contains("5 times in a row"))
        #expect(status.contains("it does not work"))
        try lab.write("0", to: "\(lab.path)/exit")
        try lab.use(.wifi)
        let mended = try await agent.completed("10-fails", for: agent.settles(on: "wifi"))
        #expect(mended.run?.ending.outcome == "succeeded")
        #expect(mended.run?.failures == 0)
        #expect(try await agent.ask("status").output.contains("10-fails") == false)
        #expect(try await agent.stop() == 0)
    }
}
