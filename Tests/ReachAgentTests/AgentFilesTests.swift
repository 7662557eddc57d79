import AgentEvents
import AgentTestKit
import Testing

@testable import ReachAgent

/// The files that commands go by: the running agent's, whichever command asks.
@Suite struct AgentFilesTests {
    private static func agent(_ members: String) throws -> RunningAgent {
        RunningAgent(status: try EventDecoder.decode(AgentStatus.self, from: Array("{\(members)}".utf8)))
    }

    private static let own = AgentFiles.own(
        environment: ["HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"],
        isRoot: false
    )

    @Test func `without an agent they are those that an agent of this user would use`() {
        #expect(Self.own.configuration == nil)
        #expect(Self.own.searched.first == "/c/reachagent/reachagent.toml")
        #expect(Self.own.journals == ["/s/reachagent/journal", "/var/lib/reachagent/journal"])
    }

    @Test func `the files of the running agent are the ones that it names`() throws {
        let agent = try Self.agent(
            #""configuration":{"files":["/f/b.toml"],"path":"/f/a.toml"},"journal":{"directory":"/j"},"agent":{"pid":812}"#
        )
        let files = Self.own.used(by: agent)
        #expect(files.configuration == "/f/a.toml")
        #expect(files.searched == [])
        #expect(files.journals == ["/j"])
        #expect(files.origin(files: []) == ["used by the running agent (process 812)"])
    }

    @Test func `a file that appeared since the agent searched is the one that a reload reads`() throws {
        let agent = try Self.agent(#""configuration":{"files":[],"searched":["/nonexistent/a.toml","/dev/null"]}"#)
        #expect(Self.own.used(by: agent).configuration == "/dev/null")
    }

    @Test func `an agent without a configuration and a journal leaves the existing journals`() throws {
        let files = Self.own.used(by: try Self.agent(#""configuration":{"files":[]}"#))
        #expect(files.configuration == nil)
        #expect(files.origin(files: []) == ["used by the running agent", "it was started with --no-config"])
        #expect(files.journals == Self.own.journals)
    }

    @Test(arguments: [["config", "check"], ["hooks", "list"]])
    func `files that a command falls back to may not be those of the agent that does not answer`(
        arguments: [String]
    ) async throws {
        let agent = try ScriptedAgent { connection in connection.readLine() }
        let result = try await FinishedCommand.run(arguments, environment: ["REACHAGENT_SOCKET": agent.path])
        #expect(result.error.hasPrefix("reachagent: cannot query the running agent: "), "\(result.error)")
        let words = (result.output + result.error).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(AgentFiles.silentAgentNote), "\(words)")
    }

    @Test(arguments: [
        ["history"], ["report"], ["interfaces"], ["route", "192.0.2.1"], ["probe", "web"], ["hooks", "list"],
    ])
    func `a socket that was named and has no agent is an error`(arguments: [String]) async throws {
        let result = try await FinishedCommand.run(arguments + ["--socket", "/nonexistent/control.sock"])
        #expect(result.status == 69, "\(result.error)")
        #expect(result.error.contains("/nonexistent/control.sock"))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [["history"], ["report"], ["hooks", "run", "x", "--event", "last"]])
    func `the journal of the agent at a named socket is read`(arguments: [String]) async throws {
        let reply = #"{"parameters":{"journal":{"directory":"/nonexistent/journal"},"configuration":{"files":[]}}}"#
        let agent = try ScriptedAgent { connection in
            connection.readLine()
            connection.send(lines: reply)
        }
        let result = try await FinishedCommand.run(arguments + ["--socket", agent.path])
        #expect(result.status == 69)
        #expect(result.error.contains("/nonexistent/journal") || result.error.contains("there is no hook 'x'"))
        #expect(agent.requests == [#"{"method":"status"}"#])
    }
}
