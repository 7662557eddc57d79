import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// `reachagent hooks` as somebody meets it who wants to know what runs and why not.
@Suite(.withHooks, .onOwnThread, .serialized)
struct IntegrationHookCommandTests {
    let lab: HookLab

    init() throws {
        lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
        try lab.put("etc/10-log", "\(lab.note()); echo logged $REACH_TO_VIA; cat; exit 4")
        try lab.put("lib/10-log", "echo hidden")
        try lab.put("lib/20-bad", "echo bad", mode: 0o775)
        try lab.put("lib/wifi.d/30-wifi", "echo wifi")
        try lab.put("etc/40-old.bak", "echo old")
        try lab.put("etc/unknown.d/50-never", "echo never")
        try lab.write(
            """
            [hook.failover]
            command = ["echo", "failover"]
            on = ["reachability.changed", "target.changed"]
            when = { to_via = "wwan" }
            """,
            to: "\(lab.path)/reachagent.toml"
        )
    }

    private var place: [String] {
        ["--config", "\(lab.path)/reachagent.toml", "--hooks", lab.first, "--hooks", lab.second]
    }

    private func hooks(_ arguments: String...) async throws -> FinishedCommand {
        try await lab.namespace.finished(BuiltAgent.path, ["hooks"] + arguments + place)
    }

    /// Puts a hook that leaves a process with a parent, a session and a group of its own, which takes no TERM; returns the
    /// lines that both write.
    private func clinging(_ name: String) throws -> CommandLines {
        try lab.put(
            name,
            """
            exec 9> \(lab.path)/alive
            (setsid sh -c 'trap "" TERM; echo clinging >&9; exec sleep 1000' &)
            exec sleep 1000
            """
        )
        return try lab.channel("alive", ends: true)
    }

    /// The event of a real agent, in a file.
    private func event() async throws -> (line: SeenEvent, file: String) {
        let agent = try await HookAgent.start(in: lab, more: ["--no-hooks"], directories: [])
        try lab.use(.wifi)
        let event = try await agent.settles(on: "wifi")
        #expect(try await agent.stop() == 0)
        #expect(agent.completions.isEmpty)
        try lab.write(event.text + "\n", to: "\(lab.path)/event.json")
        return (event, "\(lab.path)/event.json")
    }

    @Test
    func `the list shows when each hook runs, which hook does not, and the remedy`() async throws {
        let list = try await hooks("list")
        #expect(list.status == 0)
        for text in ["10-log", "wifi.d/30-wifi", "failover", "\(lab.second)/20-bad", "hook_writable", "unknown.d"] {
            #expect(list.output.contains(text), "\(text) in \(list.output)")
        }
        #expect(list.output.replacing(/\s+/, with: " ").contains("chmod go-w \(lab.second)/20-bad"), "\(list.output)")
        let json = try await hooks("list", "--json")
        #expect(json.status == 0)
        #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [String: Any])
        #expect(json.lines.count == 1)
    }

    @Test
    func `the list for one event separates hooks that run from those that do not`() async throws {
        let file = try await event().file
        let list = try await hooks("list", "--event", file)
        #expect(list.status == 0)
        let parts = list.output.components(separatedBy: "DOES NOT RUN")
        try #require(parts.count == 2, "\(list.output)")
        #expect(parts[0].contains("10-log"))
        #expect(parts[0].contains("wifi.d/30-wifi"))
        for name in ["20-bad", "failover"] { #expect(!parts[0].contains(name) && parts[1].contains(name)) }
    }

    @Test
    func `a dry run shows the program, its environment and its input, and starts nothing`() async throws {
        let (line, file) = try await event()
        let plan = try await hooks("run", "10-log", "--event", file, "--dry-run")
        #expect(plan.status == 0)
        for text in ["\(lab.first)/10-log", "REACH_TO_VIA=wifi", "REACH_ID=\(line.id)", line.text] {
            #expect(plan.output.contains(text), "\(text) in \(plan.output)")
        }
        #expect(lab.notes == [])
        let refused = try await hooks("run", "20-bad", "--event", file, "--dry-run")
        #expect(refused.status == 78)
        #expect(refused.output.contains("hook_writable"))
        #expect(refused.output.contains("chmod go-w \(lab.second)/20-bad"))
    }

    @Test
    func `a manual run shows the hook's output and result`() async throws {
        let (line, file) = try await event()
        let run = try await hooks("run", "10-log", "--event", file)
        #expect(run.status == 1)
        #expect(run.output == "logged wifi\n\(line.text)\n")
        #expect(run.error.contains("exit status 4"))
        #expect(lab.notes.count == 1)
        let own = try await hooks("run", "failover", "--event", file)
        #expect(own.status == 0)
        #expect(own.output == "failover\n")
        #expect(own.error.contains("would not run it"))
        let none = try await hooks("run", "no-such", "--event", file)
        #expect(none.status == 69)
        #expect(none.error.contains("no hook 'no-such'"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends a manual run with everything that it has started, and then the command`(
        signal: Int32
    ) async throws {
        let alive = try clinging("etc/50-long")
        let file = try await event().file
        let arguments = ["hooks", "run", "50-long", "--event", file] + place
        let run = try CommandLines(lab.namespace.command(BuiltAgent.path, arguments))
        #expect(await alive.next() == "clinging")
        run.signal(signal)
        // The pipe ends when the last of them has.
        #expect(await alive.next() == nil)
        #expect(await run.rest() == [])
        #expect(await run.status() == -signal)
    }

    @Test
    func `the timeout of a manual run ends what a double fork has started`() async throws {
        let alive = try clinging("long")
        try lab.write(
            "[hook.long]\ncommand = [\"\(lab.path)/long\"]\ntimeout = \"10s\"\n",
            to: "\(lab.path)/reachagent.toml"
        )
        let file = try await event().file
        let run = try await hooks("run", "long", "--event", file)
        #expect(run.status == 1)
        #expect(await alive.next() == "clinging")
        #expect(await alive.next() == nil)
    }

    @Test
    func `the last event of the journal can be run for again`() async throws {
        let journal = "\(lab.path)/journal"
        let agent = try await HookAgent.start(
            in: lab,
            more: ["--no-hooks", "--journal-directory", journal],
            directories: [],
            keepsJournal: true
        )
        try lab.use(.wifi)
        let event = try await agent.settles(on: "wifi")
        #expect(try await agent.stop() == 0)
        let run = try await hooks("run", "10-log", "--event", "last", "--directory", journal)
        #expect(run.output == "logged wifi\n\(event.text)\n")
        #expect(run.status == 1)
    }

    @Test
    func `the journal keeps the result of each run, and shows it in a sentence`() async throws {
        let journal = "\(lab.path)/journal"
        let agent = try await HookAgent.start(in: lab, more: ["--journal-directory", journal], keepsJournal: true)
        let first = try agent.events.first(of: "reachability.changed")
        let run = try await agent.completed("10-log", for: first)
        #expect(try await agent.stop() == 0)
        func history(_ more: String...) async throws -> FinishedCommand {
            let arguments =
                ["history", "--type", "hook.completed", "--subject", "10-log", "--directory", journal] + more
            return try await lab.namespace.finished(BuiltAgent.path, arguments)
        }
        #expect(try await history("--json").lines == [run.text])
        let words = try await history().output.split(separator: " ").joined(separator: " ")
        #expect(words.contains("hook 10-log failed: exit status 4"), "\(words)")
        #expect(words.contains("; for reachability.changed #\(first.seq ?? 0);"), "\(words)")
    }

    @Test
    func `input that is not an event is an error of one line`() async throws {
        try lab.write("{\"type\":\"reachagent.reachability.changed\"", to: "\(lab.path)/half.json")
        let half = try await hooks("run", "10-log", "--event", "\(lab.path)/half.json")
        #expect(half.status == 78)
        #expect(half.error.split(separator: "\n").count == 1)
        let empty = try await hooks("list", "--event", "/dev/null")
        #expect(empty.status == 78)
        #expect(empty.error.split(separator: "\n").count == 1)
    }
}
