/// Events that were recorded, and not kept for as long as others: it stands in the place of the last of them.
///
/// The numbers from ``firstSequence`` to the event's own are not missing.
public struct EventsOmitted: Codable, Sendable, Hashable {
    /// The number of the first omitted event.
    public var firstSequence: UInt64
    /// The number of omitted events.
    public var count: UInt64

    private enum CodingKeys: String, CodingKey {
        case firstSequence = "first_seq"
        case count
    }

    /// Omitted events.
    public init(firstSequence: UInt64, count: UInt64) {
        self.firstSequence = firstSequence
        self.count = count
    }
}
