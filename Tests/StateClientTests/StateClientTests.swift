import AgentTestKit
import Glibc
import Testing

@testable import StateClient

/// One question, one answer.
@Suite struct StateClientTests {
    @Test func `the reply's parameters are returned unchanged`() async throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            // A reply in three pieces, with what a newer agent might add.
            for piece in [#"{"new":[{"a":"}\""}], "par"#, #"ameters": {"x": [1, {}], "y":"é"}"#, ",\"z\":1.5e3}\n"] {
                connection.send(piece)
            }
        })
        let reply = try await StateClient(socket: agent.path).call("status", parameters: Array("{\n\"a\":\n1}".utf8))
        #expect(String(decoding: reply, as: UTF8.self) == #"{"x": [1, {}], "y":"é"}"#)
        #expect(agent.requests == [#"{"method":"status","parameters":{ "a": 1}}"#])
    }

    @Test func `a reply is decoded`() async throws {
        struct Reply: Decodable, Equatable { let connections: Int }
        let agent = try ScriptedAgent(
            {
                $0.readLine()
                $0.send(lines: #"{"parameters":{"connections":3}}"#)
            },
            {
                $0.readLine()
                $0.send(lines: #"{"parameters":{"connections":"3"}}"#)
            }
        )
        let client = StateClient(socket: agent.path)
        #expect(try await client.call("status", as: Reply.self) == Reply(connections: 3))
        let flaw = "the reply to 'status' has an unexpected form: connections: expected a whole number, got string"
        await #expect(throws: StateClientError.malformed(flaw)) { try await client.call("status", as: Reply.self) }
    }

    @Test(
        "a reply that cannot be decoded names the member and the reason, in at most a line",
        arguments: [
            ("{}", "agent: missing"), (#"{"agent":{}}"#, "agent.version: missing"),
            (#"{"agent":7}"#, "agent: expected an object, got number"),
            (#"{"agent":{"version":[]}}"#, "agent.version: expected a string, got array"),
            (
                "{\"agent\":{\"version\":\"1\",\"counts\":{\"\u{9B}2Jé\u{202E}\":\"x\"}}}",
                #"agent.counts.\u{9b}2Jé\u{202e}: expected a whole number, got string"#
            ),
            (
                #"{"agent":{"version":"1","counts":{"\#(String(repeating: "x", count: 1000))":"x"}}}"#,
                "agent.counts.\(String(repeating: "x", count: 243))…"
            ),
            ("[", "not a JSON text on one line"),
        ]
    )
    func undecodable(_ reply: String, _ reason: String) {
        struct Reply: Decodable {
            struct Agent: Decodable {
                let version: String
                let counts: [String: Int]
            }
            let agent: Agent
        }
        let flaw = StateClientError.malformed("the reply to 'status' has an unexpected form: \(reason)")
        #expect(throws: flaw) { try StateClient.decode(Reply.self, from: Array(reply.utf8), to: "status") }
    }

    @Test(
        "the names of a dictionary may be numbers, or have escapes",
        arguments: [
            (#"{"1":10,"2":20,"3":30}"#, ["1": 10, "2": 20, "3": 30]),
            (#"{"a\"b":1,"\u0031":2,"c":3}"#, ["a\"b": 1, "1": 2, "c": 3]),
            (#"{"\n":1,"\\n":2}"#, ["\n": 1, "\\n": 2]),
        ] as [(String, [String: Int])]
    )
    func dictionaries(_ reply: String, _ expected: [String: Int]) throws {
        #expect(try StateClient.decode([String: Int].self, from: Array(reply.utf8), to: "status") == expected)
    }

    @Test func `an event that cannot be decoded names its type, the member and the reason`() {
        struct Content: Decodable { let seq: String }
        func flaw(_ type: String) -> StateClientError? {
            let line = StreamLine(Array(#"{"type":"\#(type)","data":{"seq":1}}"#.utf8))
            return #expect(throws: StateClientError.self) { _ = try line?.decodeData(Content.self) }
        }
        let reason = "has an unexpected form: data.seq: expected a string, got number"
        #expect(flaw("x.y") == .malformed("an event of type 'x.y' \(reason)"))
        let long = String(repeating: "y", count: 1000)
        #expect(flaw(long) == .malformed("an event of type '\(long.prefix(64))…' \(reason)"))
        #expect(flaw("\u{9B}2J") == .malformed(#"an event of type '\u{9b}2J' \#(reason)"#))
    }

    @Test func `an error reply is an error with its code and message`() async throws {
        let agent = try ScriptedAgent({
            $0.readLine()
            $0.send(lines: AgentLines.error("no_probe_configured", #"{"message":"there is no probe"}"#))
        })
        let error = StateClientError.refused(code: "no_probe_configured", message: "there is no probe")
        await #expect(throws: error) { try await StateClient(socket: agent.path).call("probe") }
        #expect(error.description == "there is no probe [no_probe_configured]")
    }

    @Test(
        "a malformed reply is an error",
        arguments: [
            "", "x", "[]", "{", #"{"parameters":{]}"#, #"{"parameters":[]}"#, #"{"parameters":1}"#, #"{"error":1}"#,
            // The other socket answers a request with its first event.
            #"{"specversion":"1.0","id":"0-u1","source":"/reachagent/a","type":"reachagent.agent.hello","data":{}}"#,
            "HTTP/1.1 400 Bad Request\r",
        ]
    )
    func malformed(_ reply: String) async throws {
        let agent = try ScriptedAgent({
            $0.readLine()
            $0.send(lines: reply)
        })
        do throws(StateClientError) {
            let bytes = try await StateClient(socket: agent.path).call("status")
            Issue.record("\(String(decoding: bytes, as: UTF8.self))")
        } catch {
            guard case .malformed = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `a connection that ends before the reply is complete is an error`() async throws {
        let agent = try ScriptedAgent({
            $0.readLine()
            $0.send(#"{"parameters":{}}"#)
        })
        let path = agent.path
        await #expect(throws: StateClientError.disconnected(socket: path)) {
            try await StateClient(socket: path).call("status")
        }
    }

    @Test func `a missing agent and a timeout are different errors`() async throws {
        let nowhere = try ScriptedAgent.newPath()
        await #expect(throws: StateClientError.noAgent(socket: nowhere, errno: ENOENT)) {
            try await StateClient(socket: nowhere).call("status")
        }
        let silent = try ScriptedAgent({ $0.waitForClose() })
        let path = silent.path
        await #expect(throws: StateClientError.timedOut(socket: path)) {
            try await StateClient(socket: path).call("status", timeout: .milliseconds(50))
        }
    }

    @Test func `an agent that accepts no connection is given up in time`() async throws {
        let (hold, release) = AsyncStream.makeStream(of: Void.self)
        let agent = try ScriptedAgent(
            backlog: 0,
            { connection in
                connection.waitForClose()
                _ = hold
            }
        )
        defer { release.finish() }
        let path = agent.path
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do throws(StateClientError) {
                        _ = try await StateClient(socket: path).call("status", timeout: .milliseconds(300))
                        return false
                    } catch {
                        if case .timedOut = error { return true }
                        if case .disconnected = error { return true }
                        if case .noAgent = error { return true }
                        return false
                    }
                }
            }
            for await isExpected in group { #expect(isExpected) }
        }
    }

    @Test func `a cancelled task waits no longer`() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let agent = try ScriptedAgent({
            $0.readLine()
            continuation.yield()
            $0.waitForClose()
        })
        let path = agent.path
        let task = Task { () throws(StateClientError) in
            try await StateClient(socket: path).call("status", timeout: .seconds(60))
        }
        for await _ in asked { break }
        task.cancel()
        await #expect(throws: StateClientError.cancelled) { try await task.value }
    }

    @Test("an invalid socket path is an error", arguments: ["", String(repeating: "x", count: 108), "a\u{0}b"])
    func badPath(_ path: String) async throws {
        do throws(StateClientError) {
            _ = try await StateClient(socket: path).call("status")
            Issue.record("\(path) was used")
        } catch {
            #expect(error.description.contains("1 to 107 bytes"))
        }
    }
}
