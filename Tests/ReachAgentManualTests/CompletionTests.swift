import AgentTestKit
import ArgumentParser
import Foundation
import Testing

@testable import ReachAgent
@testable import ReachAgentManual

/// The completions, as the shells read them; skipped where a shell is not installed.
///
/// One after the other: swift-argument-parser keeps the shell of a script in process-wide state.
@Suite(.serialized) struct CompletionTests {
    private static func script(_ shell: String, in directory: TemporaryDirectory) throws -> String {
        let kind = try #require(CompletionShell(rawValue: shell))
        let text = ReachAgentCommand.completionScript(for: kind)
        #expect(text.count > 1000)
        return try directory.file("completion.\(shell)", text)
    }

    @Test(arguments: ["bash", "zsh", "fish"].filter(Command.has))
    func `a shell can read its completions`(shell: String) async throws {
        let directory = try TemporaryDirectory()
        let result = try #require(try await Command.run(shell, ["-n", try Self.script(shell, in: directory)]))
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test(arguments: [("fish", #" path.\* "#), ("bash", "path.*"), ("zsh", "path.*")])
    func `a family of events is completed as it is`(shell: String, family: String) throws {
        let kind = try #require(CompletionShell(rawValue: shell))
        #expect(ReachAgentCommand.completionScript(for: kind).contains(family))
    }

    @Test func `names are the running agent's, and none without one`() async throws {
        let missing = try await FinishedCommand.run([
            "---completion", "check", "--", "positional@0", "3", "0", "reachagent", "check", "--socket", "/nonexistent",
        ])
        #expect(missing.output.trimmingCharacters(in: .whitespacesAndNewlines) == "")
        #expect(missing.error == "")
        let agent = try ScriptedAgent { connection in
            connection.readLine()
            connection.send(lines: #"{"parameters":{"probes":[{"probe":"web"},{"probe":"a;b"}]}}"#)
        }
        let found = try await FinishedCommand.run([
            "---completion", "check", "--", "positional@0", "3", "0", "reachagent", "check", "--socket", agent.path,
        ])
        #expect(found.output.trimmingCharacters(in: .whitespacesAndNewlines) == "web")
    }

    @Test func `a name that a shell would have to quote is left out`() {
        let names = ["eth0", "$(reboot)", "`reboot`", "a b", "a;b", "*", "eth0", "wan:1"]
        #expect(AgentNames.plain(names) == ["eth0", "wan:1"])
    }

    @Test func `bash takes no words from other programs, whose output it would expand`() throws {
        let kind = try #require(CompletionShell(rawValue: "bash"))
        #expect(!ReachAgentCommand.completionScript(for: kind).contains("eval "))
    }

    @Test(arguments: [("probe", "--interface", "lo"), ("run", "--socket-group", "root")])
    func `interfaces and groups are this machine's`(command: String, option: String, name: String) async throws {
        let found = try await FinishedCommand.run([
            "---completion", command, "--", option, "3", "0", "reachagent", command, option, "",
        ])
        #expect(found.lines.contains(name), "\(found.output)\(found.error)")
    }

    @Test(
        .enabled(if: Command.has("bash")),
        arguments: [
            (["reachagent", "sta"], "status"), (["reachagent", "hooks", "r"], "run"),
            (["reachagent", "history", "--sub"], "--subject"),
            (["reachagent", "watch", "--type", "reachability"], "reachability.changed"),
            (["reachagent", "run", "--format", "h"], "human"),
            (["reachagent", "probe", "--pin-mode", "pub"], "public-key"),
        ]
    )
    func `bash completes a partial word`(words: [String], expected: String) async throws {
        let directory = try TemporaryDirectory()
        let script = try Self.script("bash", in: directory)
        let program = """
            source "$1"; shift
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
            specification=$(complete -p reachagent)
            function=${specification##*-F }; function=${function%% *}
            "$function" reachagent "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let arguments = ["--norc", "-c", program, "bash", script] + words
        let result = try #require(try await Command.run("bash", arguments))
        let replies = result.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        #expect(replies.contains(expected), "\(result.output)")
        let begun = words.last ?? ""
        #expect(replies.allSatisfy { $0.hasPrefix(begun) }, "\(result.output)")
    }
}
