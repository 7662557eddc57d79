internal import AgentEvents
internal import Sinks
internal import StateClient

/// The current state of the agent: a separate subscription beside those that read the journal from the past.
struct AgentFollower {
    /// An update for the sinks.
    enum Update {
        /// The machine is in this state.
        case machine(MachineState)
        /// The agent has sent its hello: it may have restarted.
        case agentAppeared
        /// The connection to the agent has ended, or cannot be established.
        case agentDisappeared
        /// The agent has reloaded its configuration.
        case reloaded
    }

    private let reader: StateReader
    private var isInterrupted = false

    init(_ client: StateClient) throws(StateClientError) {
        var subscription = StateSubscription(types: ["config.reloaded", "reachability.changed"])
        subscription.resumesWithOldest = false
        reader = try client.reader(subscription)
    }

    /// The descriptor to wait for; negative for none.
    var descriptor: Int32 { reader.descriptor }

    /// The moment at which ``take()`` is due without other events.
    var deadline: ContinuousClock.Instant? { reader.deadline }

    /// Returns the updates since the last call.
    ///
    /// - Throws: ``StateClientError`` if this process cannot follow the agent.
    mutating func take() throws(StateClientError) -> [Update] {
        var updates: [Update] = []
        for item in try reader.take(maximum: 64) {
            switch item {
            case .connected:
                isInterrupted = false
                updates.append(.agentAppeared)
            case .snapshot(let line), .event(let line):
                guard let event = line.event else { continue }
                if let state = MachineState(event) {
                    updates.append(.machine(state))
                } else if case .configReloaded = event.content {
                    updates.append(.reloaded)
                }
            case .interrupted(let error, _):
                // Retried every other second until the agent returns.
                guard !isInterrupted else { continue }
                SinkLog.write(.notice, "waiting for the agent: \(error)")
                isInterrupted = true
                updates.append(.agentDisappeared)
            case .missed, .dropped, .restarted: break
            }
        }
        return updates
    }
}

/// The current subscription of a sink to the journal.
struct JournalSubscription {
    private let reader: StateReader
    /// True if the stream cannot be continued: nothing follows.
    private(set) var hasEnded = false
    /// The reason that no events come; `nil` if there is none, or if it is the agent's absence.
    private(set) var failure: StateClientError?

    /// Creates a subscription to everything after a number.
    ///
    /// - Parameters:
    ///   - stream: The stream of the number; `nil` to accept any.
    ///   - failure: The failure of the former subscription, until this one has succeeded.
    /// - Throws: ``StateClientError`` if no descriptor is left.
    init(
        _ client: StateClient,
        stream: String?,
        after sequence: UInt64,
        failure: StateClientError?
    ) throws(StateClientError) {
        reader = try client.reader(StateSubscription(since: sequence, stream: stream))
        self.failure = failure
    }

    /// The descriptor to wait for; negative for none.
    var descriptor: Int32 { hasEnded ? -1 : reader.descriptor }

    /// The moment at which ``take(maximum:)`` is due without other events; `nil` for none.
    var deadline: ContinuousClock.Instant? { hasEnded ? nil : reader.deadline }

    /// Returns the inputs since the last call.
    ///
    /// - Parameter maximum: The number of events after which the rest is left for the next call.
    mutating func take(maximum: Int) -> [ShippingEngine.JournalInput] {
        guard !hasEnded else { return [] }
        do throws(StateClientError) {
            return inputs(try reader.take(maximum: maximum))
        } catch {
            failure = error
            hasEnded = true
            return [.closed]
        }
    }

    private mutating func inputs(_ items: [StreamItem]) -> [ShippingEngine.JournalInput] {
        // The events after such a hello are not the requested ones.
        for case .restarted(_, let stream) in items {
            hasEnded = true
            return [.restarted(stream: stream)]
        }
        return items.compactMap { item in
            switch item {
            case .connected(let hello):
                failure = nil
                return .opened(stream: hello.stream, newest: hello.sequence)
            case .event(let line): return JournalEvent(line.bytes, scanned: line.scanned).map { .event($0) }
            case .interrupted(let error, _):
                // The follower logs the agent's absence; it does not read the journal.
                if case .refused(RequestCode.journalUnreadable.rawValue, _) = error { failure = error }
                return nil
            // The next event's number reveals missing events.
            case .missed, .dropped, .snapshot, .restarted: return nil
            }
        }
    }
}
