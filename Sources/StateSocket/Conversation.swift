internal import AgentEvents
internal import ForeignText
internal import NIOCore

/// The requests of one connection to control.sock, and the replies in order.
///
/// Requests are handled one at a time, in the connection's turns.
final class Conversation {
    /// The maximum number of requests that wait for the agent's answer; further ones are rejected.
    static let maximumUnanswered = 16
    /// The maximum number of replies that wait for their turn; beyond it reading pauses.
    static let maximumReplies = 64

    /// A reply's slot in the order.
    private struct Slot {
        let number: Int
        var content: Content

        enum Content {
            case unanswered
            case reply(ByteBuffer)
            /// A reply of any size, which is created when its turn has come and the client has read the ones before.
            case deferred(() -> [UInt8])
            case subscription(SubscriptionParameters)
        }
    }

    private let hub: StreamHub
    private let connection: Connection
    private let unread: UnreadAnswerCounter
    private var framer: LineFramer
    private var slots: [Slot] = []
    private var lastSlot = 0
    private var unanswered = 0
    private(set) var hasSubscribed = false
    private var isInputClosed = false
    /// The time since which the client owes a request: its first one, or the rest of an incomplete one.
    private(set) var owesSince: NIODeadline? = .now()
    /// The memory of requests that were read but not handled, in bytes.
    private(set) var heldBytes = 0

    init(for connection: Connection, in hub: StreamHub) {
        self.connection = connection
        self.hub = hub
        unread = UnreadAnswerCounter(for: connection, among: hub.connections)
        framer = LineFramer(limit: hub.configuration.maximumRequestBytes)
    }

    /// Handles input.
    func receive(_ bytes: ByteBuffer) {
        guard !hasSubscribed else { return connection.discard(bytes) }
        framer.append(bytes)
        // Until the next turn, reading pauses once the longest possible request is buffered.
        if framer.count > hub.configuration.maximumRequestBytes { connection.setReading(false) }
        noteHeldBytes()
        hub.turns.add(connection)
    }

    /// Marks the input as closed.
    func closeInput() {
        isInputClosed = true
        hub.turns.add(connection)
    }

    /// Continues after the connection has become writable.
    func resume() { hub.turns.add(connection) }

    /// `true` if another request can be handled: its reply has room, and no subscription is about to start.
    private var takesRequests: Bool {
        guard !hasSubscribed, slots.count < Self.maximumReplies, connection.isWritable else { return false }
        if case .subscription? = slots.last?.content { return false }
        return true
    }

    /// Handles at most one line; returns `true` if there may be another one.
    func takeTurn() -> Bool {
        guard !connection.isEnding else { return false }
        writeReplies()
        let item = takesRequests ? framer.next() ?? (isInputClosed ? framer.rest() : nil) : nil
        if let item { handle(item) }
        noteProgress(handled: item != nil)
        if hasSubscribed { framer.discard() }
        noteHeldBytes()
        connection.setReading(hasSubscribed || (takesRequests && framer.count <= hub.configuration.maximumRequestBytes))
        closeIfDone()
        return item != nil
    }

    /// Closes the connection once everything is answered, if the client has closed its side or the agent is stopping.
    func closeIfDone() {
        guard !hasSubscribed, slots.isEmpty, hub.intake.isFinished || (isInputClosed && framer.isEmpty) else { return }
        connection.end(with: nil)
    }

    // MARK: Accounting

    private func noteProgress(handled: Bool) {
        if hasSubscribed || handled { owesSince = nil }
        guard !hasSubscribed, !handled, framer.isInLine, takesRequests, owesSince == nil else { return }
        owesSince = .now()
        hub.connections.expectRequests()
    }

    private func noteHeldBytes() {
        let bytes = framer.heldBytes
        guard bytes != heldBytes else { return }
        let difference = bytes - heldBytes
        heldBytes = bytes
        hub.connections.noteHeldBytes(difference, of: connection)
    }

    /// Ends the connection with an error; its input is dropped.
    func refuse(_ failure: ControlFailure) {
        owesSince = nil
        forget()
        connection.end(with: ReplyLine.failure(failure))
    }

    /// Drops the input.
    func forget() {
        framer.discard()
        noteHeldBytes()
    }

    // MARK: Requests and replies

    private func handle(_ item: LineFramer.Item) {
        switch item {
        case .tooLong:
            let limit = hub.configuration.maximumRequestBytes
            add(
                .reply(
                    ReplyLine.failure(
                        ControlFailure(code: .lineTooLong, message: "a request has at most \(limit) bytes")
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
        switch try request.call() {
        case .status: add(.deferred { [hub] in hub.agent.status(connections: hub.connections.count) })
        case .subscribers: add(.deferred { [hub] in hub.describeSubscribers() })
        case .subscribe(let parameters): add(.subscription(parameters))
        case .ask(let request): try ask(request)
        }
    }

    private func ask(_ request: AgentRequest) throws(ControlFailure) {
        guard unanswered < Self.maximumUnanswered else {
            throw ControlFailure(
                code: .tooManyRequests,
                message: "\(Self.maximumUnanswered) requests of this connection are unanswered"
            )
        }
        unanswered += 1
        hub.ask(request, for: connection, slot: add(.unanswered))
    }

    /// Handles the agent's answer to a request.
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
        hub.turns.add(connection)
    }

    @discardableResult
    private func add(_ content: Slot.Content) -> Int {
        lastSlot += 1
        slots.append(Slot(number: lastSlot, content: content))
        writeReplies()
        return lastSlot
    }

    /// Writes the replies whose turn has come, up to the first one that has to be created for it.
    private func writeReplies() {
        // A write may close the connection: a stream that started then would have no end.
        while !connection.isEnding, let slot = slots.first {
            switch slot.content {
            case .unanswered: return
            case .reply(let line): write(line)
            case .deferred(let text):
                guard connection.isWritable else { return }
                write(ReplyLine.success(text()))
                // Each takes a while to create: the next one waits for the turns of other connections.
                return hub.turns.add(connection)
            case .subscription(let parameters):
                guard connection.stream == nil else { return }
                return connection.subscribe(parameters) { [self] refusal in decide(refusal) }
            }
        }
    }

    private func write(_ line: ByteBuffer) {
        slots.removeFirst()
        connection.write(line, lines: 1)
        connection.flush()
        unread.add(line.storageCapacity)
    }

    /// Handles the decision to start or reject the subscription.
    private func decide(_ refusal: StreamRefusal?) {
        guard let refusal else {
            slots.removeFirst()
            hasSubscribed = true
            owesSince = nil
            forget()
            connection.setReading(true)
            return
        }
        connection.unsubscribe()
        write(
            ReplyLine.error(refusal.code) { json in
                switch refusal.parameter {
                case .stream(let stream): json.member("stream", stream)
                case .newest(let number): json.member("newest_seq", number)
                case .oldest(let number): json.member("oldest_seq", number)
                case .message(let text): json.member("message", text)
                }
            }
        )
        hub.turns.add(connection)
    }
}
