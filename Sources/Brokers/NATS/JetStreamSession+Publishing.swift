internal import ForeignText
internal import Sinks

// Events on their way into the stream.
//
// Each carries its id, by which the stream recognises a duplicate within its window (two minutes by default). An event
// that is sent while none is in flight also carries the expected number of the newest message of its subject, which
// rejects duplicates of any age and the events of another machine with the same name. No other event follows until such
// a guarded event is answered: if it were rejected, the later ones would have overtaken it. Nor does one follow the first
// event of a connection: a stream that is full rejects it, and might take the next one.
extension JetStreamSession {
    /// Sends the events that were held back.
    mutating func pump(_ now: ContinuousClock.Instant) {
        while phase == .ready, !waiting.isEmpty, canFollow, unanswered == 0 {
            send(waiting.removeFirst(), expecting: nil, now)
        }
    }

    private var canFollow: Bool { flights.isEmpty || hasStored && !flights.contains(where: \.isGuarded) }

    /// Sends an event.
    ///
    /// - Parameter expecting: The expected number of the newest message of the subject; `nil` for any.
    mutating func send(_ message: SinkMessage, expecting: UInt64?, _ now: ContinuousClock.Instant) {
        let next = number + 1
        var request = NATSRequest(subject: message.subject, reply: "\(inbox).\(next)", payload: message.payload)
        request.headers = [
            .init(name: "Nats-Msg-Id", value: NATSMessageID.header(message.id, device: deviceToken)),
            .init(name: "Content-Type", value: "application/cloudevents+json"),
        ]
        if let expecting {
            request.headers.append(.init(name: "Nats-Expected-Last-Subject-Sequence", value: "\(expecting)"))
        }
        guard request.size <= maximumPayload else {
            let detail = "the event has \(request.size) bytes, and the broker takes \(maximumPayload) ('max_payload')"
            return refuse(message, TransportFailure(code: "broker_too_large", detail: detail))
        }
        number = next
        flights.append(
            Flight(
                number: next,
                message: message,
                deadline: now + answerLimit,
                isGuarded: expecting != nil
            )
        )
        outputs.append(.send(request))
    }

    /// Handles the reply to an event.
    mutating func acknowledged(_ flight: Flight, _ payload: [UInt8], _ now: ContinuousClock.Instant) {
        switch JetStreamReply.acknowledgement(payload) {
        case .stored(let stream, let sequence):
            guard isExpected(stream) else { return }
            hasStored = true
            // If another one is in flight after it, it is no longer the newest of its subject.
            let isNewest = !flights.contains { $0.message.subject == flight.message.subject }
            remember(isNewest ? sequence : nil, of: flight.message.subject)
            outputs.append(.report(.acknowledged(flight.message.sequence)))
        case .duplicate(let stream):
            guard isExpected(stream) else { return }
            hasStored = true
            remember(nil, of: flight.message.subject)
            outputs.append(.report(.acknowledged(flight.message.sequence)))
        case .failed(let failure): failed(flight, failure, now)
        case nil:
            end(TransportFailure(code: "broker_protocol", detail: "the broker's answer to an event cannot be read"))
        }
    }

    /// Reports the rejection of an event.
    ///
    /// Unless the event itself is the reason, no other event follows on this connection, because it would overtake this
    /// one.
    mutating func refuse(_ message: SinkMessage, _ failure: TransportFailure) {
        outputs.append(.report(.refused(message.sequence, failure)))
        guard failure.code != "broker_too_large", phase == .ready else { return }
        phase = .refusing(failure)
        for message in waiting { outputs.append(.report(.refused(message.sequence, failure))) }
        waiting = []
    }

    /// Rejects the events without a responder, once all others are answered, because only then are they known.
    mutating func refuseUnanswered() {
        guard unanswered > 0, unanswered >= flights.count else { return }
        let left = flights.map(\.message)
        (flights, unanswered) = ([], 0)
        for message in left {
            let detail = "no stream of the broker's takes '\(ForeignText.shown(message.subject))'"
            refuse(message, TransportFailure(code: "broker_no_stream", detail: detail))
        }
    }

    private mutating func failed(_ flight: Flight, _ failure: JetStreamReply.Failure, _ now: ContinuousClock.Instant) {
        let message = flight.message
        let detail = "the stream '\(secrets.shown(stream))' refuses the event: \(secrets.shown(failure.text))"
        switch failure.number {
        case 10_071 where flight.isGuarded && failure.text.hasSuffix(": 0"):
            // The subject's messages are purged or have expired, so this is no conflict.
            remember(nil, of: message.subject)
            send(message, expecting: nil, now)
        // A replicated stream sends 10164 while another message of the subject is in transit.
        case 10_071, 10_164:
            let hint = "is there another machine with the name '\(ForeignText.shown(device))'?"
            end(
                TransportFailure(
                    code: "broker_conflict",
                    detail: "the stream has newer messages of '\(message.subject)' that this sink has not sent: \(hint)"
                )
            )
        case 10_054: refuse(message, TransportFailure(code: "broker_too_large", detail: detail))
        case 10_002, 10_023, 10_028, 10_047, 10_077:
            refuse(message, TransportFailure(code: "broker_full", detail: detail))
        case _ where failure.isTemporary: refuse(message, TransportFailure(code: "broker_timeout", detail: detail))
        default: refuse(message, TransportFailure(code: "broker_no_stream", detail: detail))
        }
    }

    /// Returns false for another stream than the one queried for the newest event: an event stored there would be
    /// shipped again on each connection.
    private mutating func isExpected(_ stream: String) -> Bool {
        // The `==` of strings normalises them, which takes quadratic time for a name of combining marks.
        guard !stream.utf8.elementsEqual(self.stream.utf8) else { return true }
        let names = "'\(secrets.shown(stream))', not '\(secrets.shown(self.stream))'"
        end(TransportFailure(code: "broker_no_stream", detail: "the stream that takes the events is \(names)"))
        return false
    }

    private mutating func remember(_ sequence: UInt64?, of subject: String) {
        if newest[subject] == nil, newest.count >= Self.maximumSubjects { newest = [:] }
        newest[subject] = sequence
    }
}
