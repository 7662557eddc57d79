internal import AgentEvents
internal import NIOCore

/// The delivery of unnumbered events to one subscription.
///
/// They are written between the others as long as the connection accepts them; others are dropped, and the next one
/// that is written has their number.
struct BroadcastListener {
    /// The total number of dropped events.
    private(set) var dropped: UInt64 = 0
    /// The number of dropped events that were not reported to the subscriber yet.
    private var untold: UInt64 = 0
    /// The selected types.
    let types: [EventType]
    private let filter: EventFilter
    private let form: LineForm

    /// Creates a listener for a subscription; `nil` if it selects no such type.
    init?(_ order: StreamOrder) {
        // events.sock has all numbered events, and no others.
        types = Broadcasts.types.filter { order.filter.asks(for: $0.rawValue.utf8) }
        guard order.form != .plain, !types.isEmpty else { return nil }
        filter = order.filter
        form = order.form
    }

    /// Writes as many events as the connection accepts.
    mutating func write(_ batch: Broadcasts.Batch, to connection: Connection) {
        for event in batch.events
        where types.contains(event.type) && filter.passes(subject: event.subject) {
            guard connection.isWritable else {
                drop(1)
                continue
            }
            var line = ByteBufferAllocator().buffer(capacity: event.line.count + 64)
            line.writeUnnumbered(event.line, as: form, dropped: untold)
            untold = 0
            connection.write(line, lines: 1)
        }
        drop(batch.dropped)
        connection.flush()
    }

    private mutating func drop(_ count: UInt64) {
        dropped &+= count
        untold &+= count
    }
}
