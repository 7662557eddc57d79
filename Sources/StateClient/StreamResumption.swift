internal import AgentEvents
internal import Glibc

/// The requests on each connection, and the meaning of the answers: a stream that continues over all connections.
///
/// A pure state machine; its user provides sockets, threads and time. The user connects, requests ``parameters``,
/// passes every event to ``receive(_:)``, and reports the end of the connection to ``connectionEnded(_:fraction:)``,
/// which returns the next step.
struct StreamResumption {
    /// The end of a connection.
    enum End: Error, Hashable {
        /// The connection failed, was lost, or its data was malformed.
        case failed(StateClientError)
        /// The agent ended it with an error reply.
        case refused(ErrorReply)
    }

    /// The next step after the end of a connection.
    enum Continuation: Hashable {
        /// Reconnect after a while.
        case retry([StreamItem], after: Duration)
        /// End the stream with an error.
        case fail(StateClientError)
    }

    /// The reason that the stream cannot resume, and the facts to compare with the next hello.
    private enum Loss {
        /// The events after a number were no longer available.
        case expired(after: UInt64)
        /// The number was of another stream, or beyond the agent's last one.
        case restarted
    }

    private let subscription: StateSubscription
    /// The stream to which the position belongs.
    private var stream: String?
    /// The number of the last handled event; `nil` to start with the snapshot.
    private var position: UInt64?
    /// The time to start with, until an event at that time or later provides a position.
    private var time: Timestamp?
    private var loss: Loss?
    /// `true` from a loss of events until the state has arrived that includes them.
    private var wantsSnapshot = false
    /// `true` once the agent has sent its hello on the current connection.
    private(set) var isOpen = false
    /// `true` once the agent has sent its hello on any connection.
    private(set) var hasBegun = false
    private var backoff = Backoff()
    /// `true` if the last connection ended because the agent could not resume from the position.
    private var wasRejected = false
    /// The errors of a process or a system that is short of descriptors or memory, which may be over at the next attempt.
    private static let shortages = [EMFILE, ENFILE, ENOMEM, ENOBUFS]
    /// The time for which an agent may be silent on a stream's first connection.
    static let usualPatience: Duration = .seconds(10)
    private let patience: Duration
    /// The number of connections in a row on which the agent has sent nothing in time.
    private var silentConnections = 0

    /// Creates the state of a stream before its first connection.
    ///
    /// - Parameter patience: The first ``helloTimeout``.
    init(_ subscription: StateSubscription, patience: Duration = usualPatience) {
        self.subscription = subscription
        self.patience = patience
        position = subscription.since
        time = subscription.since == nil ? subscription.sinceTime : nil
        stream = subscription.stream
    }

    /// The parameters to subscribe with on the next connection.
    var parameters: [UInt8] {
        subscription.parameters(after: position, of: stream, from: time, wantsSnapshot: wantsSnapshot)
    }

    /// The time for which the agent may be silent on a new connection.
    ///
    /// It doubles with each such connection, up to 16 times, so that an agent that is merely slow is heard in the end.
    var helloTimeout: Duration { patience * (1 << min(silentConnections, 4)) }

    /// Handles an event of the current connection.
    ///
    /// - Throws: If the connection is not usable any more; the error must be passed to
    ///   ``connectionEnded(_:fraction:)``.
    mutating func receive(_ line: StreamLine) throws(End) -> [StreamItem] {
        if line.isOf(.agentHello) { return try open(line) }
        guard isOpen else { throw .failed(.malformed("an event arrived before the hello")) }
        if line.isOf(.networkSnapshot) {
            wantsSnapshot = false
            return [.snapshot(line)]
        }
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
        guard !isOpen else { throw .failed(.malformed("a second hello arrived")) }
        let hello: StreamHello
        do throws(StateClientError) {
            hello = try StreamHello(line)
        } catch {
            throw .failed(error)
        }
        if position != nil {
            // The agent should have rejected this position itself. The number in its hello is not compared with ours:
            // an agent that has just started may not know its last number yet, and it has accepted ours.
            if let stream, stream != hello.stream {
                let code = RequestCode.streamChanged.rawValue
                throw .refused(ErrorReply(error: code, parameters: .init(stream: hello.stream)))
            }
        } else if time == nil {
            position = hello.sequence
        }
        let items = [.connected(hello)] + itemsOfLoss(hello)
        stream = hello.stream
        isOpen = true
        hasBegun = true
        silentConnections = 0
        return items
    }

    private mutating func itemsOfLoss(_ hello: StreamHello) -> [StreamItem] {
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
    /// - Parameter fraction: A random number from 0 to 1.
    mutating func connectionEnded(_ end: End, fraction: Double) -> Continuation {
        let wasOpen = isOpen
        isOpen = false
        let isExpected = !wasOpen && !wasRejected
        wasRejected = false
        if case .failed(.timedOut) = end, !wasOpen { silentConnections += 1 }
        switch end {
        case .refused(let reply):
            if wasOpen { skip(through: reply.lastSequence) }
            if let items = itemsOfRejection(reply) {
                wasRejected = true
                // An agent rejects a position once, before its hello; one that goes on would cause a busy loop.
                return .retry(items, after: isExpected ? .zero : backoff.next(fraction))
            }
            switch RequestCode(rawValue: reply.error) {
            // Connections end: of other clients, and this client's own that the agent has not seen the end of yet.
            // The position stays: a journal that could not be read may be readable at the next attempt.
            case .subscriberLagged, .agentStopping, .tooManyConnections, .tooManyUserConnections, .tooManyRequests,
                .journalUnreadable:
                return retry(reply.clientError, fraction, wasOpen: wasOpen)
            default: return .fail(reply.clientError)
            }
        case .failed(let error):
            switch error {
            case .noAgent, .disconnected, .timedOut: return retry(error, fraction, wasOpen: wasOpen)
            case .malformed where error.isOfAnotherSocket && !hasBegun: return .fail(error)
            // Malformed data would be received again immediately, in a busy loop.
            case .malformed: return retry(error, fraction, wasOpen: false)
            // An agent that is being replaced may have created its socket without setting its permissions yet.
            case .notPermitted where hasBegun: return retry(error, fraction, wasOpen: wasOpen)
            case .system(_, let number) where Self.shortages.contains(number):
                return retry(error, fraction, wasOpen: false)
            case .notPermitted, .refused, .system: return .fail(error)
            }
        }
    }

    /// Resets the backoff, because the socket has appeared.
    mutating func socketAppeared() { backoff.reset() }

    /// Moves the position of a filtered stream over events that the filter has left out.
    ///
    /// Without a filter, only events move the position, so that a gap before the next one is reported.
    private mutating func skip(through number: UInt64?) {
        guard subscription.isFiltered, let number, number > position ?? 0 else { return }
        (position, time) = (number, nil)
    }

    private mutating func retry(_ error: StateClientError, _ fraction: Double, wasOpen: Bool) -> Continuation {
        guard subscription.reconnects else { return .fail(error) }
        if wasOpen { backoff.reset() }
        let time = backoff.next(fraction)
        return .retry([.interrupted(error, retryIn: time)], after: time)
    }

    /// Moves the position if the agent cannot resume from it, and returns what is known to be missed; `nil` for any other
    /// reply.
    private mutating func itemsOfRejection(_ reply: ErrorReply) -> [StreamItem]? {
        // Without a position, the agent cannot have rejected one.
        guard let position else { return nil }
        switch RequestCode(rawValue: reply.error) {
        case .streamChanged, .sequenceUnknown:
            loss = .restarted
            self.position = nil
        case .eventsExpired:
            if !hasBegun || subscription.resumesWithOldest, let oldest = reply.parameters?.oldestSequence, oldest > 1,
                oldest - 1 > position
            {
                self.position = oldest - 1
                // A client may have missed the last change of the state, in this run or in an earlier one.
                wantsSnapshot = true
                return [.missed(position + 1...oldest - 1)]
            }
            loss = .expired(after: position)
            self.position = nil
        default: return nil
        }
        return []
    }
}

/// The delay before the next attempt: exponential, with jitter.
private struct Backoff: Sendable, Hashable {
    private static let shortest: Duration = .milliseconds(50)
    private static let longest: Duration = .seconds(2)

    private var attempts = 0

    /// Returns the delay before the next attempt.
    ///
    /// - Parameter fraction: A random number from 0 to 1, which determines half of the delay.
    mutating func next(_ fraction: Double) -> Duration {
        // Six doublings exceed the longest delay.
        let time = min(Self.longest, Self.shortest * (1 << min(attempts, 6)))
        attempts += 1
        return time / 2 + (time / 2) * min(1, max(0, fraction))
    }

    /// Restarts with the shortest delay.
    mutating func reset() { attempts = 0 }
}
