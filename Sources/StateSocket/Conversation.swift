internal import EventEnvelope
internal import ForeignText
internal import NIOCore

/// The requests of one connection to control.sock, and the replies in their order.
///
/// Requests are handled one at a time, in the turns that the hub gives to all connections.
final class Conversation {
    /// How many requests may be waiting for the agent's answer; one more is refused.
    static let mostUnanswered = 16
    /// How many replies may wait for their turn before nothing more is read.
    static let mostReplies = 64

    /// A reply's place in the order.
    private struct Slot {
        let number: Int
        var content: Content

        enum Content {
            case unanswered
            case reply(ByteBuffer)
            case subscription(StreamOrder)
        }
    }

    private let hub: StreamHub
    private let connection: Connection
    private var framer: LineFramer
    private var slots: [Slot] = []
    private var lastSlot = 0
    private var unanswered = 0
    private(set) var hasSubscribed = false
    private var isInputClosed = false
    /// Since when the client owes a request: its first one, or the rest of one that it has begun.
    private(set) var owesSince: NIODeadline? = .now()
    /// How much memory the requests take that were read and not handled.
    private(set) var heldBytes = 0

    init(for connection: Connection, in hub: StreamHub) {
        self.connection = connection
        self.hub = hub
        framer = LineFramer(limit: hub.configuration.mostRequestBytes)
    }

    /// Takes what was read.
    func receive(_ bytes: ByteBuffer) {
        guard !hasSubscribed else { return connection.discard(bytes) }
        framer.append(bytes)
        // Until the next turn no more is read than the longest request needs.
        if framer.count > hub.configuration.mostRequestBytes { connection.setReading(false) }
        noteHeldBytes()
        hub.queue(connection)
    }

    /// Notes that the client sends nothing more.
    func closeInput() {
        isInputClosed = true
        hub.queue(connection)
    }

    /// Goes on after the connection became writable.
    func resume() { hub.queue(connection) }

    /// Whether another request can be looked at: only when its reply has room, and no subscription is about to begin.
    private var takesRequests: Bool {
        guard !hasSubscribed, slots.count < Self.mostReplies, connection.isWritable else { return false }
        if case .subscription? = slots.last?.content { return false }
        return true
    }

    /// Handles at most one line; `true` when there may be another one.
    func takeTurn() -> Bool {
        guard !connection.isEnding else { return false }
        let item = takesRequests ? framer.next() ?? (isInputClosed ? framer.rest() : nil) : nil
        if let item { handle(item) }
        noteProgress(handled: item != nil)
        connection.flush()
        if hasSubscribed { framer.discard() }
        noteHeldBytes()
        connection.setReading(hasSubscribed || (takesRequests && framer.count <= hub.configuration.mostRequestBytes))
        closeIfDone()
        return item != nil
    }

    /// Closes the connection of a client that sends nothing more, or of an agent that ends, when everything is answered.
    func closeIfDone() {
        guard !hasSubscribed, slots.isEmpty, hub.isFinished || (isInputClosed && framer.isEmpty) else { return }
        connection.end(with: nil)
    }

    // MARK: What a client owes, and what it takes

    private func noteProgress(handled: Bool) {
        if hasSubscribed || handled { owesSince = nil }
        guard !hasSubscribed, !handled, framer.isInLine, takesRequests, owesSince == nil else { return }
        owesSince = .now()
        hub.expectRequests()
    }

    private func noteHeldBytes() {
        let bytes = framer.heldBytes
        guard bytes != heldBytes else { return }
        let difference = bytes - heldBytes
        heldBytes = bytes
        hub.noteHeldBytes(difference, of: connection)
    }

    /// Ends the connection with an error; what was read is forgotten.
    func refuse(_ failure: ControlFailure) {
        owesSince = nil
        forget()
        connection.end(with: ReplyLine.failure(failure))
    }

    /// Forgets what was read.
    func forget() {
        framer.discard()
        noteHeldBytes()
    }

    // MARK: Requests and replies

    private func handle(_ item: LineFramer.Item) {
        switch item {
        case .tooLong:
            let limit = hub.configuration.mostRequestBytes
            add(
                .reply(
                    ReplyLine.failure(
                        ControlFailure(code: "line_too_long", message: "a request has at most \(limit) bytes")
                    )
                )
            )
        case .line(var line):
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return }
            do {
                try answer(ControlRequest(parsing: line))
            } catch {
                add(.reply(ReplyLine.failure(error)))
            }
        }
    }

    private func answer(_ request: ControlRequest) throws(ControlFailure) {
        switch request.method {
        case "status":
            try request.checkHasNoParameters()
            add(.reply(ReplyLine.success(hub.agent.status(connections: hub.connectionCount))))
        case "subscribers":
            try request.checkHasNoParameters()
            add(.reply(ReplyLine.success(hub.describeSubscribers())))
        case "subscribe": add(.subscription(try request.order()))
        case "probe": try ask(.check(probe: try request.probeName()))
        case "reload":
            try request.checkHasNoParameters()
            try ask(.reload)
        case "hooks":
            try request.checkHasNoParameters()
            try ask(.hooks)
        default:
            throw ControlFailure(
                code: "unknown_method",
                message: "there is no method '\(request.method.shown(limit: 64))'"
            )
        }
    }

    private func ask(_ request: AgentRequest) throws(ControlFailure) {
        guard unanswered < Self.mostUnanswered else {
            throw ControlFailure(
                code: "too_many_requests",
                message: "\(Self.mostUnanswered) requests of this connection are unanswered"
            )
        }
        unanswered += 1
        hub.ask(request, for: connection, slot: add(.unanswered))
    }

    /// Takes the agent's answer to a request.
    func take(_ reply: ControlReply, slot number: Int) {
        guard let index = slots.firstIndex(where: { $0.number == number }), case .unanswered = slots[index].content
        else {
            return
        }
        unanswered -= 1
        switch reply {
        case .parameters(let text): slots[index].content = .reply(ReplyLine.success(text))
        case .failure(let code, let message, let retryAfter):
            let failure = ControlFailure(code: code, message: message, retryAfter: retryAfter)
            slots[index].content = .reply(ReplyLine.failure(failure))
        }
        writeReplies()
        connection.flush()
        hub.queue(connection)
    }

    @discardableResult
    private func add(_ content: Slot.Content) -> Int {
        lastSlot += 1
        slots.append(Slot(number: lastSlot, content: content))
        writeReplies()
        return lastSlot
    }

    /// Writes the replies whose turn it is.
    private func writeReplies() {
        while let slot = slots.first {
            switch slot.content {
            case .unanswered: return
            case .reply(let line):
                slots.removeFirst()
                connection.write(line, lines: 1)
            case .subscription(let order):
                guard connection.stream == nil else { return }
                return connection.subscribe(order) { [self] refusal in decide(refusal) }
            }
        }
    }

    /// Takes the word that the subscription begins, or does not.
    private func decide(_ refusal: StreamRefusal?) {
        slots.removeFirst()
        guard let refusal else {
            hasSubscribed = true
            owesSince = nil
            forget()
            connection.setReading(true)
            return
        }
        connection.unsubscribe()
        connection.write(
            ReplyLine.error(refusal.code) { json in
                switch refusal.parameter {
                case .stream(let stream): json.member("stream", stream)
                case .newest(let number): json.member("newest_seq", number)
                case .oldest(let number): json.member("oldest_seq", number)
                }
            },
            lines: 1
        )
        connection.flush()
        hub.queue(connection)
    }
}
