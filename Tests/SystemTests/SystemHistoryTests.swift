import AgentTestKit
import Foundation
import Testing

/// `reachagent history` over journals that are made by hand.
@Suite struct SystemHistoryTests {
    /// A journal's directory, removed with its owner.
    private final class Journal: Sendable {
        private let temporary: TemporaryDirectory

        init(_ segments: [Int: String]) throws {
            temporary = try TemporaryDirectory()
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            for (first, text) in segments {
                let name = "events-" + String(repeating: "0", count: 20 - "\(first)".count) + "\(first).jsonl"
                try temporary.file("reachagent/journal/\(name)", text)
            }
        }

        var directory: String { "\(stateHome)/reachagent/journal" }

        /// The value of `XDG_STATE_HOME` for this journal.
        var stateHome: String { temporary.path }
    }

    private static func line(_ number: Int, _ type: String = "path.changed", _ subject: String = "default") -> String {
        let minute = (number < 10 ? "0" : "") + "\(number)"
        let data =
            type == "agent.stopping"
            ? #"{"reason":"SIGTERM"}"#
            : #"{"from":{"via":"none"},"to":{"via":"wired"},"cause":{"kind":"link","code":"link_up"},"#
                + #""observed":"2026-11-21T07:00:00.000000Z"}"#
        return """
            {"specversion":"1.0","id":"x-\(number)","source":"/reachagent/h","type":"reachagent.\(type)",\
            "subject":"\(subject)","time":"2026-11-21T07:\(minute):00.000000Z","seq":\(number),"data":\(data)}
            """
    }

    private static func lines(_ numbers: ClosedRange<Int>) -> String { numbers.map { line($0) + "\n" }.joined() }

    /// Events 1 to 9, of which 5 and 6 are missing, with some damage, and a last line that is not complete.
    private func journal() throws -> Journal {
        try Journal([
            1: Self.lines(1...2) + "garbage\n" + Self.line(3, "target.changed", "office") + "\n" + Self.line(4) + "\n",
            7: Self.lines(7...8) + Self.line(9, "agent.stopping", "agent") + "\n" + "{\"torn",
        ])
    }

    private func history(
        _ arguments: [String],
        in journal: Journal,
        locale: String = "C.UTF-8"
    ) async throws -> FinishedCommand {
        try await .run(
            ["history", "--directory", journal.directory] + arguments,
            environment: ["TZ": "Europe/Berlin", "LC_ALL": locale]
        )
    }

    @Test func `the text output shows everything, including gaps and damage`() async throws {
        let result = try await history(["--all"], in: try journal())
        #expect(result.status == 0)
        #expect(
            result.lines == [
                "── 2026-11-21 +01:00 ──",
                "08:01:00  path            none → wired [link_up]  #1",
                "08:02:00  path            none → wired [link_up]  #2",
                "08:03:00  target office   none → wired [link_up]  #3",
                "08:04:00  path            none → wired [link_up]  #4",
                "— events #5 to #6 are missing —",
                "08:07:00  path            none → wired [link_up]  #7",
                "08:08:00  path            none → wired [link_up]  #8",
                "08:09:00  agent           stopping (SIGTERM)  #9",
            ]
        )
        #expect(result.error == "reachagent: 1 line of the journal is damaged and was left out\n")
    }

    @Test(arguments: ["C", "de_DE.ISO-8859-1"])
    func `the text output is ASCII where the locale has no UTF-8`(locale: String) async throws {
        let result = try await history(["--all"], in: try journal(), locale: locale)
        #expect(
            result.lines.prefix(2) == [
                "-- 2026-11-21 +01:00 --", "08:01:00  path            none -> wired [link_up]  #1",
            ]
        )
        #expect(result.output.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: ["C.UTF-8", "C"])
    func `JSON lines are those of the journal`(locale: String) async throws {
        let result = try await history(["--json"], in: try journal(), locale: locale)
        #expect(result.status == 0)
        let expected = [Self.line(1), Self.line(2), Self.line(3, "target.changed", "office"), Self.line(4)]
        #expect(result.lines == expected + [Self.line(7), Self.line(8), Self.line(9, "agent.stopping", "agent")])
        #expect(result.error.contains("reachagent: events #5 to #6 are missing\n"))
    }

    @Test(arguments: [
        (["--since", "3"], [4, 7, 8, 9]), (["--since", "0"], [1, 2, 3, 4, 7, 8, 9]), (["--since", "9"], []),
        (["--until", "3"], [1, 2, 3]), (["--since", "2", "--until", "7"], [3, 4, 7]),
        (["--since", "2026-11-21T07:03:00Z"], [3, 4, 7, 8, 9]), (["--since", "2026-11-21 08:08"], [8, 9]),
        (["--until", "2026-11-21T08:02:00+01:00"], [1, 2]), (["--since", "2026-11-21 08:08:01", "--until", "8"], []),
        (["--type", "path.changed"], [1, 2, 4, 7, 8]), (["--type", "reachagent.target.*"], [3]),
        (["--type", "target.changed", "--type", "agent.*"], [3, 9]), (["--subject", "office"], [3]),
        (["--last", "2"], [8, 9]), (["--limit", "2", "--type", "path.*"], [7, 8]),
        (["--last", "100"], [1, 2, 3, 4, 7, 8, 9]),
        (["--last", "3", "--until", "4"], [2, 3, 4]), (["--last", "1", "--type", "probe.*"], []),
    ])
    func `events are chosen by number, time, type and subject`(arguments: [String], numbers: [Int]) async throws {
        let result = try await history(arguments + ["--json"], in: try journal())
        #expect(result.status == 0)
        let found = result.lines.compactMap { line in
            line.split(separator: "\"seq\":").last?.prefix { $0.isNumber }
        }
        #expect(found.map(String.init) == numbers.map(String.init))
    }

    @Test func `a closed pipe ends it without a word`() async throws {
        let journal = try Journal([1: Self.lines(1...59) + String(repeating: "x\n", count: 10)])
        let many = (60...20_000).map { Self.line($0).replacing("T07:\($0):", with: "T07:00:") + "\n" }.joined()
        try Data(many.utf8).write(to: URL(filePath: "\(journal.directory)/events-00000000000000000060.jsonl"))
        let script =
            "set -o pipefail; '\(BuiltAgent.path)' history --directory '\(journal.directory)' --json | head -n 1"
        let result = try await FinishedCommand.run(["-c", script], of: "/bin/bash")
        #expect(result.status == 0)
        #expect(result.lines == [Self.line(1)])
        #expect(result.error == "")
    }

    @Test func `without a journal the searched paths are reported`() async throws {
        let result = try await FinishedCommand.run(
            ["history"],
            environment: ["XDG_STATE_HOME": "/nonexistent/state", "STATE_DIRECTORY": "/nonexistent/reachagent"]
        )
        #expect(result.status == 69)
        #expect(result.output == "")
        #expect(
            result.error
                == "reachagent: there is no journal in /nonexistent/reachagent/journal; '--directory' names another place\n"
        )
    }

    @Test func `a file in the place of the history is named, not the journal`() async throws {
        let journal = try journal()
        try Data().write(to: URL(filePath: "\(journal.directory)/history"))
        let result = try await history([], in: journal)
        #expect(result.status == 75)
        #expect(result.error == "reachagent: cannot open \(journal.directory)/history: Not a directory\n")
    }

    @Test func `the user's journal is found`() async throws {
        let journal = try journal()
        let result = try await FinishedCommand.run(
            ["history", "--json", "--last", "1"],
            environment: ["XDG_STATE_HOME": journal.stateHome]
        )
        #expect(result.status == 0)
        #expect(result.lines == [Self.line(9, "agent.stopping", "agent")])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a user without permission gets an error, and its remedy`() async throws {
        let journal = try journal()
        // The program itself may lie where another user cannot read it: it drops its rights when it is running.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: journal.directory)
        let result = try await FinishedCommand.run(
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", BuiltAgent.path, "history", "--directory",
                journal.directory,
            ],
            of: "setpriv"
        )
        #expect(result.status == 77)
        #expect(
            result.error == """
                reachagent: cannot open \(journal.directory): Permission denied
                  it belongs to the user 'root': read as that user

                """
        )
    }

    @Test(arguments: [
        ["--since", "noon"], ["--type", "Path"],
        ["--type", "no.such"], ["--last", "0"], ["--last", "1000001"], ["--until", ""],
    ])
    func `wrong usage is an error`(arguments: [String]) async throws {
        let result = try await history(arguments, in: try journal())
        #expect(result.status == 64)
        #expect(result.output == "")
    }
}
