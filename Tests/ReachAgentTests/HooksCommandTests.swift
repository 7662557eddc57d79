import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import Testing

/// `reachagent hooks`, as people and scripts use it.
@Suite struct HooksCommandTests {
    /// A directory with hooks, and what a test asks of it.
    private final class Scratch {
        private let directory: TemporaryDirectory
        var path: String { directory.path }

        init() throws {
            directory = try TemporaryDirectory()
            try make("first/wifi.d")
            try make("second")
            let echo = "#!/bin/sh\necho \"$REACH_TYPE $REACH_SEQ $REACH_TO_VIA\"\ncat | wc -l\nexit ${STATUS:-0}\n"
            try write("first/10-log", echo, mode: 0o755)
            try write("second/10-log", echo, mode: 0o755)
            try write("first/20-open", echo, mode: 0o777)
            try write("first/30-off", "", mode: 0o644)
            try write("first/40-log.bak", echo, mode: 0o755)
            try write("first/50-bad", "#!/bin/sh\nprintf '\\033[2Jno\\n' >&2\nexit 3\n", mode: 0o755)
            try write("first/wifi.d/05-led", "#!/bin/sh\n", mode: 0o755)
            try write("event.json", HooksCommandTests.event + "\n\n", mode: 0o644)
            try write(
                "c.toml",
                """
                [hook.echo]
                command = ["/bin/echo", "it's"]
                [hook.echo.when]
                to_via = ["wwan", "wired"]
                [hook.later]
                command = ["/bin/echo"]
                on = "target.changed"
                """,
                mode: 0o644
            )
        }

        private func make(_ directory: String) throws {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(directory)",
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
        }

        func write(_ name: String, _ text: String, mode: Int) throws {
            try directory.file(name, text, mode: mode)
        }

        func hooks(_ arguments: String..., input: String = "") async throws -> FinishedCommand {
            let directories = ["--hooks", "\(path)/first", "--hooks", "\(path)/second", "--config", "\(path)/c.toml"]
            return try await FinishedCommand.run(["hooks"] + arguments + directories, input: input)
        }
    }

    /// Wi-Fi instead of a cable.
    fileprivate static let event =
        #"{"specversion":"1.0","id":"a-42","source":"/reachagent/h","type":"reachagent.reachability.changed","#
        + #""subject":"default","time":"2026-11-21T07:00:00.123456Z","seq":42,"data":{"#
        + #""from":{"via":"wired","connectivity":"full"},"to":{"via":"wifi","connectivity":"full"},"#
        + #""cause":{"kind":"link","code":"link_down"},"observed":"2026-11-21T07:00:00.000001Z"}}"#

    @Test func `the list shows when each hook runs, and why a hook does not`() async throws {
        let scratch = try Scratch()
        let list = try await scratch.hooks("list")
        #expect(list.status == 0)
        let text = list.output
        #expect(text.contains("judged as"))
        #expect(text.contains("  10-log          \(scratch.path)/first/10-log\n"))
        #expect(text.contains("  wifi.d/05-led   \(scratch.path)/first/wifi.d/05-led\n"))
        let echo = #"  echo            /bin/echo 'it'\''s'"#
        #expect(text.contains("\(echo)\n                  if to_via is wwan or wired\n"))
        #expect(text.contains("CONFIGURED FOR TARGET.CHANGED\n  later           /bin/echo\n"))
        let never = try #require(text.components(separatedBy: "\nNOT RUN\n").last)
        #expect(never.contains("[hook_writable]"))
        #expect(never.contains("chmod go-w"))
        #expect(never.contains("30-off          disabled"))
        #expect(never.contains("40-log.bak      skipped"))
        #expect(never.contains("10-log          hidden by"))
    }

    @Test func `a directory that does not exist is marked`() async throws {
        let scratch = try Scratch()
        let list = try await scratch.hooks("list", "--hooks", "\(scratch.path)/nope")
        let words = list.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let directories = "\(scratch.path)/nope (does not exist), \(scratch.path)/first, \(scratch.path)/second"
        #expect(words.contains("directories \(directories) configuration"), "\(list.output)")
    }

    @Test func `a command to repair a hook is on one line, however long it is`() async throws {
        let scratch = try Scratch()
        try scratch.write("first/70-lines-of-windows", "#!/bin/sh\r\n", mode: 0o755)
        let path = "\(scratch.path)/first/70-lines-of-windows"
        let list = try await scratch.hooks("list")
        #expect(list.output.contains(" `sed -i 's/\\r$//' \(path)`\n"), "\(list.output)")
        let run = try await scratch.hooks("run", "70-lines-of-windows", "--event", "-", input: Self.event)
        #expect(run.error.hasSuffix("to do: `sed -i 's/\\r$//' \(path)`\n"), "\(run.error)")
    }

    @Test func `for an event the order is shown, and failed conditions with expected and found values`() async throws {
        let scratch = try Scratch()
        let list = try await scratch.hooks("list", "--json", "--event", "-", input: Self.event)
        #expect(list.status == 0)
        let object = try #require(JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any])
        #expect(object["started"] as? [String] == ["wifi.d/05-led", "10-log", "50-bad"])
        let hooks = try #require(object["hooks"] as? [[String: Any]])
        let echo = try #require(hooks.first { $0["hook"] as? String == "echo" })
        #expect(echo["runs"] as? Bool == false)
        #expect(echo["condition"] as? String == "to_via")
        #expect(echo["wanted"] as? [String] == ["wwan", "wired"])
        #expect(echo["found"] as? String == "wifi")
        #expect(hooks.first { $0["hook"] as? String == "later" }?["why"] as? String == "type")
        let reasons = hooks.compactMap { $0["why"] as? String }
        #expect(Set(reasons) == ["condition", "type", "refused", "disabled", "left_over", "masked"])
        let text = try await scratch.hooks("list", "--event", "\(scratch.path)/event.json")
        #expect(text.output.contains("  echo            to_via must be wwan or wired, and is wifi\n"))
        #expect(text.output.contains("  later           it is for target.changed\n"))
    }

    @Test func `a run shows the output and ends with the hook's success`() async throws {
        let scratch = try Scratch()
        let run = try await scratch.hooks("run", "10-log", "--event", "\(scratch.path)/event.json")
        #expect(run.status == 0)
        #expect(run.output.split(whereSeparator: \.isWhitespace) == ["reachability.changed", "42", "wifi", "1"])
        #expect(run.error.contains("hook 10-log succeeded"))
        // A pipe whose writer comes later.
        let directory = scratch.path
        let pipe = "\(directory)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        async let writer = FinishedCommand.run(["-c", #"cat "$0/event.json" >"$0/pipe""#, directory], of: "/bin/sh")
        #expect(try await scratch.hooks("run", "10-log", "--event", pipe).output == run.output)
        #expect(try await writer.status == 0)
        let bad = try await scratch.hooks("run", "50-bad", "--event", "-", input: Self.event)
        #expect(bad.status == 1)
        #expect(bad.output == "\\u{1b}[2Jno\n")
        #expect(bad.error.contains("hook 50-bad failed: exit status 3"))
    }

    @Test func `a dry run shows everything and runs nothing`() async throws {
        let scratch = try Scratch()
        let mark = "\(scratch.path)/mark"
        try scratch.write("first/60-mark", "#!/bin/sh\ntouch \(mark)\n", mode: 0o755)
        let run = try await scratch.hooks("run", "60-mark", "--dry-run", "--event", "-", input: Self.event)
        #expect(run.status == 0)
        for line in [
            "program       \(scratch.path)/first/60-mark\n", "directory     /\n", "timeout       30 s\n",
            "environment   LANG=C.UTF-8\n", "              REACH_TO_VIA=wifi\n", "input         \(Self.event)\n",
        ] {
            #expect(run.output.contains(line), "\(line)")
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
        let configured = try await scratch.hooks("run", "echo", "--dry-run", "--event", "-", input: Self.event)
        #expect(configured.error.contains("would not run it for this event: to_via must be wwan or wired, and is wifi"))
    }

    @Test func `a hook that cannot be run is an error with its status`() async throws {
        let scratch = try Scratch()
        let cases: [(arguments: [String], status: Int32, words: String)] = [
            (["20-open"], 78, "chmod go-w"), (["20-open", "--dry-run"], 78, "event: reachability.changed #42"),
            (["30-off"], 78, "disabled"),
            (["nothing"], 69, "there are 10-log, 50-bad"),
        ]
        for (arguments, status, words) in cases {
            let run = try await FinishedCommand.run(
                ["hooks", "run", "--no-config", "--hooks", "\(scratch.path)/first", "--event", "-"] + arguments,
                input: Self.event
            )
            #expect(run.status == status, "\(arguments)")
            #expect(run.error.contains(words), "\(run.error)")
        }
        let known = try await scratch.hooks("run", "nothing", "--event", "-", input: Self.event)
        #expect(known.error.contains("there is no hook 'nothing'; there are echo, later, 10-log"))
    }

    @Test(arguments: [
        "", "{}", "x\n", "\u{0}\u{FF}", "{\"type\":\"reachagent.reachability.changed\"}\n", "[[[[", "1\n2\n",
    ])
    func `input that is not an event is an error`(input: String) async throws {
        let scratch = try Scratch()
        let run = try await scratch.hooks("run", "10-log", "--event", "-", input: input)
        #expect(run.status == 78)
        #expect(run.error.contains("standard input must hold one event"))
        let isOneLine = input.split(separator: "\n").count == 1
        #expect(run.error.contains(isOneLine ? "; got a line that is not an event" : "lines"), "\(run.error)")
    }

    @Test func `a number in place of an event's file is an error that says what is accepted`() async throws {
        let scratch = try Scratch()
        let run = try await scratch.hooks("run", "10-log", "--event", "42")
        #expect(run.status == 78)
        #expect(run.error.contains("cannot read 42: No such file or directory; accepted are"), "\(run.error)")
    }

    @Test func `the last event is the last one that a hook is for`() async throws {
        let scratch = try Scratch()
        let directory = "\(scratch.path)/journal"
        let time = Timestamp(microsecondsSince1970: 1_790_000_000_000_000)
        let state = ReachabilityState(via: .wifi, afStatus: 2, connectivity: .full, path: .init(Path(via: .wifi)))
        let cause = ChangeCause(kind: "link", code: "link_down")
        let change = StateChange(from: state, to: state, cause: cause, observed: time)
        let drafts = [
            EventDraft(.reachabilityChanged, subject: "default", .reachabilityChanged(change)),
            EventDraft(.suspendResumed, .suspendResumed(.init(suspendedMilliseconds: 1, observed: time))),
        ]
        let origin = EventOrigin(streamID: "abc", host: "edge-7")
        let journal = try EventJournal(opening: JournalConfiguration(directory: directory, sync: .never), now: { time })
        journal.append(
            drafts.enumerated().compactMap { index, draft in
                JournalRecord(Event(draft, from: origin, at: time, number: UInt64(index) + 1))
            }
        )
        #expect(journal.close(within: .seconds(30)))
        let list = try await scratch.hooks("list", "--event", "last", "--directory", directory)
        #expect(list.status == 0, "\(list.error)")
        #expect(list.output.contains("reachability.changed #1, "), "\(list.output)")
        #expect(list.output.contains("RUNS, IN THIS ORDER\n"))
        try scratch.write("c.toml", "[hook.woken]\ncommand = [\"/bin/echo\"]\non = \"suspend.resumed\"\n", mode: 0o644)
        let woken = try await scratch.hooks("list", "--event", "last", "--directory", directory)
        #expect(woken.output.contains("suspend.resumed #2, "), "\(woken.output)")
    }

    @Test func `a missing journal or file is an error`() async throws {
        let scratch = try Scratch()
        let none = try await scratch.hooks("run", "10-log", "--event", "last", "--directory", "\(scratch.path)/none")
        #expect(none.status == 69)
        #expect(none.error.contains("there is no journal in"))
        let missing = try await scratch.hooks("list", "--event", "\(scratch.path)/none.json")
        #expect(missing.status == 78)
        #expect(missing.error.contains("No such file or directory"))
    }

    @Test func `an invalid configuration is reported with its errors`() async throws {
        let scratch = try Scratch()
        try scratch.write("c.toml", "[hook.a]\ncommand = \"x\"\n", mode: 0o644)
        let list = try await scratch.hooks("list")
        #expect(list.status == 78)
        #expect(list.error.contains("c.toml:2"))
    }

    @Test(arguments: [
        (
            #""containment":"control_groups","containment_detail":"/sys/fs/cgroup/a""#,
            "each run has a control group below /sys/fs/cgroup/a"
        ),
        (
            #""containment":"descendants","containment_detail":"not delegated""#,
            "the processes of a run are found by their parents: not delegated"
        ),
        (#""containment":7"#, "decided at the first run"),
    ])
    func `the running agent's directories are listed, and how its runs are contained`(
        containment: String,
        words: String
    ) async throws {
        let scratch = try Scratch()
        let directory = "\(scratch.path)/first"
        let agent = try ScriptedAgent { connection in
            connection.readLine()
            connection.send(
                lines: #"{"parameters":{"agent":{"pid":812},"configuration":{"files":[],"searched":["/etc/a.toml"]},"#
                    + #""hook_setup":{"directories":["\#(directory)"],\#(containment)}}}"#
            )
        }
        let list = try await FinishedCommand.run(["hooks", "list", "--socket", agent.path])
        #expect(list.status == 0, "\(list.error)")
        let text = list.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            text.contains("directories \(scratch.path)/first configuration none; looked for /etc/a.toml used by the")
        )
        #expect(text.contains("containment \(words)"))
        #expect(list.output.contains("  10-log "))
    }
    @Test func `beside an agent without hooks the list has none, whatever the configuration says`() async throws {
        let scratch = try Scratch()
        try scratch.write("c.toml", "[hook.a]\ncommand = [\"/bin/echo\"]\n", mode: 0o644)
        let file = "\(scratch.path)/c.toml"
        let agent = try ScriptedAgent { connection in
            connection.readLine()
            connection.send(
                lines: #"{"parameters":{"agent":{"pid":812},"configuration":{"files":["\#(file)"]},"#
                    + #""hook_setup":{"directories":[],"disabled":true}}}"#
            )
        }
        let list = try await FinishedCommand.run(["hooks", "list", "--json", "--socket", agent.path])
        #expect(list.status == 0, "\(list.error)")
        #expect(list.output.contains(#""enabled":false"#) && list.output.contains(#""hooks":[]"#), "\(list.output)")
    }
}
