internal import EventEnvelope
internal import NIOCore

/// What one subscription gets of the events without a number.
///
/// They are written between the others as long as the connection takes them; what it does not take is dropped, and the next
/// one that is written says how many those were.
struct BroadcastListener {
    /// How many were dropped so far.
    private(set) var dropped: UInt64 = 0
    /// How many of them the subscriber was not told of yet.
    private var untold: UInt64 = 0
    private let filter: EventFilter

    /// A listener for a subscription; `nil` when it asks for no such type.
    init?(_ order: StreamOrder) {
        // events.sock has everything that is numbered, and nothing else.
        guard order.form == .reply,
            EventType.allCases.contains(where: { Broadcasts.carries($0) && order.filter.asks(for: $0.rawValue.utf8) })
        else { return nil }
        filter = order.filter
    }

    /// Writes what the connection takes.
    mutating func write(_ batch: Broadcasts.Batch, to connection: Connection) {
        for event in batch.events
        where filter.asks(for: event.type.rawValue.utf8) && filter.passes(subject: event.subject) {
            guard connection.isWritable else {
                drop(1)
                continue
            }
            var line = ByteBufferAllocator().buffer(capacity: event.line.count + 64)
            line.writeReply(event.line, dropped: untold)
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
