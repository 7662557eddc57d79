internal import AgentEvents
internal import Sinks
internal import StateClient

/// The agent as it is now: a subscription of its own beside those that read the journal from the past.
struct AgentFollower {
    /// Something that the sinks have to know.
    enum Update {
        /// The machine is in this state.
        case machine(MachineState)
        /// The agent has said hello: it may have started anew.
        case agentAppeared
        /// The agent has read its configuration again.
        case reloaded
    }

    private let reader: StateReader
    private var isInterrupted = false

    init(_ client: StateClient) throws(ClientError) {
        reader = try client.reader(StateSubscription(types: ["config.reloaded", "reachability.changed"]))
    }

    /// The descriptor to wait for; negative for none.
    var descriptor: Int32 { reader.descriptor }

    /// The moment at which ``take()`` has something to do by itself.
    var deadline: ContinuousClock.Instant? { reader.deadline }

    /// Takes what has happened.
    ///
    /// - Throws: ``ClientError`` when the agent cannot be followed from here.
    mutating func take() throws(ClientError) -> [Update] {
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
                // Tried again every other second for as long as the agent is away.
                if !isInterrupted { SinkLog.write(.notice, "waiting for the agent: \(error)") }
                isInterrupted = true
            case .missed, .restarted: break
            }
        }
        return updates
    }
}

/// The present subscription of a sink to the journal.
struct JournalSubscription {
    private let reader: StateReader
    /// The stream cannot be continued: nothing follows.
    private(set) var hasEnded = false

    /// A subscription to everything after a number.
    ///
    /// - Parameter stream: The stream of the number; `nil` to accept any.
    /// - Throws: ``ClientError`` when there is no descriptor left.
    init(_ client: StateClient, stream: String?, after sequence: UInt64) throws(ClientError) {
        var subscription = StateSubscription(since: sequence, stream: stream)
        subscription.resumesWithOldest = true
        reader = try client.reader(subscription)
    }

    /// The descriptor to wait for; negative for none.
    var descriptor: Int32 { hasEnded ? -1 : reader.descriptor }

    /// The moment at which ``take(maximum:)`` has something to do by itself; `nil` for none.
    var deadline: ContinuousClock.Instant? { hasEnded ? nil : reader.deadline }

    /// Takes what has come.
    ///
    /// - Parameter maximum: The number of events after which the rest is left for the next call.
    mutating func take(maximum: Int) -> [ShippingEngine.JournalInput] {
        guard !hasEnded else { return [] }
        do throws(ClientError) {
            return inputs(try reader.take(maximum: maximum))
        } catch {
            SinkLog.write(.warning, "cannot follow the agent's events: \(error)")
            hasEnded = true
            return [.closed]
        }
    }

    private mutating func inputs(_ items: [StreamItem]) -> [ShippingEngine.JournalInput] {
        // Behind such a hello come the events after it, which are not those that were asked for.
        for case .restarted(_, let stream) in items {
            hasEnded = true
            return [.restarted(stream: stream)]
        }
        return items.compactMap { item in
            switch item {
            case .connected(let hello): .opened(stream: hello.stream, newest: hello.sequence)
            case .event(let line): JournalEvent(line.bytes, scanned: line.scanned).map { .event($0) }
            // The next event's number shows what is missing; the agent's absence is the follower's to log.
            case .missed, .interrupted, .snapshot, .restarted: nil
            }
        }
    }
}
