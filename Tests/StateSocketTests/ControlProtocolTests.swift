import AgentEvents
import ForeignText
import Foundation
import Synchronization
import Testing

@testable import StateSocket

/// The answers of control.sock.
struct ControlProtocolTests {
    static let refusals: [(request: String, code: String, names: String)] = [
        (#"nonsense"#, "invalid_json", "JSON"),
        (#"{"method":"status""#, "invalid_json", "JSON"),
        (#"["status"]"#, "invalid_json", "JSON"),
        (#"{"method":"status"} {}"#, "invalid_json", "JSON"),
        (
            #"{"method":"status","parameters":{"a":\#(String(repeating: "[", count: 70))\#(String(repeating: "]", count: 70))}}"#,
            "invalid_json", "JSON"
        ),
        (#"{}"#, "invalid_request", "method"),
        (#"{"method":7}"#, "invalid_request", "method"),
        (#"{"method":"\ud800"}"#, "invalid_request", "method"),
        (#"{"method":"status","method":"status"}"#, "invalid_request", "method"),
        (#"{"method":"status","m\u0065thod":"status"}"#, "invalid_request", "method"),
        (#"{"method":"status","parameters":[]}"#, "invalid_request", "parameters"),
        (#"{"method":"status","parameters":null}"#, "invalid_request", "parameters"),
        (#"{"method":"status","more":1}"#, "invalid_request", "more"),
        (#"{"method":"status","oneway":true}"#, "invalid_request", "oneway"),
        (#"{"method":"dance"}"#, "unknown_method", "dance"),
        (#"{"method":"dance"}"#, "unknown_method", "status, subscribe, subscribers, probe, hooks, sink, reload"),
        (#"{"method":"Hook"}"#, "unknown_method", "did you mean 'hooks'?"),
        (#"{"method":"statsu"}"#, "unknown_method", "did you mean 'status'?"),
        (#"{"method":""}"#, "unknown_method", "''"),
        (#"{"method":"status","parameters":{"x":1}}"#, "invalid_parameters", "x"),
        (#"{"method":"subscribers","parameters":{"x":1}}"#, "invalid_parameters", "x"),
        (#"{"method":"probe","parameters":{"targets":[],"targets":[]}}"#, "invalid_parameters", "parameters.targets"),
        (#"{"method":"probe","parameters":{"targets":[]}}"#, "invalid_parameters", "targets"),
        (#"{"method":"probe","parameters":{"name":null}}"#, "invalid_parameters", "name"),
        (#"{"method":"reload","parameters":{"x":1}}"#, "invalid_parameters", "x"),
        (#"{"method":"hooks","parameters":{"x":1}}"#, "invalid_parameters", "x"),
        (#"{"method":"sink"}"#, "invalid_parameters", "status"),
        (#"{"method":"sink","parameters":{"status":{"name":"a"}}}"#, "invalid_parameters", "state"),
        (#"{"method":"sink","parameters":{"status":{"state":"waiting"}}}"#, "invalid_parameters", "name"),
        (#"{"method":"sink","parameters":{"status":{"name":"a","state":"absent"}}}"#, "invalid_parameters", "state"),
        (#"{"method":"sink","parameters":{"status":{"name":"","state":"waiting"}}}"#, "invalid_parameters", "name"),
        (
            #"{"method":"sink","parameters":{"status":{"name":"\#(String(repeating: "a", count: 65))","state":"waiting"}}}"#,
            "invalid_parameters", "name"
        ),
        (
            #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting","code":"A b"}}}"#,
            "invalid_parameters", "code"
        ),
        (
            #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting","acknowledged_seq":9223372036854775808}}}"#,
            "invalid_parameters", "acknowledged_seq"
        ),
        (
            #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting","since":"now"}}}"#,
            "invalid_parameters", "since"
        ),
        (
            #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting"},"lost":{"first_seq":9,"last_seq":8,"code":"x"}}}"#,
            "invalid_parameters", "lost"
        ),
        (
            #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting"},"lost":{"first_seq":0,"last_seq":8,"code":"x"}}}"#,
            "invalid_parameters", "lost"
        ),
        (
            #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting"},"bytes":-1}}"#,
            "invalid_parameters",
            "bytes"
        ),
        (#"{"method":"\u009b2J\u202e\u2028"}"#, "unknown_method", #"\\u{9b}2J\\u{202e}\\u{2028}"#),
        (#"{"\u009b":1}"#, "invalid_request", #"\\u{9b}"#),
        (#"{"method":"subscribe"}"#, "expected_more", "more"),
        (#"{"method":"subscribe","more":false}"#, "expected_more", "more"),
        (#"{"method":"subscribe","more":true,"parameters":{"type":["a"]}}"#, "invalid_parameters", "type"),
        (#"{"method":"subscribe","more":true,"parameters":{"types":"a"}}"#, "invalid_parameters", "types"),
        (#"{"method":"subscribe","more":true,"parameters":{"types":[]}}"#, "invalid_parameters", "types"),
        (#"{"method":"subscribe","more":true,"parameters":{"types":[1]}}"#, "invalid_parameters", "types"),
        (#"{"method":"subscribe","more":true,"parameters":{"types":["A b"]}}"#, "invalid_parameters", "types"),
        (#"{"method":"subscribe","more":true,"parameters":{"subjects":[["a"]]}}"#, "invalid_parameters", "subjects"),
        (#"{"method":"subscribe","more":true,"parameters":{"since_seq":-1}}"#, "invalid_parameters", "since_seq"),
        (#"{"method":"subscribe","more":true,"parameters":{"since_seq":1.5}}"#, "invalid_parameters", "since_seq"),
        (
            #"{"method":"subscribe","more":true,"parameters":{"since_seq":18446744073709551616}}"#,
            "invalid_parameters", "since_seq"
        ),
        (#"{"method":"subscribe","more":true,"parameters":{"since_time":1}}"#, "invalid_parameters", "since_time"),
        (
            #"{"method":"subscribe","more":true,"parameters":{"since_time":"2026-02-30T07:00:00Z"}}"#,
            "invalid_parameters", "RFC 3339"
        ),
        (
            #"{"method":"subscribe","more":true,"parameters":{"since_time":"2026-11-21T07:00:00+01:00"}}"#,
            "invalid_parameters", "RFC 3339"
        ),
        (
            #"{"method":"subscribe","more":true,"parameters":{"since_seq":1,"since_time":"2026-11-21T07:00:00Z"}}"#,
            "invalid_parameters", "exclude each other"
        ),
        (#"{"method":"subscribe","more":true,"parameters":{"stream":1}}"#, "invalid_parameters", "stream"),
        (#"{"method":"subscribe","more":true,"parameters":{"snapshot":"no"}}"#, "invalid_parameters", "snapshot"),
        (#"{"method":"subscribe","more":true,"parameters":{"stream":"other"}}"#, "stream_changed", "stream-a"),
        (
            #"{"method":"subscribe","more":true,"parameters":{"since_seq":18446744073709551615}}"#, "sequence_unknown",
            #""newest_seq":49"#
        ),
        (#"{"method":"subscribe","more":true,"parameters":{"since_seq":50}}"#, "sequence_unknown", #""newest_seq":49"#),
        (#"{"method":"subscribe","more":true,"parameters":{"since_seq":7}}"#, "events_expired", #""oldest_seq":50"#),
    ]

    @Test func `each error has its code, names the cause, and leaves the connection usable`() async throws {
        let replies = try await ServedStream.run(firstSequence: 50) { stream in
            let client = try Client(stream.control)
            return try Self.refusals.map { refusal in
                try client.send(refusal.request + "\n" + #"{"method":"status"}"# + "\n")
                return try client.lines(2)
            }
        }
        for (refusal, reply) in zip(Self.refusals, replies) {
            #expect(reply.count == 2)
            #expect(
                reply.first?.hasPrefix(#"{"error":"\#(refusal.code)","parameters":{"#) == true,
                "\(refusal) \(reply)"
            )
            #expect(reply.first?.contains(refusal.names) == true, "\(refusal) \(reply)")
            #expect(reply.last == #"{"parameters":{"connections":1}}"#)
        }
    }

    /// The methods that need no parameter.
    private static let methods = ControlMethod.all.filter { $0.name != "sink" }

    @Test func `a report reaches the agent as it was sent, and bounded`() throws {
        let line = #"""
            {"method":"sink","parameters":{"status":{"name":"fleet","broker":"nats://a.test","state":"connected",\#
            "since":"2026-11-21T07:00:00Z","code":"broker_too_large","detail":"a\u001b[2J","acknowledged_seq":41,\#
            "acknowledged_time":"2026-11-21T07:00:01.5Z","pending":7,"lost":3,"new":{"x":[1]}},"device":"edge-7","stream":"6f1c",\#
            "bytes":1234,"lost":{"first_seq":7,"last_seq":8,"code":"broker_too_large"}}}
            """#
        let start = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)
        let status = SinkStatus(
            name: "fleet",
            broker: "nats://a.test",
            state: .connected,
            since: start,
            code: "broker_too_large",
            detail: #"a\u{1b}[2J"#,
            acknowledged: 41,
            acknowledgedTime: Timestamp(microsecondsSince1970: start.microsecondsSince1970 + 1_500_000)
        )
        let loss = SinkLoss(sink: "fleet", firstSequence: 7, lastSequence: 8, code: "broker_too_large")
        let report = SinkReport(status: status, device: "edge-7", stream: "6f1c", bytes: 1234, lost: loss)
        #expect(try ControlRequest(parsing: Array(line.utf8)).call() == .ask(.sink(report)))
        let long = String(repeating: "x", count: 5000)
        let shortened = #"{"method":"sink","parameters":{"status":{"name":"a","state":"waiting","detail":"\#(long)"}}}"#
        guard case .ask(.sink(let bounded)) = try ControlRequest(parsing: Array(shortened.utf8)).call() else {
            Issue.record("no report")
            return
        }
        #expect((bounded.status.detail?.utf8.count ?? 0) < 600 && bounded.bytes == 0 && bounded.lost == nil)
        // A report without a target is about none of the agent's sinks.
        #expect(bounded.target == SinkTarget(broker: "", device: ""))
    }

    @Test func `a sink report is read as it was written`() throws {
        // The agent compares the broker, and a cluster has many servers.
        let cluster = (1...16).map { "tls://node-\($0).\(String(repeating: "x", count: 60)).test:4223" }
        for broker in ["b", cluster.joined(separator: ",")] {
            let status = SinkStatus(name: "a", broker: broker, state: .waiting, acknowledged: 7, lost: 0)
            let report = SinkReport(status: status, device: "edge-7", stream: "s", bytes: 5)
            let text = String(decoding: JSONWriter.text(of: report), as: UTF8.self)
            let line = #"{"method":"sink","parameters":\#(text)}"#
            #expect(try ControlRequest(parsing: Array(line.utf8)).call() == .ask(.sink(report)))
        }
    }

    @Test func `every method of the table answers`() async throws {
        let replies = try await ServedStream.run { stream in
            try Self.methods.map { method in
                let client = try Client(stream.control)
                try client.send(#"{"method":"\#(method.name)","more":true}"# + "\n")
                return try client.line()
            }
        }
        for (method, reply) in zip(Self.methods, replies) {
            #expect(reply?.hasPrefix(#"{"parameters":{"#) == true, "\(method.name): \(reply ?? "")")
        }
    }

    @Test func `the documentation has the methods of the table, with their parameters and replies`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = try #require(lines.split(separator: "| Method | Parameters | Replies |").last).dropFirst()
            .prefix { $0.hasPrefix("|") }
        let expected = ControlMethod.all.map { method in
            let parameters = method.parameters.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(method.name)` |\(parameters.isEmpty ? "" : " \(parameters)") | \(method.replies) |"
        }
        #expect(Array(rows) == expected)
    }

    @Test func `every parameter of the table is read`() throws {
        for method in ControlMethod.all {
            for parameter in method.parameters {
                // No parameter is an array of numbers: the error names it, and says what it must be.
                let line = #"{"method":"\#(method.name)","parameters":{"\#(parameter)":[1]},"more":true}"#
                let failure = #expect(throws: ControlFailure.self) {
                    try ControlRequest(parsing: Array(line.utf8)).call()
                }
                #expect(failure?.message.contains("the parameter '\(parameter)' must be") == true, "\(method.name)")
            }
        }
    }

    @Test func `bytes that are not text are invalid JSON`() async throws {
        let reply = try await ServedStream.run { stream in
            let client = try Client(stream.control)
            try client.send(Array(#"{"method":""#.utf8) + [0xFF, 0xC0] + Array("\"}\n".utf8))
            return try client.line()
        }
        #expect(reply?.hasPrefix(#"{"error":"invalid_json""#) == true)
    }

    @Test func `requests may come in pieces, with CR, with empty lines between, and without a last newline`()
        async throws
    {
        let replies = try await ServedStream.run { stream in
            let client = try Client(stream.control)
            let text =
                "\r\n\n  \n{\"method\":\"status\"}\r\n{\"method\" : \"probe\" , \"parameters\" : {} }\n{\"method\":\"status\"}"
            for byte in Array(text.utf8) { try client.send([byte]) }
            client.shutSending()
            return try client.linesToEnd()
        }
        #expect(
            replies == [
                #"{"parameters":{"connections":1}}"#, #"{"parameters":{"did":"check(probe: nil)"}}"#,
                #"{"parameters":{"connections":1}}"#,
            ]
        )
    }

    @Test(arguments: [4096, 1 << 20])
    func `a line that is too long is answered once and skipped`(length: Int) async throws {
        let replies = try await ServedStream.run(configure: { $0.maximumRequestBytes = 1024 }) { stream in
            let client = try Client(stream.control)
            try client.send([UInt8](repeating: UInt8(ascii: "x"), count: length))
            try client.send("\n" + #"{"method":"status"}"# + "\n")
            return try client.lines(2)
        }
        #expect(replies.first?.hasPrefix(#"{"error":"line_too_long""#) == true)
        #expect(replies.last == #"{"parameters":{"connections":1}}"#)
    }

    @Test func `replies keep the order of the requests, however late an answer is`() async throws {
        let (replies, calls) = try await ServedStream.run { stream in
            stream.agent.answersAtOnce.withLock { $0 = false }
            let client = try Client(stream.control)
            try client.send(
                #"{"method":"probe","parameters":{"name":"a\n"}}"# + "\n" + #"{"method":"status"}"# + "\n"
            )
            try client.send(#"{"method":"reload"}"# + "\n")
            #expect(stream.waitForCalls(2))
            let calls = stream.agent.calls.withLock { $0 }
            try #require(calls.count == 2)
            calls[1].reply(.failure(code: .tooManyChecks, message: "none", retryAfter: .microseconds(1500)))
            calls[0].reply(.parameters(Array(#"{"a":1}"#.utf8)))
            calls[0].reply(.parameters(Array(#"{"a":2}"#.utf8)))
            return (try client.lines(3), calls)
        }
        #expect(calls.map(\.request) == [.check(probe: "a\n"), .reload])
        #expect(calls.map(\.user) == [getuid(), getuid()])
        #expect(
            replies == [
                #"{"parameters":{"a":1}}"#, #"{"parameters":{"connections":1}}"#,
                #"{"error":"too_many_checks","parameters":{"message":"none","retry_after_ms":2}}"#,
            ]
        )
    }

    @Test func `a seventeenth unanswered request is an error, and reading stops before memory is used`() async throws {
        let (replies, sent) = try await ServedStream.run { stream in
            stream.agent.answersAtOnce.withLock { $0 = false }
            let client = try Client(stream.control)
            let lines = Array(String(repeating: #"{"method":"probe"}"# + "\n", count: 1000).utf8)
            let sent = client.sendWhileRead(lines, limit: 64 << 20)
            #expect(stream.waitForCalls(16))
            stream.agent.answersAtOnce.withLock { $0 = true }
            for call in stream.agent.calls.withLock({ $0 }) { call.reply(.parameters(Array("{}".utf8))) }
            return (try client.lines(17), sent)
        }
        #expect(replies.prefix(16).allSatisfy { $0 == #"{"parameters":{}}"# })
        #expect(replies.last?.hasPrefix(#"{"error":"too_many_requests""#) == true)
        #expect(sent < 4 << 20)
    }

    @Test func `a client that sends requests and never reads is no longer read from`() async throws {
        let sent = try await ServedStream.run { stream in
            let client = try Client(stream.control)
            let lines = Array(String(repeating: #"{"method":"subscribers"}"# + "\n", count: 1000).utf8)
            let sent = client.sendWhileRead(lines, limit: 64 << 20)
            // Others are still served.
            let other = try Client(stream.control)
            try other.send(#"{"method":"status"}"# + "\n")
            guard try other.line() == #"{"parameters":{"connections":2}}"# else { return Int.max }
            return sent
        }
        #expect(sent < 4 << 20)
    }

    @Test func `subscribers lists the connected clients and their state`() async throws {
        let text = try await ServedStream.run { stream in
            stream.publish()
            let events = try Client(stream.events)
            _ = try events.lines(2)
            let filtered = try Client(stream.control)
            try filtered.send(
                #"{"method":"subscribe","more":true,"parameters":{"types":["path.*"],"subjects":["x"],"since_seq":0}}"#
                    + "\n"
            )
            _ = try filtered.line()
            let client = try Client(stream.control)
            try client.send(#"{"method":"subscribers"}"# + "\n")
            return try client.line() ?? ""
        }
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
        let list = try #require(object["parameters"]?["subscribers"] as? [[String: Any]])
        #expect(list.count == 3)
        #expect(list.map { $0["socket"] as? String } == ["events", "control", "control"])
        #expect(
            list.allSatisfy {
                $0["pid"] as? Int32 == getpid() && $0["uid"] as? UInt32 == getuid() && $0["command"] is String
            }
        )
        #expect(list[1]["types"] as? [String] == ["path.*"])
        #expect(list[1]["subjects"] as? [String] == ["x"])
        #expect(list[1]["state"] as? String == "live")
        #expect(list[1]["next_seq"] as? Int == 2)
        #expect(list[1]["connected"] is String)
        #expect(list[0]["lines"] as? Int == 2)
        #expect(list[2]["state"] as? String == "idle")
        #expect(list[2]["next_seq"] == nil)
    }
}
