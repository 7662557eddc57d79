import AgentTestKit
import Foundation
import Testing

/// `reachagent wait-online`, from the outside, with a scripted server.
@Suite struct WaitOnlineCommandTests {
    private static func reply(_ event: String) -> String { AgentLines.reply(event) }

    private static let down = AgentLines.state(via: "none", reason: "link_down")

    /// An agent that sends a state, and then events.
    private static func agent(at path: String? = nil, _ state: String, then events: String...) throws -> ScriptedAgent {
        try ScriptedAgent(
            at: path,
            { connection in
                connection.readLine()
                connection.send(lines: reply(AgentLines.hello(41)), reply(AgentLines.snapshot(state)))
                for event in events { connection.send(lines: reply(event)) }
                connection.waitForClose()
            }
        )
    }

    private func wait(_ agent: String, _ arguments: String...) async throws -> FinishedCommand {
        try await FinishedCommand.run(["wait-online", "--socket", agent] + arguments, patience: 30)
    }

    @Test func `a machine that is online is not waited for`() async throws {
        let agent = try Self.agent(AgentLines.state(via: "wifi"))
        let wait = try await wait(agent.path)
        #expect(wait.status == 0)
        #expect(wait.output == "reachable through wifi wlan0, connectivity unknown\n")
        #expect(wait.error.isEmpty)
    }

    @Test func `the event that brings it online ends the waiting`() async throws {
        let up = AgentLines.changed(42, from: Self.down, to: AgentLines.state(via: "wwan"))
        let agent = try Self.agent(Self.down, then: up)
        let wait = try await wait(agent.path, "--json")
        #expect(wait.status == 0)
        #expect(wait.output == #"{"online":true,"via":"wwan","interface":"wwan0","connectivity":"unknown"}"# + "\n")
    }

    @Test func `the timeout reports the current problem`() async throws {
        let agent = try Self.agent(Self.down)
        let wait = try await wait(agent.path, "--timeout", "300ms", "--json")
        #expect(wait.status == 1)
        #expect(wait.error == "reachagent: not online: the default path is not reachable (link_down)\n")
        #expect(wait.output.hasPrefix(#"{"online":false,"code":"not_reachable","#))
    }

    @Test func `a medium other than the requested one is not enough`() async throws {
        let agent = try Self.agent(AgentLines.state(via: "wwan"))
        let wait = try await wait(agent.path, "--via", "wifi", "--via", "wired", "--timeout", "0.3")
        #expect(wait.status == 1)
        #expect(
            wait.error
                == "reachagent: not online: the default path is reachable through wwan wwan0, not wifi or wired\n"
        )
    }

    @Test func `without an agent the timeout says so`() async throws {
        let path = try ScriptedAgent.newPath()
        let wait = try await wait(path, "--timeout", "0.2")
        #expect(wait.status == 69)
        #expect(wait.error == "reachagent: not online: no agent answers at \(path): No such file or directory\n")
        let quiet = try await self.wait(path, "--timeout", "0.2", "--quiet")
        #expect(quiet.status == 69)
        #expect(quiet.error.isEmpty && quiet.output.isEmpty)
    }

    @Test func `an agent that starts later is waited for`() async throws {
        let path = try ScriptedAgent.newPath()
        async let result = wait(path, "--timeout", "20")
        // The command may or may not be connected by now: both orders must work.
        try await Task.sleep(for: .milliseconds(300))
        let agent = try Self.agent(at: path, AgentLines.state(via: "wifi"))
        #expect(try await result.status == 0)
        #expect(agent.requests.count == 1)
    }

    @Test func `a target's path counts instead of the default one`() async throws {
        let agent = try Self.agent(
            Self.down,
            then: AgentLines.targetChanged(42, "depot", to: AgentLines.state(via: "wwan")),
            AgentLines.targetChanged(43, "office", to: AgentLines.state(via: "wired"))
        )
        let wait = try await wait(agent.path, "--target", "office")
        #expect(wait.status == 0)
        #expect(wait.output.hasPrefix("reachable through wired eth0"))
    }

    @Test func `a rejected subscription is not waited for`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: AgentLines.error("unknown_method", #"{"message":"there is no 'subscribe'"}"#))
        })
        let wait = try await wait(agent.path, "--timeout", "0")
        #expect(wait.status == 75)
        #expect(wait.error == "reachagent: there is no 'subscribe' [unknown_method]\n")
    }

    @Test func `a rejected subscription is a JSON object too`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: AgentLines.error("unknown_method", #"{"message":"there is no 'subscribe'"}"#))
        })
        let wait = try await wait(agent.path, "--timeout", "0", "--json")
        #expect(wait.status == 75)
        #expect(wait.output == #"{"online":false,"message":"there is no 'subscribe' [unknown_method]"}"# + "\n")
    }

    @Test(.enabled(if: BuiltAgent.isForOtherUsers, "only root can become another user, who must be able to run it"))
    func `a socket that may not be used is not waited for`() async throws {
        let agent = try Self.agent(AgentLines.state(via: "wifi"))
        chmod(agent.path, 0o600)
        for subcommand in ["wait-online", "watch"] {
            let arguments = ["--reuid", "65534", "--regid", "65534", "--clear-groups", BuiltAgent.path, subcommand]
            let result = try await FinishedCommand.run(
                arguments + ["--socket", agent.path],
                of: "/usr/bin/setpriv",
                patience: 30
            )
            #expect(result.status == 77)
            #expect(result.error.hasPrefix("reachagent: \(agent.path) may not be used: Permission denied"))
        }
    }

    /// A limit of one: the process has no thread but its own.
    @Test(
        .enabled(if: BuiltAgent.isForOtherUsers, "only root can become another user, who must be able to run it"),
        arguments: ["wait-online", "check"]
    )
    func `without a thread to spare a timeout holds, and an answer is taken`(subcommand: String) async throws {
        let online = AgentLines.reply(AgentLines.snapshot(AgentLines.state(via: "wifi")))
        let agent = try ScriptedAgent(
            ScriptedAgent.silence,
            ScriptedAgent.answer(Self.reply(AgentLines.hello(41)), online)
        )
        chmod(agent.path, 0o666)
        let limit = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "prlimit", "--nproc=1:1"]
        let words = limit + [BuiltAgent.path, subcommand, "--socket", agent.path, "--timeout"]
        let silent = try await FinishedCommand.run(words + ["0.3"], of: "/usr/bin/setpriv", patience: 30)
        #expect(silent.status == (subcommand == "check" ? 75 : 69), "\(silent.error)")
        guard subcommand == "wait-online" else { return }
        let answered = try await FinishedCommand.run(words + ["20"], of: "/usr/bin/setpriv", patience: 30)
        #expect(answered.output == "reachable through wifi wlan0, connectivity unknown\n", "\(answered.error)")
    }

    @Test(
        "wrong usage is rejected",
        arguments: [
            ["--for", "full", "--target", "office"], ["--timeout", "-1"], ["--timeout", "1e3"], ["--timeout", "."],
            ["--timeout", "99999999999"], ["--via", "none"], ["--for", "x"], ["--json", "--quiet"],
        ]
    )
    func usage(_ arguments: [String]) async throws {
        #expect(try await FinishedCommand.run(["wait-online"] + arguments).status == 64)
    }
}
