internal import ForeignText
internal import Sinks

/// The conversation with JetStream on one connection, as a pure state machine: finds the stream, asks it for the newest event of the
/// device, and ships events with acknowledgement.
///
/// Subjects that it uses, for the permissions of an account: publish to those of the events, to `$JS.API.STREAM.NAMES` unless the
/// stream is configured, and to `$JS.API.STREAM.MSG.GET.<stream>` or, for a device that may see none of the others' events, only to
/// `$JS.API.DIRECT.GET.<stream>.<filter>`; subscribe to `_INBOX.<device>.>`.
struct JetStreamSession: Sendable {
    /// Something that is to be done.
    enum Output: Sendable, Hashable {
        case send(NATSRequest)
        /// After ``TransportEvent/disconnected(_:)`` the connection is to be closed.
        case report(TransportEvent)
    }

    /// The state of the conversation.
    enum Phase: Sendable, Hashable {
        /// Before the connection is made.
        case connecting
        case findingStream
        /// Asks the stream's leader for the newest event.
        case askingNewest
        /// Asks any server that has the stream.
        case askingNewestDirectly
        case ready
        /// Ready, but the broker does not take events for now.
        case refusing(TransportFailure)
        /// Ended, for good.
        case closed
    }

    /// A question whose answer everything else waits for.
    struct Question: Sendable {
        var number: UInt64
        var subject: String
        var deadline: ContinuousClock.Instant
    }

    /// An event that was sent and not answered.
    struct Flight: Sendable {
        var number: UInt64
        var message: SinkMessage
        var deadline: ContinuousClock.Instant
        /// True when it went with the number that the newest message of its subject has to have.
        var isGuarded: Bool
    }

    /// The maximum number of subjects whose newest message is remembered.
    static let maximumSubjects = 1024
    /// The maximum number of bytes of a stream's name.
    static let maximumNameBytes = 255

    /// The prefix of the subjects of answers: no other connection has it.
    let inbox: String
    /// The subjects of the device's events.
    let filter: String
    /// The device, for sentences.
    let device: String
    /// The device in subjects and ids.
    let deviceToken: String
    let configuredStream: String?
    /// The time that the broker may take for an answer.
    let answerLimit: Duration

    var phase = Phase.connecting
    var stream = ""
    var maximumPayload = 0
    var number: UInt64 = 0
    var question: Question?
    var flights: [Flight] = []
    /// Events that are held back until a guarded one is answered; the engine's window bounds them.
    var waiting: [SinkMessage] = []
    /// The number of events in flight that have no answer because there is no responder.
    var unanswered = 0
    /// The numbers in the stream of the newest messages of subjects, where no other client can have written since.
    var newest: [String: UInt64] = [:]
    var outputs: [Output] = []

    /// A session of a connection that is not yet made.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - template: Its template of subjects.
    ///   - token: Chance: one token that no other connection has.
    ///   - answerLimit: The time that the broker may take for an answer.
    init(_ settings: SinkSettings, template: SubjectTemplate, token: String, answerLimit: Duration = .seconds(10)) {
        self.answerLimit = answerLimit
        device = settings.device
        deviceToken = template.syntax.token(settings.device)
        filter = template.filter(device: settings.device)
        configuredStream = settings.stream
        inbox = "_INBOX.\(deviceToken).\(token)"
    }

    /// The next moment at which ``tick(_:)`` has something to do.
    var deadline: ContinuousClock.Instant? { question?.deadline ?? flights.first?.deadline }

    /// Takes what has happened on the connection, and returns what is to be done, in order.
    mutating func handle(_ input: NATSInput, at now: ContinuousClock.Instant) -> [Output] {
        switch (input, phase) {
        case (.closed(let failure), _): end(failure)
        case (.opened(let maximum), .connecting):
            maximumPayload = maximum
            begin(now)
        case (.opened, _), (_, .connecting), (_, .closed): break
        case (.message(let message), _): take(message, now)
        case (.unanswered, _):
            if question == nil { unanswered += 1 } else { questionFailed(Self.nobodyListens, now) }
        case (.denied(let text), _): take(denial: text, now)
        }
        return settled(now)
    }

    /// Sends an event, or holds it back.
    mutating func publish(_ message: SinkMessage, at now: ContinuousClock.Instant) -> [Output] {
        if case .refusing(let failure) = phase {
            outputs.append(.report(.refused(message.sequence, failure)))
        } else if phase == .ready, waiting.isEmpty, flights.isEmpty {
            send(message, expecting: newest[message.subject], now)
        } else if phase == .ready {
            waiting.append(message)
        }
        return settled(now)
    }

    /// Ends the conversation when an answer is overdue.
    mutating func tick(_ now: ContinuousClock.Instant) -> [Output] {
        if let deadline, deadline <= now {
            let what = question.map { "to \($0.subject)" } ?? "to an event"
            end(
                TransportFailure(
                    code: "broker_timeout",
                    detail: "the broker gave no answer \(what) in time"
                )
            )
        }
        return settled(now)
    }

    private mutating func settled(_ now: ContinuousClock.Instant) -> [Output] {
        refuseUnanswered()
        pump(now)
        defer { outputs = [] }
        return outputs
    }

    /// Ends the conversation.
    mutating func end(_ failure: TransportFailure) {
        guard phase != .closed else { return }
        phase = .closed
        (question, flights, waiting, unanswered, newest) = (nil, [], [], 0, [:])
        outputs.append(.report(.disconnected(failure)))
    }

    private mutating func take(_ message: NATSMessage, _ now: ContinuousClock.Instant) {
        guard message.subject.utf8.starts(with: inbox.utf8),
            let number = UInt64(message.subject.dropFirst(inbox.count + 1))
        else { return }
        if let question {
            if question.number == number { answered(message, now) }
        } else if let index = flights.firstIndex(where: { $0.number == number }) {
            acknowledged(flights.remove(at: index), message.payload, now)
        }
    }

    private mutating func take(denial text: String, _ now: ContinuousClock.Instant) {
        func names(_ subject: String) -> Bool { text.firstRange(of: "\"\(subject)\"") != nil }
        let failure = TransportFailure(code: "broker_denied", detail: "the broker says: \(ForeignText.shown(text))")
        if names("\(inbox).*") {
            end(failure)
        } else if let question {
            if names(question.subject) { questionFailed(failure, now) }
        } else {
            let denied = flights.filter { names($0.message.subject) }
            flights.removeAll { names($0.message.subject) }
            for flight in denied { refuse(flight.message, failure) }
        }
    }
}
