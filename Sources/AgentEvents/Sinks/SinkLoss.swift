/// Events that a sink's broker never gets: they left the journal before they were acknowledged.
public struct SinkLoss: Codable, Sendable, Hashable {
    /// The sink.
    public var sink: String
    /// The number of the first lost event.
    public var firstSequence: UInt64
    /// The number of the last lost event.
    public var lastSequence: UInt64

    private enum CodingKeys: String, CodingKey {
        case sink
        case firstSequence = "first_seq"
        case lastSequence = "last_seq"
    }

    /// A loss.
    public init(sink: String, firstSequence: UInt64, lastSequence: UInt64) {
        self.sink = sink
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
    }
}
