internal import Sinks

/// The conversation with JetStream on one connection, as a pure state machine: finds the stream, requests the newest
/// event of the device, and ships events with acknowledgement.
///
/// It uses the following subjects, for the permissions of an account: it publishes to the subjects of the events, to
/// `$JS.API.STREAM.NAMES` unless the stream is configured, and to `$JS.API.STREAM.MSG.GET.<stream>` or, for a device
/// without permission to see other devices' events, only to `$JS.API.DIRECT.GET.<stream>.<filter>`; it subscribes to
/// `_INBOX.<device>.>`.
struct JetStreamSession: Sendable {
    /// An action for the caller.
    enum Output: Sendable, Hashable {
        case send(NATSRequest)
        /// After ``TransportEvent/disconnected(_:)`` the connection is to be closed.
        case report(TransportEvent)
    }

    /// The state of the conversation.
    enum Phase: Sendable, Hashable {
        /// Before the connection is established.
        case connecting
        case findingStream
        /// Requests the newest event from the stream's leader.
        case askingNewest
        /// Requests it from any server that has the stream.
        case askingNewestDirectly
        case ready
        /// Ready, but the broker rejects events for now.
        case refusing(TransportFailure)
        /// Ended permanently.
        case closed
    }

    /// A request whose reply everything else waits for.
    struct Question: Sendable {
        var number: UInt64
        var subject: String
        var deadline: ContinuousClock.Instant
    }

    /// An event that was sent but not answered.
    struct Flight: Sendable {
        var number: UInt64
        var message: SinkMessage
        var deadline: ContinuousClock.Instant
        /// True if it was sent with the expected number of the newest message of the subject.
        var isGuarded: Bool
    }

    /// The maximum number of subjects whose newest message is recorded.
    static let maximumSubjects = 1024
    /// The maximum length of a stream's name, in bytes.
    static let maximumNameBytes = 255

    /// The prefix of the reply subjects, unique to this connection.
    let inbox: String
    /// The subjects of the device's events.
    let filter: String
    /// The device, for sentences.
    let device: String
    /// The device in subjects and ids.
    let deviceToken: String
    let configuredStream: String?
    /// The timeout for a reply of the broker.
    let answerLimit: Duration

    var phase = Phase.connecting
    var stream = ""
    var maximumPayload = 0
    /// The secrets to be removed from the broker's texts.
    var secrets = BrokerSecrets()
    var number: UInt64 = 0
    var question: Question?
    var flights: [Flight] = []
    /// Events that are held back until a guarded one or the first is answered; the engine's window bounds them.
    var waiting: [SinkMessage] = []
    /// True if the stream has an event of this connection.
    var hasStored = false
    /// The number of events in flight without a reply because there is no responder.
    var unanswered = 0
    /// The stream numbers of the newest messages of subjects to which no other client can have written since.
    var newest: [String: UInt64] = [:]
    var outputs: [Output] = []

    /// Creates a session for a connection that is not yet established.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - template: Its subject template.
    ///   - token: A random token, unique to the connection.
    ///   - answerLimit: The timeout for a reply of the broker.
    init(_ settings: SinkSettings, template: SubjectTemplate, token: String, answerLimit: Duration = .seconds(10)) {
        self.answerLimit = answerLimit
        device = settings.device
        deviceToken = template.syntax.token(settings.device)
        filter = template.filter(device: settings.device)
        configuredStream = settings.stream
        inbox = "_INBOX.\(deviceToken).\(token)"
    }

    /// The next moment at which ``tick(_:)`` is due.
    var deadline: ContinuousClock.Instant? { question?.deadline ?? flights.first?.deadline }

    /// Handles an input from the connection, and returns the actions to carry out, in order.
    mutating func handle(_ input: NATSInput, at now: ContinuousClock.Instant) -> [Output] {
        switch (input, phase) {
        case (.closed(let failure), _): end(failure)
        case (.opened(let maximum, let secrets), .connecting):
            (maximumPayload, self.secrets) = (maximum, secrets)
            begin(now)
        case (.opened, _), (_, .connecting), (_, .closed): break
        case (.message(let message), _): take(message, now)
        case (.unanswered, _):
            if question == nil { unanswered += 1 } else { questionFailed(Self.noAnswer, now) }
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

    /// Ends the conversation if a reply is overdue.
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
        let failure = TransportFailure(code: "broker_denied", detail: "the broker says: \(secrets.shown(text))")
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
