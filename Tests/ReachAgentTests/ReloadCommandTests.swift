import AgentTestKit
import Foundation
import Testing

/// `reload` and `check` as an operator meets them.
@Suite struct ReloadCommandTests {
    private static func run(_ command: [String], answering answer: String) async throws -> (FinishedCommand, [String]) {
        let agent = try ScriptedAgent { connection in
            connection.readLine()
            connection.send(lines: answer)
        }
        let result = try await FinishedCommand.run(command + ["--socket", agent.path])
        return (result, agent.requests)
    }

    @Test func `a reload reports the changes`() async throws {
        let reply = #"""
            {"files":["/etc/reachagent/reachagent.toml"],"added":["probe.dns"],"removed":[],\#
            "changed":["probe.web","settle"],"needs_restart":["agent"]}
            """#
        let (result, requests) = try await Self.run(["reload"], answering: #"{"parameters":\#(reply)}"#)
        #expect(requests == [#"{"method":"reload"}"#])
        #expect(result.status == 0)
        #expect(
            result.output == """
                read /etc/reachagent/reachagent.toml again
                  added    probe.dns
                  changed  probe.web, settle
                  takes effect on the next start: agent

                """
        )
        let (json, _) = try await Self.run(["reload", "--json"], answering: #"{"parameters":\#(reply)}"#)
        #expect(json.output == reply + "\n")
    }

    @Test func `a reload that changes nothing says so`() async throws {
        let (result, _) = try await Self.run(["reload"], answering: #"{"parameters":{"files":["/f"]}}"#)
        #expect(result.output == "read /f again\n  nothing changed\n")
    }

    @Test func `a rejected configuration is reported with all its errors, and status 78`() async throws {
        let message = #"/f.toml:3: probe.web.interval: '10' is no duration\n/f.toml:9: no key 'foo'\u001b[2J"#
        let (result, _) = try await Self.run(
            ["reload"],
            answering: #"{"error":"configuration_invalid","parameters":{"message":"\#(message)"}}"#
        )
        #expect(result.status == 78)
        #expect(result.output.isEmpty)
        #expect(
            result.error == #"""
                reachagent: the configuration was rejected, and the agent keeps the earlier one:
                  /f.toml:3: probe.web.interval: '10' is no duration
                  /f.toml:9: no key 'foo'\u{1b}[2J

                """#
        )
        let (json, _) = try await Self.run(
            ["reload", "--json"],
            answering: #"{"error":"configuration_invalid","parameters":{"message":"\#(message)"}}"#
        )
        #expect(json.status == 78)
        let written = message.replacing(#"\n"#, with: #"\u000a"#)
        #expect(json.output == #"{"error":"configuration_invalid","parameters":{"message":"\#(written)"}}"# + "\n")
        #expect(json.error.isEmpty)
    }

    @Test(arguments: [
        (["reload"], "no_configuration_file", Int32(78)), (["reload"], "too_many_requests", 75),
        (["check"], "no_probe_configured", 78), (["check", "x"], "unknown_probe", 64),
    ])
    func `each error of the agent has its status`(_ command: [String], _ code: String, _ status: Int32) async throws {
        let (result, _) = try await Self.run(
            command,
            answering: #"{"error":"\#(code)","parameters":{"message":"so it is"}}"#
        )
        #expect(result.status == status)
        #expect(result.error.contains("so it is"))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: ["reload", "check"])
    func `without an agent the status is 69`(_ command: String) async throws {
        let result = try await FinishedCommand.run([command, "--socket", "/nonexistent/control.sock"])
        #expect(result.status == 69)
    }

    @Test(arguments: [
        (#"{"points":3}"#, "3 checks started; 'reachagent status' shows the results\n"),
        (#"{"points":3,"joined":2}"#, "3 checks started, or running; 'reachagent status' shows the results\n"),
        (#"{"points":1}"#, "1 check started; 'reachagent status' shows the results\n"),
        (#"{"points":1,"joined":1}"#, "1 check is running; 'reachagent status' shows the results\n"),
        (#"{}"#, "checks started; 'reachagent status' shows the results\n"),
    ])
    func `a check without waiting reports how many were started`(_ reply: String, _ text: String) async throws {
        let (result, requests) = try await Self.run(
            ["check", "we\"b", "--no-wait"],
            answering: #"{"parameters":\#(reply)}"#
        )
        #expect(requests == [#"{"method":"probe","parameters":{"name":"we\"b"}}"#])
        #expect(result.status == 0)
        #expect(result.output == text)
    }

    @Test(arguments: [([], ""), (["--json"], "{\"points\":0}\n")])
    func `a check of nothing is not a success`(_ options: [String], _ output: String) async throws {
        let (result, _) = try await Self.run(
            ["check", "--no-wait"] + options,
            answering: #"{"parameters":{"points":0}}"#
        )
        #expect(result.status == 75)
        #expect(result.output == output)
        #expect(
            result.error
                == "reachagent: nothing to check at the moment: no path, or no interface that the probe is made over"
                + "; a transfer is made for its name only\n"
        )
    }

    @Test(arguments: [
        (1, "1 check was not started"), (3, "3 checks were not started"),
    ])
    func `checks that were refused are reported, and are no success`(_ refused: Int, _ text: String) async throws {
        let (result, _) = try await Self.run(
            ["check", "--no-wait"],
            answering: #"{"parameters":{"points":1,"joined":0,"refused":\#(refused)}}"#
        )
        #expect(result.status == 75)
        #expect(result.output == "1 check started; 'reachagent status' shows the results\n")
        #expect(result.error.hasPrefix("reachagent: \(text): "), "\(result.error)")
        #expect(result.error.hasSuffix("[budget_exhausted]\n"))
    }
}
