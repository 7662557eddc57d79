internal import AgentEvents
internal import NIOCore
internal import Synchronization

/// The queue of unnumbered events from any thread to the subscribers that select them.
///
/// Without such subscribers an event costs only one atomic read. The queue for the event loop is bounded: events that
/// do not fit are dropped and counted.
final class Broadcasts: Sendable {
    /// The maximum number of queued events, and their maximum size in bytes.
    static let maximumEvents = 1024
    static let maximumBytes = 4 << 20

    /// The events taken by one call.
    struct Batch {
        var events: [Event] = []
        var bytes = 0
        /// The number of later events that did not fit.
        var dropped: UInt64 = 0
    }

    /// The types that subscribers select, one bit per type; set on the event loop.
    private let selected = Atomic<UInt8>(0)
    private let waiting = Mutex(Batch())

    /// The types of such events; the opening lines of a connection are unnumbered too, but not sent to all subscribers.
    static let types: [EventType] = [.probeCompleted, .probeProgress]

    /// Returns whether a subscriber selects a type.
    func wants(_ type: EventType) -> Bool {
        Self.types.firstIndex(of: type).map { selected.load(ordering: .relaxed) & 1 << $0 != 0 } ?? false
    }

    /// Sets the types that subscribers select from now on.
    func select(_ types: some Sequence<EventType>) {
        let bits = types.reduce(0 as UInt8) { bits, type in
            bits | (Self.types.firstIndex(of: type).map { 1 << $0 } ?? 0)
        }
        selected.store(bits, ordering: .relaxed)
    }

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

/// The delivery of unnumbered events to one subscription.
///
/// They are written between numbered events as long as the connection accepts them. Otherwise they are dropped, and the
/// next one that is written contains the number of dropped events. A reference, because the connection may break during
/// a write, which ends the subscription. Used only on the event loop.
final class BroadcastListener {
    /// The total number of dropped events.
    private(set) var dropped: UInt64 = 0
    /// The number of dropped events that were not reported to the subscriber yet.
    private var unreported: UInt64 = 0
    /// The selected types.
    let types: [EventType]
    private let filter: EventFilter
    private let format: LineFormat

    /// Creates a listener for a subscription; `nil` if it selects no such type.
    init?(_ parameters: SubscriptionParameters) {
        // events.sock has all numbered events, and no unnumbered ones.
        types = Broadcasts.types.filter { parameters.filter.asks(for: $0.rawValue.utf8) }
        guard parameters.format != .plain, !types.isEmpty else { return nil }
        filter = parameters.filter
        format = parameters.format
    }

    /// Writes as many events as the connection accepts.
    func write(_ batch: Broadcasts.Batch, to connection: Connection) {
        for event in batch.events
        where types.contains(event.type) && filter.passes(subject: event.subject) {
            guard connection.isWritable else {
                drop(1)
                continue
            }
            var line = ByteBufferAllocator().buffer(capacity: event.line.count + 64)
            line.writeUnnumbered(event.line, as: format, dropped: unreported)
            unreported = 0
            connection.write(line, lines: 1)
        }
        drop(batch.dropped)
        connection.flush()
    }

    private func drop(_ count: UInt64) {
        dropped &+= count
        unreported &+= count
    }
}
