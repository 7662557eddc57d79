import AgentTestKit
import FoundationEssentials
import Sinks
import Testing

@testable import Brokers

/// The conversation with JetStream, without a server.
struct JetStreamSessionTests {
    private static let start = ContinuousClock.now

    private static func session(stream: String? = nil) throws -> JetStreamSession {
        let settings = try natsSink(4222) { $0.stream = stream }
        return try JetStreamSession(settings, template: settings.template(), token: "T")
    }

    /// A session that has begun to ship.
    private static func ready() throws -> JetStreamSession {
        var session = try session(stream: "REACH")
        _ = session.handle(.opened(maximumPayload: 1 << 20), at: start)
        let outputs = session.handle(
            answer(1, #"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#),
            at: start
        )
        #expect(outputs == [.report(.connected(newest: nil))])
        return session
    }

    private static func answer(_ number: Int, _ json: String) -> NATSInput {
        .message(NATSMessage(subject: "_INBOX.edge7.T.\(number)", payload: Array(json.utf8)))
    }

    private static func stored(_ number: Int, _ sequence: Int) -> NATSInput {
        answer(number, #"{"stream":"REACH","seq":\#(sequence)}"#)
    }

    @Test func `the stream is found by the subject, and its newest event is requested`() throws {
        var session = try Self.session()
        let first = session.handle(.opened(maximumPayload: 1 << 20), at: Self.start)
        #expect(
            first == [
                .send(
                    NATSRequest(
                        subject: "$JS.API.STREAM.NAMES",
                        reply: "_INBOX.edge7.T.1",
                        payload: Array(#"{"subject":"reachagent.edge7.>"}"#.utf8)
                    )
                )
            ]
        )
        let second = session.handle(Self.answer(1, #"{"total":1,"streams":["REACH"]}"#), at: Self.start)
        #expect(
            second == [
                .send(
                    NATSRequest(
                        subject: "$JS.API.STREAM.MSG.GET.REACH",
                        reply: "_INBOX.edge7.T.2",
                        payload: Array(#"{"last_by_subj":"reachagent.edge7.>"}"#.utf8)
                    )
                )
            ]
        )
        #expect(session.publish(natsMessage(1), at: Self.start).isEmpty, "not before it is known where to go on")
    }

    /// Answers that no server would give, and what becomes of the connection.
    private static let hostile: [(String, String)] = [
        ("", "broker_protocol"),
        ("{", "broker_protocol"),
        ("[]", "broker_protocol"),
        ("null", "broker_protocol"),
        (#"{"streams":["a.b"]}"#, "broker_protocol"),
        (#"{"streams":["a>"]}"#, "broker_protocol"),
        (#"{"streams":["a b"]}"#, "broker_protocol"),
        (#"{"streams":[""]}"#, "broker_protocol"),
        (#"{"streams":["\#(String(repeating: "a", count: 256))"]}"#, "broker_protocol"),
        (#"{"streams":[]}"#, "broker_no_stream"),
        (#"{"streams":null}"#, "broker_no_stream"),
        (#"{"streams":[1,2]}"#, "broker_no_stream"),
        (#"{"streams":["A","B"]}"#, "broker_no_stream"),
        (#"{"error":7}"#, "broker_no_stream"),
        (#"{"error":{"code":503,"err_code":10008,"description":"down\u001b[2J"}}"#, "broker_timeout"),
        (#"{"error":{"code":503,"err_code":10076,"description":"down\u001b[2J"}}"#, "broker_no_stream"),
        (String(repeating: "[", count: 100_000), "broker_protocol"),
        (#"{"streams":[\#(String(repeating: "\"a\",", count: 5000))"a"]}"#, "broker_protocol"),
    ]

    @Test(arguments: hostile)
    func `an answer that names no stream ends the connection`(answer: String, code: String) throws {
        var session = try Self.session()
        _ = session.handle(.opened(maximumPayload: 1 << 20), at: Self.start)
        let outputs = session.handle(Self.answer(1, answer), at: Self.start)
        let failure = try #require(outputs.failure)
        #expect(failure.code == code && !failure.detail.contains("\u{1b}"))
        #expect(session.deadline == nil)
    }

    @Test(arguments: [
        ("", "broker_protocol"), ("{}", "broker_protocol"), (#"{"message":{}}"#, "broker_protocol"),
        (#"{"message":{"subject":"s","seq":0,"data":""}}"#, "broker_protocol"),
        (#"{"message":{"subject":"s","seq":1,"data":"*"}}"#, "broker_protocol"),
        (#"{"message":{"subject":"s","seq":1,"data":7}}"#, "broker_protocol"),
        (#"{"message":{"subject":"s","seq":1}}"#, "broker_conflict"),
        (newest(subject: String(repeating: "s", count: 1025)), "broker_protocol"),
        // TkFUUy8xLjANCg0K is an empty header.
        (#"{"message":{"subject":"s","seq":1,"hdrs":"TkFUUy8xLjANCg0K","data":"e30="}}"#, "broker_conflict"),
        (#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#, "broker_no_stream"),
    ])
    func `an invalid newest event ends the connection`(answer: String, code: String) throws {
        var session = try Self.session(stream: "REACH")
        _ = session.handle(.opened(maximumPayload: 1 << 20), at: Self.start)
        let outputs = session.handle(Self.answer(1, answer), at: Self.start)
        let failure = try #require(outputs.failure)
        #expect(failure.code == code)
    }

    /// A reply whose newest event has this subject.
    private static func newest(subject: String) -> String {
        let header = base64("NATS/1.0\r\nNats-Msg-Id: edge7.0123456789abcdef-1\r\n\r\n")
        let event = base64(#"{"type":"agent.started","seq":1,"time":"2026-11-21T07:00:00Z"}"#)
        return #"{"message":{"subject":"\#(subject)","seq":1,"hdrs":"\#(header)","data":"\#(event)"}}"#
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    @Test func `long names of combining marks are compared in linear time`() throws {
        let growth = try CostGrowth.measure(3, noise: 0.002) { index in
            let marks = String(repeating: "\u{301}\u{323}", count: 12_500 << index)
            var opening = try Self.session(stream: "REACH")
            _ = opening.handle(.opened(maximumPayload: 1 << 20), at: Self.start)
            var shipping = try Self.ready()
            _ = shipping.publish(natsMessage(1), at: Self.start)
            let acknowledgement = Self.answer(2, #"{"stream":"\#(marks)","seq":1}"#)
            return CostGrowth.seconds {
                _ = opening.handle(Self.answer(1, Self.newest(subject: marks)), at: Self.start)
                _ = shipping.handle(acknowledgement, at: Self.start)
            }
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(arguments: [
        ("s-1", "edge7.s-1"), ("s~2-7", "edge7.s~2-7"), ("edge7.s-1", "edge7.edge7.s-1"),
        ("edge.s-1", "edge7.edge.s-1"),
    ])
    func `an id in a stream begins with the device`(id: String, header: String) {
        #expect(NATSMessageID.header(id, device: "edge7") == header)
        #expect(NATSMessageID.id(in: header, device: "edge7") == id)
    }

    @Test(arguments: ["", "s-1", "edge7", "edge77.s-1", "edge.s-1", "Edge7.s-1", ".s-1"])
    func `an id in a stream without this device is left as it is`(header: String) {
        #expect(NATSMessageID.id(in: header, device: "edge7") == header)
    }

    @Test func `a guarded event is sent alone, and the others after its answer`() throws {
        var session = try Self.ready()
        #expect(session.publish(natsMessage(1), at: Self.start).sent.map(\.expected) == [nil])
        #expect(session.handle(Self.stored(2, 10), at: Self.start) == [.report(.acknowledged(1))])
        // The newest of the subject is known now, and nothing is in flight.
        #expect(session.publish(natsMessage(2), at: Self.start).sent.map(\.expected) == ["10"])
        #expect(session.publish(natsMessage(3), at: Self.start).isEmpty)
        #expect(session.publish(natsMessage(4, type: "target.changed"), at: Self.start).isEmpty)
        let outputs = session.handle(Self.stored(3, 17), at: Self.start)
        #expect(outputs.first == .report(.acknowledged(2)))
        #expect(outputs.sent.map(\.expected) == [nil, nil], "17 is not to be promised while another one is in flight")
    }

    @Test func `a guard on a subject whose messages are gone is dropped`() throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        _ = session.handle(Self.stored(2, 10), at: Self.start)
        _ = session.publish(natsMessage(2), at: Self.start)
        let gone =
            #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 0"},"stream":"REACH","seq":0}"#
        let outputs = session.handle(Self.answer(3, gone), at: Self.start)
        #expect(outputs.sent.map(\.expected) == [nil] && outputs.count == 1)
        #expect(session.handle(Self.stored(4, 11), at: Self.start) == [.report(.acknowledged(2))])
    }

    @Test func `a wrong last sequence of an event without a guard ends the connection, and is not sent again`() throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        let gone = #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 0"},"seq":0}"#
        let outputs = session.handle(Self.answer(2, gone), at: Self.start)
        #expect(outputs.sent.isEmpty)
        #expect(outputs.failure?.code == "broker_conflict")
    }

    @Test(arguments: [1, 11, 100])
    func `a guard that does not hold is a conflict`(newest: Int) throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        _ = session.handle(Self.stored(2, 10), at: Self.start)
        _ = session.publish(natsMessage(2), at: Self.start)
        let other = #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: \#(newest)0"},"seq":0}"#
        let outputs = session.handle(Self.answer(3, other), at: Self.start)
        let failure = try #require(outputs.failure)
        #expect(failure.code == "broker_conflict")
    }

    @Test func `a wrong last sequence without its number is a conflict`() throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        _ = session.handle(Self.stored(2, 10), at: Self.start)
        _ = session.publish(natsMessage(2), at: Self.start)
        let other = #"{"error":{"code":400,"err_code":10164,"description":"wrong last sequence"},"seq":0}"#
        let outputs = session.handle(Self.answer(3, other), at: Self.start)
        #expect(try #require(outputs.failure).code == "broker_conflict")
    }

    @Test(arguments: [
        (503, 10_008, "JetStream system temporarily unavailable"), (409, 10_158, "duplicate message id is in process"),
        (503, 10_163, "expected last sequence per subject temporarily unavailable"), (429, 10_167, "too many requests"),
    ])
    func `an error that passes is a timeout, after which the event is sent again`(
        status: Int,
        number: Int,
        text: String
    ) throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        let error = #"{"error":{"code":\#(status),"err_code":\#(number),"description":"\#(text)"},"seq":0}"#
        let failure = TransportFailure(
            code: "broker_timeout",
            detail: "the stream 'REACH' refuses the event: \(text)"
        )
        #expect(session.handle(Self.answer(2, error), at: Self.start) == [.report(.refused(1, failure))])
    }

    @Test func `the first event of a connection is sent alone, and a full stream takes none of the later ones`() throws
    {
        var session = try Self.ready()
        #expect(session.publish(natsMessage(1), at: Self.start).sent.count == 1)
        for number in 2...4 as ClosedRange<UInt64> {
            #expect(session.publish(natsMessage(number, type: "a.\(number)"), at: Self.start).isEmpty)
        }
        var full = session
        let error = #"{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"seq":0}"#
        #expect(full.handle(Self.answer(2, error), at: Self.start).compactMap(\.refused) == [1, 2, 3, 4])
        let outputs = session.handle(Self.stored(2, 10), at: Self.start)
        #expect(outputs.first == .report(.acknowledged(1)))
        #expect(outputs.sent.count == 3)
    }

    @Test func `events without a responder are rejected when all others are answered`() throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(0, type: "a.0"), at: Self.start)
        #expect(session.handle(Self.stored(2, 1), at: Self.start) == [.report(.acknowledged(0))])
        for number in 1...4 as ClosedRange<UInt64> {
            _ = session.publish(natsMessage(number, type: "a.\(number)"), at: Self.start)
        }
        #expect(session.handle(.unanswered, at: Self.start).isEmpty)
        #expect(session.handle(.unanswered, at: Self.start).isEmpty)
        #expect(session.publish(natsMessage(5), at: Self.start).isEmpty, "it might overtake them")
        #expect(session.handle(Self.stored(3, 2), at: Self.start) == [.report(.acknowledged(1))])
        let outputs = session.handle(Self.stored(5, 3), at: Self.start)
        #expect(outputs.first == .report(.acknowledged(3)))
        #expect(
            outputs.dropFirst().compactMap(\.refused) == [2, 4, 5]
                || outputs.dropFirst().compactMap(\.refused) == [2, 5, 4]
        )
        #expect(session.publish(natsMessage(6), at: Self.start).compactMap(\.refused) == [6])
    }

    @Test func `a missing answer ends the connection, and a late one is ignored`() throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        #expect(session.tick(Self.start + .seconds(9)).isEmpty)
        let outputs = session.tick(Self.start + .seconds(10))
        let failure = try #require(outputs.failure)
        #expect(failure.code == "broker_timeout")
        #expect(session.handle(Self.stored(2, 10), at: Self.start).isEmpty)
        #expect(session.publish(natsMessage(2), at: Self.start).isEmpty)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"stream":"REACH"}"#, #"{"stream":"REACH","seq":0}"#, #"{"stream":"REACH","seq":-1}"#,
        #"{"stream":"REACH","seq":1e3}"#, #"{"stream":7,"seq":1}"#, #"{"seq":18446744073709551616,"stream":"REACH"}"#,
    ])
    func `an acknowledgement that cannot be read ends the connection`(answer: String) throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        let outputs = session.handle(Self.answer(2, answer), at: Self.start)
        let failure = try #require(outputs.failure)
        #expect(failure.code == "broker_protocol")
    }

    @Test func `messages that answer nothing change nothing`() throws {
        var session = try Self.ready()
        _ = session.publish(natsMessage(1), at: Self.start)
        for subject in [
            "", "_INBOX", "_INBOX.edge7.T", "_INBOX.edge7.T.", "_INBOX.edge7.T.x", "_INBOX.edge7.T.99", "other.2",
        ] {
            let message = NATSMessage(subject: subject, payload: Array(#"{"stream":"REACH","seq":1}"#.utf8))
            #expect(session.handle(.message(message), at: Self.start).isEmpty)
        }
        #expect(session.handle(Self.stored(2, 10), at: Self.start) == [.report(.acknowledged(1))])
    }

    @Test func `the numbers of only so many subjects are remembered`() throws {
        var session = try Self.ready()
        for number in 1...5000 as ClosedRange<UInt64> {
            _ = session.publish(natsMessage(number, type: "t.\(number)"), at: Self.start)
            _ = session.handle(Self.stored(Int(number) + 1, Int(number)), at: Self.start)
        }
        #expect(session.newest.count <= JetStreamSession.maximumSubjects)
    }
}

extension JetStreamSession.Output {
    /// The number of an event that is refused.
    fileprivate var refused: UInt64? { if case .report(let event) = self { event.refusedSequence } else { nil } }
}

extension [JetStreamSession.Output] {
    /// The failure that everything ends with.
    fileprivate var failure: TransportFailure? {
        if case .report(.disconnected(let failure)) = last { failure } else { nil }
    }

    /// The messages that are sent.
    fileprivate var sent: [NATSRequest] {
        compactMap { if case .send(let request) = $0 { request } else { nil } }
    }
}

extension NATSRequest {
    /// The number that the newest message of the subject must have.
    fileprivate var expected: String? { headers.first { $0.name == "Nats-Expected-Last-Subject-Sequence" }?.value }
}
