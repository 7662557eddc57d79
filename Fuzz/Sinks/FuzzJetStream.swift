internal import FuzzKit
internal import Sinks

@testable import Brokers

/// Everything that a NATS server answers: JetStream's acknowledgements and the JSON of its interface.
///
/// Each line is a step of a conversation; its first letter says which: `a` the answer to what was asked or sent last, `o`
/// to the oldest event, `m` an answer with header lines (identifier, sequence, subject and status, with tabs between them and
/// the payload), `d` a denial, `u` no listener, `p` the next event, `t` ten seconds.
enum FuzzJetStream {
    static func run(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 255)
        for line in lines { read(Array(line.dropFirst())) }
        for stream in [nil, "REACH"] {
            var conversation = Conversation(stream: stream)
            for line in lines where !conversation.isOver { conversation.take(line) }
        }
    }

    /// Each reader by itself.
    private static func read(_ payload: [UInt8]) {
        switch JetStreamReply.acknowledgement(payload) {
        case .stored(_, let sequence): require(sequence > 0, "an event is stored under the number 0")
        case .duplicate, .failed, nil: break
        }
        _ = try? JetStreamReply.streamNames(payload)
        guard let stored = try? JetStreamReply.stored(payload, device: "edge7") else { return }
        require(stored.sequence > 0, "a message has the number 0")
        require(StreamPosition(stored.position) != nil, "the position \(stored.position) cannot be read")
    }
}

/// A session, and what its user knows of it.
private struct Conversation {
    private var session: JetStreamSession
    private var now = ContinuousClock.now
    /// The number of events that were handed in, and those of them that have no answer.
    private var published: UInt64 = 0
    private var open: Set<UInt64> = []
    private var isConnected = false
    /// The subjects of answers that are due: a question's, or those of events.
    private var replies: [String] = []
    private(set) var isOver = false

    init(stream: String?) {
        var settings = SinkSettings(name: "fuzz", broker: Self.broker, device: "edge7")
        settings.stream = stream
        guard let template = try? settings.template() else { fatalError("the standard template is valid") }
        session = JetStreamSession(settings, template: template, token: "T")
        check(session.handle(.opened(maximumPayload: 1 << 16), at: now))
    }

    private static let broker: BrokerAddress = {
        guard let broker = try? BrokerAddress("nats://127.0.0.1") else { fatalError("the address is valid") }
        return broker
    }()

    mutating func take(_ line: ArraySlice<UInt8>) {
        let rest = Array(line.dropFirst())
        switch line.first {
        case UInt8(ascii: "a"): answer(replies.popLast(), rest)
        case UInt8(ascii: "o"): answer(replies.isEmpty ? nil : replies.removeFirst(), rest)
        case UInt8(ascii: "m"):
            let cells = rest.split(separator: UInt8(ascii: "\t"), maxSplits: 4, omittingEmptySubsequences: false)
            var message = NATSMessage(subject: replies.popLast() ?? "", payload: Array(cells.last ?? []))
            for (field, cell) in zip(NATSMessage.Field.allCases, cells.dropLast()) where !cell.isEmpty {
                message.fields[field] = String(decoding: cell, as: UTF8.self)
            }
            check(session.handle(.message(message), at: now))
        case UInt8(ascii: "d"): check(session.handle(.denied(String(decoding: rest, as: UTF8.self)), at: now))
        case UInt8(ascii: "u"): check(session.handle(.unanswered, at: now))
        case UInt8(ascii: "p"): publish(rest)
        case UInt8(ascii: "t"):
            now += .seconds(10)
            check(session.tick(now))
        default: break
        }
    }

    private mutating func answer(_ subject: String?, _ payload: [UInt8]) {
        check(session.handle(.message(NATSMessage(subject: subject ?? "_INBOX.edge7.T.", payload: payload)), at: now))
    }

    private mutating func publish(_ payload: [UInt8]) {
        // Nobody publishes before the connection is there, and no more than the window.
        guard isConnected, open.count < 32 else { return }
        published += 1
        open.insert(published)
        let subject = "reachagent.edge7.\(["path.changed", "target.changed"][Int(published % 2)])"
        let message = SinkMessage(sequence: published, subject: subject, id: "s-\(published)", payload: payload)
        check(session.publish(message, at: now))
    }

    private mutating func check(_ outputs: [JetStreamSession.Output]) {
        for output in outputs {
            require(!isOver, "something follows the end: \(output)")
            switch output {
            case .send(let request):
                require(!request.subject.contains { $0.isWhitespace || $0 == "*" }, "asks for '\(request.subject)'")
                replies = replies.suffix(63) + [request.reply]
            case .report(.connected(let newest)):
                require(!isConnected, "connected twice")
                isConnected = true
                if let newest { require(StreamPosition(newest) != nil, "the position \(newest) cannot be read") }
            case .report(.acknowledged(let sequence)), .report(.refused(let sequence, _)):
                require(open.remove(sequence) != nil, "an answer to \(sequence), which needs none")
            case .report(.limited): fatalError("NATS keeps no state")
            case .report(.disconnected(let failure)):
                require(failure.detail.utf8.count < 4096, "a sentence of \(failure.detail.utf8.count) bytes")
                isOver = true
            }
        }
        require(session.flights.count + session.waiting.count <= 32, "more is under way than was handed in")
        require(session.newest.count <= JetStreamSession.maximumSubjects, "too many subjects")
    }
}
