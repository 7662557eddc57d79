internal import EventEnvelope
internal import Synchronization

/// The way of events without a number from any thread to the subscribers that ask for them.
///
/// While nobody asks, a look at one counter is all that they cost. What waits for the event loop is bounded: what does not
/// fit is dropped and counted.
final class Broadcasts: Sendable {
    /// The most events, and the most bytes of them, that wait for the event loop.
    static let mostEvents = 1024
    static let mostBytes = 4 << 20

    /// What was taken at once.
    struct Batch {
        var events: [Event] = []
        var bytes = 0
        /// How many events did not fit behind these.
        var dropped: UInt64 = 0
    }

    /// How many subscribers ask for such events; set on the event loop.
    let listeners = Atomic<Int>(0)
    private let waiting = Mutex(Batch())

    /// The types that are told this way.
    static func carries(_ type: EventType) -> Bool { type == .probeCompleted }

    /// Takes an event; whether the event loop has to be told.
    func add(_ event: Event) -> Bool {
        waiting.withLock { batch in
            let isFirst = batch.events.isEmpty && batch.dropped == 0
            if batch.events.count < Self.mostEvents, batch.bytes + event.line.count <= Self.mostBytes {
                batch.events.append(event)
                batch.bytes += event.line.count
            } else {
                batch.dropped &+= 1
            }
            return isFirst
        }
    }

    /// What waits.
    func take() -> Batch {
        waiting.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }
}
