import AgentTestKit
import Testing

/// `reachagent watch`, from the outside, with a scripted server.
@Suite struct WatchCommandTests {
    private static func reply(_ event: String) -> String { AgentLines.reply(event) }

    /// An agent that ends, counts on, and then has lost events.
    private static func restartingAgent() throws -> ScriptedAgent {
        try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: reply(AgentLines.hello(40)), reply(AgentLines.snapshot()))
                connection.send(lines: reply(AgentLines.path(41)))
            },
            { connection in
                connection.readLine()
                connection.send(lines: reply(AgentLines.hello(41)), reply(AgentLines.path(42)))
                connection.send(lines: AgentLines.error("agent_stopping", #"{"last_seq":42}"#))
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.error("events_expired", #"{"oldest_seq":101}"#))
            },
            { connection in
                connection.readLine()
                connection.send(lines: reply(AgentLines.hello(101)), reply(AgentLines.snapshot()))
                connection.send(lines: reply(AgentLines.path(101)))
                connection.waitForClose()
            }
        )
    }

    /// Runs `watch` until it has printed a number of lines.
    private func watch(_ arguments: [String], lines: Int) async throws -> FinishedCommand {
        let command = #""$0" watch "$@" | head -n \#(lines)"#
        return try await FinishedCommand.run(["-c", command, BuiltAgent.path] + arguments, of: "/bin/sh", patience: 30)
    }

    @Test func `events continue over restarts, and the command ends with its reader`() async throws {
        let agent = try Self.restartingAgent()
        let watch = try await watch(["--all", "--socket", agent.path], lines: 6)
        #expect(watch.status == 0)
        #expect(agent.requests.last?.contains(#""since_seq":100,"#) == true)
        #expect(agent.requests.last?.contains(#""snapshot":true"#) == true)
        // The events are of another day.
        let lines = watch.lines.filter { !$0.hasPrefix("──") }
        try #require(lines.count == 5)
        #expect(lines[0].hasSuffix("now             reachable through wifi wlan0, connectivity unknown"))
        #expect(lines[3].hasSuffix("now             reachable through wifi wlan0, connectivity unknown"))
        for number in [1, 2, 4] { #expect(lines[number].contains("  path  ")) }
        #expect(
            watch.error.split(separator: "\n") == [
                "reachagent: the agent at \(agent.path) closed the connection; waiting for it",
                "reachagent: connected again (agent 0.1.0); resuming after event #41",
                "reachagent: the agent at \(agent.path) has stopped; waiting for it",
                "reachagent: events #43 to #100 are missing: the agent does not have what happened then any more",
                "reachagent: connected again (agent 0.1.0); resuming after event #100",
            ]
        )
    }

    @Test func `in JSON the agent's lines are passed on`() async throws {
        let agent = try Self.restartingAgent()
        let watch = try await watch(["--json", "--socket", agent.path], lines: 8)
        #expect(
            watch.lines == [
                AgentLines.hello(40), AgentLines.snapshot(), AgentLines.path(41), AgentLines.hello(41),
                AgentLines.path(42), AgentLines.hello(101), AgentLines.snapshot(), AgentLines.path(101),
            ]
        )
    }

    @Test func `the filters and the number are sent to the agent`() async throws {
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.error("unknown_method"))
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(7)))
            }
        )
        let arguments = ["--since", "7", "--type", "path.*", "--type", "target.changed", "--subject", "office"]
        let options = ["watch", "--no-reconnect", "--socket", agent.path] + arguments
        let watch = try await FinishedCommand.run(options)
        #expect(watch.status == 75)
        #expect(watch.error == "reachagent: the agent at \(agent.path) closed the connection\n")
        let parameters = #"{"types":["path.*","target.changed"],"subjects":["office"],"since_seq":7}"#
        #expect(agent.requests.last == #"{"method":"subscribe","parameters":\#(parameters),"more":true}"#)
    }

    @Test func `a subject that the agent does not have is named, and watched`() async throws {
        let sink = #"{"name":"fleet","broker":"nats://broker.test","state":"connected","lost":0}"#
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                let status = #"{"time":"2026-11-21T13:00:00Z","sinks":[\#(sink)]}"#
                connection.send(lines: #"{"parameters":\#(status)}"#)
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(7)))
            }
        )
        let options = ["watch", "--no-reconnect", "--socket", agent.path, "--subject", "fleet", "--subject", "wwan7"]
        let watch = try await FinishedCommand.run(options)
        #expect(watch.status == 75)
        #expect(
            watch.error.hasPrefix(
                "reachagent: at present the agent has nothing of the name 'wwan7'; subjects are default, agent, fleet\n"
            )
        )
        #expect(agent.requests.last?.contains(#""subjects":["fleet","wwan7"]"#) == true)
    }

    @Test func `a time is sent to the agent in UTC`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: Self.reply(AgentLines.hello(7)))
        })
        let options = ["watch", "--no-reconnect", "--socket", agent.path, "--since", "2026-11-21T07:00:00+01:00"]
        #expect(try await FinishedCommand.run(options).status == 75)
        let parameters = #"{"since_time":"2026-11-21T06:00:00.000000Z"}"#
        #expect(agent.requests.last == #"{"method":"subscribe","parameters":\#(parameters),"more":true}"#)
    }

    @Test func `without an agent, and without waiting for one, the status is 69`() async throws {
        let path = try ScriptedAgent.newPath()
        let watch = try await FinishedCommand.run(["watch", "--no-reconnect", "--socket", path])
        #expect(watch.status == 69)
        #expect(watch.error.hasPrefix("reachagent: no agent answers at \(path): No such file or directory\n"))
    }

    @Test func `a rejected filter is a usage error`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: AgentLines.error("invalid_parameters", #"{"message":"no such type 'x'"}"#))
        })
        let watch = try await FinishedCommand.run(["watch", "--type", "path.changed", "--socket", agent.path])
        #expect(watch.status == 64)
        #expect(watch.error.contains("no such type 'x'"))
    }

    @Test func `an unknown type is an error with a suggestion, without a request to the agent`() async throws {
        let watch = try await FinishedCommand.run(["watch", "--type", "path.chnged", "--socket", "/nowhere"])
        #expect(watch.status == 64)
        #expect(watch.error.contains("expected an event type, got 'path.chnged'; did you mean 'path.changed'?"))
    }

    @Test func `a missing agent is waited for, and the wait ends when the reader closes the output`() async throws {
        let path = try ScriptedAgent.newPath()
        // Nothing is ever printed: only the end of the reader can end it.
        let command = """
            notices=$(mktemp)
            "$0" watch --socket "$1" 2> "$notices" | until grep -q waiting "$notices"; do sleep 0.05; done
            status=$?; cat "$notices" >&2; rm "$notices"; exit $status
            """
        let watch = try await FinishedCommand.run(["-c", command, BuiltAgent.path, path], of: "/bin/sh", patience: 30)
        #expect(watch.status == 0)
        #expect(watch.error == "reachagent: no agent answers at \(path): No such file or directory; waiting for it\n")
    }
}
