internal import AgentEvents

/// The requests on each connection, and the meaning of the answers: a stream that continues over all connections.
///
/// A pure state machine; its user provides sockets, threads and time. The user connects, requests ``parameters``,
/// passes every event to ``receive(_:)``, and reports the end of the connection to ``connectionEnded(_:fraction:)``,
/// which returns the next step.
struct StreamResumption {
    /// The end of a connection.
    enum End: Error, Hashable {
        /// It could not be made, broke, or made no sense.
        case failed(ClientError)
        /// The agent said why.
        case refused(ErrorReply)
    }

    /// The way on from a connection's end.
    enum Continuation: Hashable {
        /// Connect again after a while.
        case retry([StreamItem], after: Duration)
        /// It does not.
        case fail(ClientError)
    }

    /// The facts to compare the next hello with, as the stream could not go on where it was.
    private enum Loss {
        /// The events after a number were no longer there.
        case expired(after: UInt64)
        /// The number meant nothing to the agent.
        case restarted
    }

    private let subscription: StateSubscription
    /// The stream that the position belongs to.
    private var stream: String?
    /// Everything up to this number is done with; `nil` to begin with the snapshot.
    private var position: UInt64?
    /// The moment to begin with, until an event of that time or later gives a position.
    private var time: Timestamp?
    private var loss: Loss?
    /// `true` once the present connection has said hello.
    private var isOpen = false
    /// `true` once any connection has.
    private var hasBegun = false
    private var backoff = Backoff()

    init(_ subscription: StateSubscription) {
        self.subscription = subscription
        position = subscription.since
        time = subscription.since == nil ? subscription.sinceTime : nil
        stream = subscription.stream
    }

    /// The parameters to subscribe with on the next connection.
    var parameters: [UInt8] { subscription.parameters(after: position, of: stream, from: time) }

    /// Takes an event of the present connection.
    ///
    /// - Throws: When the connection is of no use any more: to be told to ``connectionEnded(_:fraction:)``.
    mutating func receive(_ line: StreamLine) throws(End) -> [StreamItem] {
        if line.isOf(.hello) { return try open(line) }
        guard isOpen else { throw .failed(.malformed("an event came before the hello")) }
        if line.isOf(.snapshot) { return [.snapshot(line)] }
        guard let number = line.sequence else { return [.event(line)] }
        guard let position else {
            (self.position, time) = (number, nil)
            return [.event(line)]
        }
        guard number > position else { return [] }
        self.position = number
        guard !subscription.isFiltered, number - position > 1 else { return [.event(line)] }
        return [.missed(position + 1...number - 1), .event(line)]
    }

    private mutating func open(_ line: StreamLine) throws(End) -> [StreamItem] {
        guard !isOpen else { throw .failed(.malformed("a second hello came")) }
        let hello: Hello
        do throws(ClientError) {
            hello = try Hello(line)
        } catch {
            throw .failed(error)
        }
        if position != nil {
            // An agent refuses that itself; one that does not is not believed. The number of its hello is another
            // matter: an agent that has just started may not know its last one yet, and it has accepted ours.
            if let stream, stream != hello.stream {
                throw .refused(ErrorReply(error: "stream_changed", parameters: .init(stream: hello.stream)))
            }
        } else if time == nil {
            position = hello.sequence
        }
        let items = [.connected(hello)] + itemsOfLoss(hello)
        stream = hello.stream
        isOpen = true
        hasBegun = true
        return items
    }

    private mutating func itemsOfLoss(_ hello: Hello) -> [StreamItem] {
        defer { loss = nil }
        switch loss {
        case nil: return []
        case .restarted: return [.restarted(from: stream, to: hello.stream)]
        case .expired(let last):
            guard stream == nil || stream == hello.stream else {
                return [.restarted(from: stream, to: hello.stream)]
            }
            return hello.sequence > last ? [.missed(last + 1...hello.sequence)] : []
        }
    }

    /// Returns the next step after a connection has ended.
    ///
    /// - Parameter fraction: Chance, from 0 to 1.
    mutating func connectionEnded(_ end: End, fraction: Double) -> Continuation {
        let wasOpen = isOpen
        isOpen = false
        switch end {
        case .refused(let reply):
            if let continuation = continuation(after: reply) { return continuation }
            let passes = ["subscriber_lagged", "agent_stopping", "too_many_connections", "too_many_requests"]
            guard passes.contains(reply.error) else { return .fail(reply.clientError) }
            return retry(reply.clientError, fraction, wasOpen: wasOpen)
        case .failed(let error):
            switch error {
            case .noAgent, .disconnected, .timedOut: return retry(error, fraction, wasOpen: wasOpen)
            // It would come again at once, and at full speed.
            case .malformed: return retry(error, fraction, wasOpen: false)
            // An agent that is just being replaced may have made its socket and not opened it to others yet.
            case .notPermitted where hasBegun: return retry(error, fraction, wasOpen: wasOpen)
            case .notPermitted, .refused, .system: return .fail(error)
            }
        }
    }

    /// The socket has appeared: what was tried so far does not count.
    mutating func socketAppeared() { backoff.reset() }

    private mutating func retry(_ error: ClientError, _ fraction: Double, wasOpen: Bool) -> Continuation {
        guard subscription.reconnects else { return .fail(error) }
        if wasOpen { backoff.reset() }
        let time = backoff.next(fraction)
        return .retry([.interrupted(error, retryIn: time)], after: time)
    }

    /// Returns the continuation if the agent cannot resume from the position; `nil` for any other reply.
    private mutating func continuation(after reply: ErrorReply) -> Continuation? {
        // Without a position there is none that the agent could reject.
        guard let position else { return nil }
        switch reply.error {
        case "stream_changed", "sequence_unknown":
            loss = .restarted
            self.position = nil
        case "events_expired":
            // Who asked for the past gets what is left of it; who was following is better served with the state now.
            if !hasBegun || subscription.resumesWithOldest, let oldest = reply.parameters?.oldestSequence, oldest > 1,
                oldest - 1 > position
            {
                self.position = oldest - 1
                return .retry([.missed(position + 1...oldest - 1)], after: .zero)
            }
            loss = .expired(after: position)
            self.position = nil
        default: return nil
        }
        return .retry([], after: .zero)
    }
}

/// The wait before the next attempt: longer each time, and never the same for many clients at once.
private struct Backoff: Sendable, Hashable {
    private static let shortest: Duration = .milliseconds(50)
    private static let longest: Duration = .seconds(2)

    private var attempts = 0

    /// The time before the next attempt.
    ///
    /// - Parameter fraction: Chance, from 0 to 1: half of the time depends on it.
    mutating func next(_ fraction: Double) -> Duration {
        // Six doublings are beyond the longest.
        let time = min(Self.longest, Self.shortest * (1 << min(attempts, 6)))
        attempts += 1
        return time / 2 + (time / 2) * min(1, max(0, fraction))
    }

    /// Begins with the shortest time again.
    mutating func reset() { attempts = 0 }
}
