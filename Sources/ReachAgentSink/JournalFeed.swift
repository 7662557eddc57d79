internal import AgentEvents
internal import Sinks
internal import StateClient

/// The present subscription of a sink to the journal.
struct JournalFeed {
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
