internal import Glibc
internal import Sinks

/// The exchange with a broker over one connection, once TCP is connected: TLS, the broker's answer, events and their
/// acknowledgements, and keep-alives.
///
/// It ends with the first ``failure``, and does nothing afterwards.
final class MQTTConversation {
    /// A message that was sent but not acknowledged.
    private struct Sent {
        /// The event's number; `nil` for a retained message.
        let sequence: UInt64?
        let topic: String
        let bytes: Int
    }

    /// The bytes that a broker may send for establishing a connection, and for each packet of this client.
    ///
    /// libmosquitto has no limit of its own, and buffers everything that it receives.
    private static let greetingBytes: UInt64 = 1 << 17
    private static let answerBytes: UInt64 = 1 << 10

    /// The connection.
    let session: MQTTSession
    /// The reason that the conversation has ended.
    private(set) var failure: TransportFailure?

    private var greetings: [RetainedMessage]
    /// The topics of retained messages that the broker has rejected.
    private var unretained: Set<[UInt8]> = []
    private let retainsNothing: Bool
    private let failures: MQTTFailure
    private let patience: MQTTTransport.Patience
    private let connectionEnd: ContinuousClock.Instant

    private var isGreeted = false
    private var events: [TransportEvent] = []
    private var inFlight: [Int32: Sent] = [:]
    private var keepAlive: MQTTKeepAlive
    private var packets: UInt64 = 1
    /// The last acknowledgement, or the first message that waits for one.
    private var lastProgress = ContinuousClock.now
    /// The moment at which the answer to a keep-alive becomes overdue.
    private var answerEnd: ContinuousClock.Instant?

    /// Creates a conversation over a connected session.
    ///
    /// - Parameters:
    ///   - greetings: The messages to publish before any event.
    ///   - retainsNothing: True for a broker that is known to retain no messages.
    ///   - connectionEnd: The deadline for the broker's answer.
    init(
        _ session: MQTTSession,
        greetings: [RetainedMessage],
        retainsNothing: Bool,
        failures: MQTTFailure,
        patience: MQTTTransport.Patience,
        connectionEnd: ContinuousClock.Instant
    ) {
        self.session = session
        self.greetings = greetings
        self.retainsNothing = retainsNothing
        self.failures = failures
        self.patience = patience
        self.connectionEnd = connectionEnd
        keepAlive = MQTTKeepAlive(interval: .seconds(Int(patience.keepAlive)), at: .now)
    }

    /// True if ``takeEvents()`` or ``failure`` has something new.
    var hasChanges: Bool { failure != nil || !events.isEmpty }

    /// True while the answer to a retained message is due.
    var hasUnansweredRetained: Bool { failure == nil && inFlight.values.contains { $0.sequence == nil } }

    /// The next moment at which something is due without other events.
    var deadline: ContinuousClock.Instant? {
        if hasChanges { return .now }
        guard isGreeted else { return connectionEnd }
        return [keepAlive.due(at: .now), answerEnd, acknowledgementEnd].compactMap(\.self).min()
    }

    /// Returns the events since the last call.
    func takeEvents() -> [TransportEvent] {
        defer { events = [] }
        return events
    }

    /// Sends an event.
    func publish(_ message: SinkMessage) {
        guard isGreeted, failure == nil else { return }
        do {
            let packet = try session.publish(message)
            noteSent(packet, Sent(sequence: message.sequence, topic: message.subject, bytes: message.payload.count))
        } catch {
            guard let refusal = failures.refusal(error, topic: message.subject) else { return lose(error) }
            refuse(refusal, message.sequence)
        }
    }

    /// Publishes a retained message, before the broker's answer with the greetings; its rejection does not stop the shipping
    /// of events.
    func keep(_ message: RetainedMessage) {
        guard isGreeted else {
            greetings.removeAll { $0.topic.utf8.elementsEqual(message.topic.utf8) }
            return greetings.append(message)
        }
        guard failure == nil else { return }
        do {
            let packet = try session.publish(message)
            noteSent(packet, Sent(sequence: nil, topic: message.topic, bytes: message.payload.count))
        } catch {
            switch failures.refusal(error, topic: message.topic) {
            case .connection(let failure): fail(failure)
            case .message(let failure): noteUnretained(message.topic, .message(failure))
            case nil: lose(error)
            }
        }
    }

    /// Publishes a last message, and ends the connection in order.
    func sayFarewell(_ farewell: RetainedMessage?) { if isGreeted, failure == nil { session.close(farewell) } }

    /// Continues with everything that is possible now.
    func advance(_ now: ContinuousClock.Instant) {
        guard failure == nil else { return }
        exchange()
        guard failure == nil else { return }
        if isGreeted {
            watch(now)
        } else if now >= connectionEnd {
            fail(failures.failure("broker_timeout", "accepts the connection and does not answer"))
        }
    }

    // MARK: - The exchange

    /// Reads and writes as much as possible, and handles the broker's answers.
    private func exchange() {
        do {
            let isReadable = session.readiness & (POLLIN | POLLERR | POLLHUP) != 0
            if session.isShakingHands {
                try session.shakeHands()
            } else if isReadable {
                try readAll()
                answerEnd = nil
            }
            // The handshake may have just completed.
            if !session.isShakingHands, session.wantsToWrite {
                try session.write()
                keepAlive.noteSent(at: .now)
            }
        } catch {
            return lose(error)
        }
        takeAnswers()
        guard failure == nil else { return }
        guard session.descriptor != nil else { return fail(explained(failures.closed(isGreeted: isGreeted))) }
        session.measure()
        if session.received > Self.greetingBytes + packets * Self.answerBytes {
            fail(failures.failure("broker_protocol", "sends more than was requested"))
        }
    }

    private func readAll() throws(MQTTSession.CallFailure) {
        session.measure()
        let written = session.written
        try session.read()
        session.measure()
        // The library itself answers messages, and sends those for which the broker's receive maximum left no room.
        if session.written != written { keepAlive.noteSent(at: .now) }
    }

    private func takeAnswers() {
        for answer in session.takeAnswers() where failure == nil {
            switch answer {
            case .greeted(let code, let interval): greet(code, interval)
            case .ended(let reason): end(failures.end(reason))
            case .answered(let packet, let reason):
                guard let sent = inFlight.removeValue(forKey: packet) else { continue }
                lastProgress = .now
                let refusal = reason < 0x80 ? nil : failures.refusal(reason, topic: sent.topic)
                switch (sent.sequence, refusal) {
                case (let sequence?, nil): events.append(.acknowledged(sequence))
                case (let sequence?, let refusal?): refuse(refusal, sequence)
                case (nil, let refusal?): noteUnretained(sent.topic, refusal)
                case (nil, nil): break
                }
            }
        }
    }

    /// Ends for a reason given by the broker.
    private func end(_ reason: TransportFailure) {
        if reason.code == "broker_too_large", let largest = inFlight.values.max(by: { $0.bytes < $1.bytes }),
            let sequence = largest.sequence
        {
            // Whichever event the broker means, the largest one is also too large. Sent again, it would end every
            // connection.
            events.append(.refused(sequence, failures.tooLarge))
        }
        fail(reason)
    }

    private func greet(_ code: Int32, _ interval: UInt16?) {
        guard !isGreeted else { return fail(failures.failure("broker_protocol", "answers the connection twice")) }
        guard code == 0 else { return fail(failures.connection(code)) }
        isGreeted = true
        // 0 disables the keep-alive.
        keepAlive = MQTTKeepAlive(interval: .seconds(Int(interval ?? patience.keepAlive)), at: .now)
        events.append(.connected(newest: nil))
        if retainsNothing { events.append(.limited(failures.noRetain)) }
        for message in greetings { keep(message) }
    }

    /// Ends a conversation that has timed out, and sends keep-alives.
    private func watch(_ now: ContinuousClock.Instant) {
        if let acknowledgementEnd, now >= acknowledgementEnd {
            return fail(failures.failure("broker_timeout", "no longer acknowledges events"))
        }
        if let answerEnd, now >= answerEnd { return fail(failures.failure("broker_timeout", "no longer answers")) }
        if let silence = keepAlive.silence(at: .now) {
            let seconds = silence.components.seconds
            return fail(
                failures.failure(
                    "broker_timeout",
                    "has closed the connection by now: nothing was sent for \(seconds) s"
                )
            )
        }
        guard let due = keepAlive.due(at: .now), now >= due else { return }
        do {
            try session.keepAlive()
            packets += 1
            keepAlive.noteSent(at: .now)
            answerEnd = now + patience.answer
        } catch {
            lose(error)
        }
    }

    // MARK: - Times and counts

    private var acknowledgementEnd: ContinuousClock.Instant? {
        inFlight.isEmpty ? nil : lastProgress + patience.answer
    }

    private func noteSent(_ packet: Int32, _ sent: Sent) {
        if inFlight.isEmpty { lastProgress = .now }
        inFlight[packet] = sent
        packets += 1
        keepAlive.noteSent(at: .now)
    }

    // MARK: - Ends

    private func refuse(_ refusal: MQTTFailure.Refusal, _ sequence: UInt64) {
        switch refusal {
        case .message(let failure): events.append(.refused(sequence, failure))
        case .connection(let failure): fail(failure)
        }
    }

    /// Reports a rejected retained message, once for each topic.
    private func noteUnretained(_ topic: String, _ refusal: MQTTFailure.Refusal) {
        guard unretained.insert(Array(topic.utf8)).inserted else { return }
        events.append(.limited(failures.unretained(topic, refusal)))
    }

    /// Ends with the most specific reason available.
    private func lose(_ error: MQTTSession.CallFailure) {
        // The broker's last messages may still be readable.
        if session.descriptor != nil, !session.isShakingHands { try? session.read() }
        takeAnswers()
        fail(explained(failures.loss(of: session, error, isGreeted: isGreeted)))
    }

    /// Adds the messages that the broker has left unanswered to the reason, if it has closed the connection and its version of
    /// MQTT has no reasons.
    private func explained(_ failure: TransportFailure) -> TransportFailure {
        guard failures.version == .three, failure == failures.closed(isGreeted: true),
            let largest = inFlight.values.max(by: { $0.bytes < $1.bytes })
        else { return failure }
        return failures.closed(
            unanswered: inFlight.count,
            largest: largest.sequence.map { "event \($0)" } ?? "the retained message",
            topic: largest.topic,
            bytes: largest.bytes
        )
    }

    private func fail(_ failure: TransportFailure) {
        // The first reason counts; later ones are only consequences.
        if self.failure == nil { self.failure = failure }
    }
}
