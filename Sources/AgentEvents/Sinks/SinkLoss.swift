/// Events that a sink's broker never gets.
public struct SinkLoss: Codable, Sendable, Hashable {
    /// The code of events that left the journal before the broker had them.
    public static let expired = "events_expired"

    /// The sink.
    public var sink: String
    /// The number of the first lost event.
    public var firstSequence: UInt64
    /// The number of the last lost event.
    public var lastSequence: UInt64
    /// The reason: ``expired``, or the code with which the broker refuses an event for good, such as `broker_too_large`.
    public var code: String

    private enum CodingKeys: String, CodingKey {
        case sink
        case firstSequence = "first_seq"
        case lastSequence = "last_seq"
        case code
    }

    /// A loss.
    public init(sink: String, firstSequence: UInt64, lastSequence: UInt64, code: String = SinkLoss.expired) {
        self.sink = sink
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
        self.code = code
    }

    /// The number of lost events; 0 for numbers in the wrong order.
    public var count: UInt64 { lastSequence < firstSequence ? 0 : lastSequence - firstSequence &+ 1 }

    /// `events 12 to 40 were lost to the broker [events_expired]`.
    public var summary: String {
        let events =
            firstSequence == lastSequence
            ? "event \(firstSequence) was" : "events \(firstSequence) to \(lastSequence) were"
        return "\(events) lost to the broker [\(code)]"
    }
}
