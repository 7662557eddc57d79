internal import AgentEvents
internal import Synchronization

/// The queue of unnumbered events from any thread to the subscribers that select them.
///
/// Without such subscribers they cost only the read of one counter. The queue for the event loop is bounded: events
/// that do not fit are dropped and counted.
final class Broadcasts: Sendable {
    /// The maximum number of queued events, and the maximum of their bytes.
    static let maximumEvents = 1024
    static let maximumBytes = 4 << 20

    /// The events taken at once.
    struct Batch {
        var events: [Event] = []
        var bytes = 0
        /// The number of events after these that did not fit.
        var dropped: UInt64 = 0
    }

    /// The number of subscribers to such events; set on the event loop.
    let listeners = Atomic<Int>(0)
    private let waiting = Mutex(Batch())

    /// Returns whether events of this type are unnumbered.
    static func carries(_ type: EventType) -> Bool { type == .probeCompleted }

    /// Queues an event; returns whether the event loop must be woken.
    func add(_ event: Event) -> Bool {
        waiting.withLock { batch in
            let isFirst = batch.events.isEmpty && batch.dropped == 0
            if batch.events.count < Self.maximumEvents, batch.bytes + event.line.count <= Self.maximumBytes {
                batch.events.append(event)
                batch.bytes += event.line.count
            } else {
                batch.dropped &+= 1
            }
            return isFirst
        }
    }

    /// Takes the queued events.
    func take() -> Batch {
        waiting.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }
}
