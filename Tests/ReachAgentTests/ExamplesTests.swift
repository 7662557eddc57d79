import AgentTestKit
import Foundation
import Testing

/// The clients in `examples/`, as they stand there.
@Suite struct ExamplesTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "examples")

    private static func has(_ tools: String...) -> Bool {
        tools.allSatisfy { tool in
            ["/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
        }
    }

    /// The line of the README that begins with a word, for another socket.
    private static func command(_ word: String, _ socket: String, _ path: String) throws -> String {
        let text = try String(contentsOf: directory.appending(path: "README.md"), encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(word) && $0.contains(socket) }
        return String(try #require(line)).replacing("/run/reachagent/\(socket)", with: path)
    }

    private static func run(_ command: String) async throws -> FinishedCommand {
        try await FinishedCommand.run(["-c", command], of: "/bin/sh", patience: 30)
    }

    /// `events.sock` as strangers see it: nothing is asked.
    private static func eventsSocket() throws -> ScriptedAgent {
        try ScriptedAgent({ connection in
            let down = AgentLines.state(via: "none", reason: "link_down")
            connection.send(lines: AgentLines.hello(41), AgentLines.snapshot(), AgentLines.changed(42, to: down))
        })
    }

    @Test(.enabled(if: has("socat", "jq"), "socat or jq is not installed"))
    func `socat and jq read the events`() async throws {
        let agent = try Self.eventsSocket()
        let result = try await Self.run(try Self.command("socat", "events.sock", agent.path))
        let time = "2026-11-21T07:00:00.123456Z"
        #expect(result.error.isEmpty)
        #expect(
            result.lines == [
                "\(time)\treachagent.agent.hello\t", "\(time)\treachagent.network.snapshot\twifi",
                "\(time)\treachagent.reachability.changed\tnone",
            ]
        )
    }

    @Test(.enabled(if: has("nc"), "netcat is not installed"))
    func `netcat reads the events`() async throws {
        let agent = try Self.eventsSocket()
        let result = try await Self.run(try Self.command("nc", "events.sock", agent.path))
        #expect(result.lines.first == AgentLines.hello(41))
        #expect(result.lines.count == 3)
    }

    @Test(.enabled(if: has("nc", "jq"), "netcat or jq is not installed"))
    func `netcat requests the status`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: #"{"parameters":{"state":\#(AgentLines.state(via: "wwan"))}}"#)
        })
        let result = try await Self.run(try Self.command("echo", "control.sock", agent.path))
        #expect(result.output == "\"wwan\"\n")
        #expect(agent.requests == [#"{"method":"status"}"#])
    }

    @Test(.enabled(if: has("python3"), "Python is not installed"))
    func `the Python client sees each event once over a lost connection and a new stream`() async throws {
        let up = AgentLines.state(via: "wifi")
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.reply(AgentLines.hello(40)), AgentLines.reply(AgentLines.snapshot()))
                connection.send(lines: AgentLines.reply(AgentLines.changed(41, to: up)))
                connection.send(String(AgentLines.reply(AgentLines.changed(42, to: up)).dropLast(40)))
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.reply(AgentLines.hello(41)))
                connection.send(lines: AgentLines.reply(AgentLines.changed(41, to: up)))
                connection.send(lines: AgentLines.reply(AgentLines.changed(42, to: up)))
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.error("stream_changed", #"{"stream":"new"}"#))
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.reply(AgentLines.hello(3, stream: "new")))
                connection.send(lines: AgentLines.reply(AgentLines.snapshot()))
                connection.send(lines: AgentLines.reply(AgentLines.changed(4, to: up)))
                connection.waitForClose()
            }
        )
        let script = Self.directory.appending(path: "watch.py").path()
        let result = try await Self.run(
            """
            out=$(mktemp); export REACHAGENT_SOCKET=\(agent.path)
            python3 \(script) reachability.changed > "$out" 2>/dev/null & client=$!
            until grep -q '^4 ' "$out"; do sleep 0.05; done
            kill -KILL $client; cat "$out"; rm "$out"
            """
        )
        #expect(result.lines.map { $0.prefix { $0 != " " } } == ["-", "41", "42", "-", "4"])
        #expect(
            agent.requests.map { $0.replacing(" ", with: "") } == [
                #"{"method":"subscribe","parameters":{"types":["reachability.changed"]},"more":true}"#,
                #"{"method":"subscribe","parameters":{"since_seq":41,"types":["reachability.changed"],"stream":"\#(AgentLines.stream)"},"more":true}"#,
                #"{"method":"subscribe","parameters":{"since_seq":42,"types":["reachability.changed"],"stream":"\#(AgentLines.stream)"},"more":true}"#,
                #"{"method":"subscribe","parameters":{"types":["reachability.changed"]},"more":true}"#,
            ]
        )
    }

    /// Runs the Python client in a shell, with `$client` as its command.
    private static func python(_ command: String, at agent: ScriptedAgent) async throws -> FinishedCommand {
        let client = "python3 \(directory.appending(path: "watch.py").path())"
        return try await run("export REACHAGENT_SOCKET=\(agent.path); client='\(client)'; \(command)")
    }

    @Test(
        .enabled(if: has("python3"), "Python is not installed"),
        arguments: [("{ $client; echo $? >&2; } | head -n 1", "0"), ("$client >/dev/full; echo $? >&2", "75")]
    )
    func `the Python client ends when its output takes nothing more`(command: String, status: String) async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: AgentLines.reply(AgentLines.hello(0)))
            // More than a pipe holds: the last ones are not written before the reader has gone.
            for number in 1...5000 {
                let event = AgentLines.changed(UInt64(number), to: AgentLines.state(via: "wifi"))
                connection.send(lines: AgentLines.reply(event))
            }
            connection.waitForClose()
        })
        let result = try await Self.python(command, at: agent)
        let messages = result.error.split(separator: "\n")
        #expect(messages.last.map(String.init) == status, "\(result.error)")
        #expect(messages.count == (status == "0" ? 1 : 2), "\(result.error)")
        #expect(result.lines.map { $0.prefix { $0 != " " } } == (status == "0" ? ["1"] : []))
        #expect(agent.requests.count == 1)
    }

    @Test(.enabled(if: has("python3"), "Python is not installed"))
    func `the Python client ends with the message about a misspelt type`() async throws {
        let message = "unknown event type 'reachability.chnged'; did you mean 'reachability.changed'?"
        let refusal = ScriptedAgent.answer(AgentLines.error("invalid_parameters", #"{"message":"\#(message)"}"#))
        let agent = try ScriptedAgent(refusal, refusal)
        let result = try await Self.python("exec $client reachability.chnged", at: agent)
        #expect(result.status == 64)
        #expect(result.error == "reachagent: invalid_parameters \(message)\n")
        #expect(agent.requests.count == 1)
    }

    @Test(.enabled(if: has("python3"), "Python is not installed"))
    func `the check of a webhook's signature accepts the agent's alone, and raises nothing for the others`()
        async throws
    {
        let page = Self.directory.deletingLastPathComponent().appending(path: "docs/hooks.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```python\n").dropFirst()
        let block = try #require(blocks.first { $0.contains("def is_genuine") })
        let code = try #require(block.components(separatedBy: "```").first)
        let result = try await FinishedCommand.run(
            [
                "-c",
                code + """

                    def answer(signature=None, when=None, age=0, body=b"{}"):
                        when = when or str(int(time.time()) - age)
                        code = hmac.new(b"secret", f"s-1.{when}.".encode() + b"{}", hashlib.sha256).digest()
                        right = "v1," + base64.b64encode(code).decode()
                        headers = {"webhook-id": "s-1", "webhook-timestamp": when}
                        return tuple(is_genuine({**headers, "webhook-signature": given}, body, b"secret")
                                     for given in [signature or right, "v1,AAAA " + (signature or right)])

                    print(answer(), answer(age=400), answer(body=b"[]"), answer("v1,AAAA"))
                    print(answer("\\u00e9"), answer("\\udcff"), answer("v1,AAAA", when="never"))
                    print(is_genuine({}, b"", b"secret"))
                    """,
            ],
            of: "python3",
            patience: 30
        )
        let no = "(False, False)"
        #expect(result.lines == ["(True, True) \(no) \(no) \(no)", "\(no) \(no) \(no)", "False"])
    }
}
