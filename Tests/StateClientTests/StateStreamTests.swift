import AgentEvents
import AgentTestKit
import Foundation
import Glibc
import Testing

@testable import StateClient

/// The stream over real sockets, from a server that does as it is told.
@Suite struct StateStreamTests {
    /// The first items of a stream, each in a few words, until one of them is `last`.
    private func items(
        _ stream: StateStream,
        until last: String,
        withInterruptions: Bool = false
    ) async throws(StateClientError) -> [String] {
        var texts: [String] = []
        for try await item in stream {
            let text = Self.text(item)
            if withInterruptions || !text.hasPrefix("interrupted") { texts.append(text) }
            if text == last || texts.count > 5000 { break }
        }
        return texts
    }

    private static func text(_ item: StreamItem) -> String {
        switch item {
        case .connected(let hello): "hello \(hello.sequence)"
        case .snapshot: "snapshot"
        case .event(let line): "event \(line.sequence ?? 0)"
        case .interrupted(let error, _): "interrupted: \(error)"
        case .missed(let range): "missed \(range)"
        case .dropped(let count): "dropped \(count)"
        case .restarted(_, let stream): "restarted \(stream)"
        }
    }

    private static func reply(_ event: String) -> String { AgentLines.reply(event) }

    @Test func `a server that dies in mid-line, sends duplicates, and renumbers costs no event`() async throws {
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(41)), Self.reply(AgentLines.snapshot()))
                connection.send(lines: Self.reply(AgentLines.path(42)))
                // A whole event, but for the end of its line.
                connection.send(Self.reply(AgentLines.path(43)))
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(42)), Self.reply(AgentLines.path(42)))
                connection.send(lines: Self.reply(AgentLines.path(43)), "{\"parameters\":{\"type\":")
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.error("stream_changed", #"{"stream":"new"}"#))
            },
            { connection in
                connection.readLine()
                connection.send(
                    lines: Self.reply(AgentLines.hello(3, stream: "new")),
                    Self.reply(AgentLines.snapshot())
                )
                connection.send(lines: Self.reply(AgentLines.path(4)))
                connection.waitForClose()
            }
        )
        let stream = StateClient(socket: agent.path).events()
        let texts = try await items(stream, until: "event 4")
        #expect(
            texts == [
                "hello 41", "snapshot", "event 42", "hello 42", "event 43", "hello 3", "restarted new", "snapshot",
                "event 4",
            ]
        )
        let asked = agent.requests.map { $0.dropFirst(#"{"method":"subscribe","parameters":"#.count) }
        #expect(
            asked == [
                #"{},"more":true}"#, #"{"since_seq":42,"stream":"\#(AgentLines.stream)"},"more":true}"#,
                #"{"since_seq":43,"stream":"\#(AgentLines.stream)"},"more":true}"#, #"{},"more":true}"#,
            ]
        )
    }

    @Test func `an agent that is not there yet is waited for`() async throws {
        let temporary = try TemporaryDirectory()
        defer { withExtendedLifetime(temporary) {} }
        let directory = "\(temporary.path)/made"
        let path = "\(directory)/control.sock"
        let iterator = StateClient(socket: path).events().makeAsyncIterator()
        let first = try await iterator.next()
        guard case .interrupted(.noAgent(path, ENOENT), _)? = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let agent = try ScriptedAgent(
            at: path,
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(41)))
                connection.waitForClose()
            }
        )
        var version: String?
        while version == nil, let item = try await iterator.next() {
            if case .connected(let hello) = item { version = hello.version }
        }
        #expect(version == "0.1.0")
        #expect(agent.requests.count == 1)
    }

    @Test func `a subscriber that was too slow resumes where it was`() async throws {
        let lagged = #"{"type":"reachagent.subscriber.lagged","data":{"last_seq":42}}"#
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(41)), Self.reply(AgentLines.path(42)))
                connection.send(lines: AgentLines.error("subscriber_lagged", lagged))
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.error("too_many_connections", #"{"limit":2}"#))
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(42)), Self.reply(AgentLines.path(43)))
                connection.send(lines: AgentLines.error("agent_stopping", #"{"last_seq":43}"#))
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(43)), Self.reply(AgentLines.path(44)))
                connection.waitForClose()
            }
        )
        let stream = StateClient(socket: agent.path).events()
        let texts = try await items(stream, until: "event 44", withInterruptions: true)
        #expect(
            texts == [
                "hello 41", "event 42", "interrupted: the agent refused: subscriber_lagged",
                "interrupted: the agent has reached its connection limit (2) [too_many_connections]", "hello 42",
                "event 43", "interrupted: the agent refused: agent_stopping", "hello 43", "event 44",
            ]
        )
    }

    @Test func `dropped unnumbered events are reported before the next one, and interrupt nothing`() async throws {
        let check = #"{"type":"reachagent.probe.completed","data":{}}"#
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: Self.reply(AgentLines.hello(41)), Self.reply(check))
            connection.send(lines: #"{"parameters":\#(check),"dropped":12,"continues":true}"#)
            connection.send(lines: Self.reply(check), Self.reply(AgentLines.path(42)))
            connection.waitForClose()
        })
        let subscription = StateSubscription(types: ["probe.completed", "path.changed"])
        let stream = StateClient(socket: agent.path).events(subscription)
        let texts = try await items(stream, until: "event 42", withInterruptions: true)
        #expect(texts == ["hello 41", "event 0", "dropped 12", "event 0", "event 0", "event 42"])
    }

    @Test func `many events arrive in order at a consumer that is slower than the agent`() async throws {
        let count: UInt64 = 4000
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: Self.reply(AgentLines.hello(0)))
            var text = ""
            for number in 1...count { text += Self.reply(AgentLines.path(number)) + "\n" }
            connection.send(text)
            connection.waitForClose()
        })
        var last: UInt64 = 0
        for try await item in StateClient(socket: agent.path).events() {
            guard case .event(let line) = item else { continue }
            #expect(line.sequence == last + 1)
            last += 1
            if last % 500 == 0 { await Task.yield() }
            if last == count { break }
        }
        #expect(last == count)
    }

    @Test func `a cancelled task sees the end of the stream, and the connection is closed`() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
        let (connected, connectedContinuation) = AsyncStream.makeStream(of: Void.self)
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connectedContinuation.yield()
            connection.waitForClose()
            continuation.yield()
        })
        let path = agent.path
        let task = Task { () throws(StateClientError) -> Int in
            var count = 0
            for try await _ in StateClient(socket: path).events() { count += 1 }
            return count
        }
        for await _ in connected { break }
        task.cancel()
        #expect(try await task.value == 0)
        for await _ in closed { break }
    }

    @Test func `without reconnecting the loss is thrown`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: Self.reply(AgentLines.hello(41)))
        })
        let path = agent.path
        let stream = StateClient(socket: path).events(StateSubscription(reconnects: false))
        await #expect(throws: StateClientError.disconnected(socket: path)) {
            _ = try await items(stream, until: "never")
        }
    }

    @Test func `a rejected subscription is thrown`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: AgentLines.error("invalid_parameters", #"{"message":"no such type 'x'"}"#))
        })
        let stream = StateClient(socket: agent.path).events(StateSubscription(types: ["x"]))
        let expected = StateClientError.refused(code: "invalid_parameters", message: "no such type 'x'")
        await #expect(throws: expected) { _ = try await items(stream, until: "never") }
    }

    @Test(
        "at another of the agent's sockets the stream ends with the name of the right one",
        arguments: [AgentLines.hello(41), "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r"]
    )
    func otherSocket(_ lines: String) async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: lines)
            connection.waitForClose()
        })
        do throws(StateClientError) {
            let stream = StateClient(socket: agent.path).events()
            let texts = try await items(stream, until: "never", withInterruptions: true)
            Issue.record("\(texts)")
        } catch {
            guard case .malformed(let reason) = error, reason.contains("control.sock") else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(
        "a line that is not an event is an error, and the stream continues",
        arguments: [
            "", "x", "{}", "[]", #"{"parameters":{}}"#, #"{"parameters":[1]}"#, #"{"parameters":{"type":"x"}"#,
            #"{"error":7}"#, #"{"parameters":{"type":"x"},"dropped":"12"}"#, #"{"parameters":{"type":"x","seq":0}}"#,
            "{\"parameters\":{\"type\":\"\u{1}\"}}",
        ]
    )
    func malformed(_ line: String) async throws {
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(41)), line)
                connection.waitForClose()
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.reply(AgentLines.hello(41)), Self.reply(AgentLines.path(42)))
                connection.waitForClose()
            }
        )
        let stream = StateClient(socket: agent.path).events()
        let texts = try await items(stream, until: "event 42", withInterruptions: true)
        #expect(texts.count == 4)
        #expect(texts[1].hasPrefix("interrupted: the agent's answer cannot be understood: "))
    }
}
