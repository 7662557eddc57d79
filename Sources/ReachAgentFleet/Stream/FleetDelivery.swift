internal import AgentEvents

/// The part of the stored events that a consumer delivers.
enum FleetDelivery: Sendable, Hashable {
    /// The newest event of each subject: of each device and type.
    case newest
    /// Every event that was stored at a moment or later.
    case since(Timestamp)
    /// Every event behind a position in the stream.
    case after(UInt64)
    /// Events from now on.
    case new
    /// Every event.
    case all

    /// True for an event that is wanted; the broker begins with the whole second of a moment.
    func includes(_ message: FleetMessage) -> Bool {
        if case .since(let moment) = self { message.stored >= moment } else { true }
    }
}

/// An event with its position in the stream.
struct FleetDelivered: Sendable {
    var message: FleetMessage
    /// The position in the stream.
    var position: UInt64
    /// The number of events that wait at the broker behind it.
    var pending: UInt64
}
