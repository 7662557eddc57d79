/// A history of numbers as a broker's readers see it: the journal's stream, and a count of how often its numbers went
/// back.
///
/// A disk that is restored from a snapshot numbers new events with numbers that the broker has seen already. From then
/// on the stream has another name for readers: `<stream>~1`, `<stream>~2`, and so on. So (device, epoch, number) names
/// one event for ever.
public struct StreamEpoch: Sendable, Hashable, CustomStringConvertible {
    /// The journal's stream.
    public let stream: String
    /// The number of times that numbers went back.
    public let generation: UInt32

    /// The maximum number of bytes of a stream's name.
    static let maximumBytes = 128

    /// An epoch; `nil` when the stream's name could not be read back from an id.
    public init?(stream: String, generation: UInt32 = 0) {
        // Printable ASCII without a blank: the name stands in a header.
        guard (1...Self.maximumBytes).contains(stream.utf8.count),
            stream.utf8.allSatisfy({ (0x21...0x7D).contains($0) })
        else { return nil }
        self.stream = stream
        self.generation = generation
    }

    /// Reads what ``description`` writes.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumBytes + 11 else { return nil }
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        guard let stream = parts.first else { return nil }
        guard parts.count == 2 else {
            self.init(stream: String(stream))
            return
        }
        guard let generation = UInt32(parts[1]), generation > 0, parts[1] == "\(generation)" else { return nil }
        self.init(stream: String(stream), generation: generation)
    }

    /// The epoch after numbers went back once more; `nil` when that has happened as often as can be counted.
    var next: StreamEpoch? {
        let (generation, overflow) = generation.addingReportingOverflow(1)
        return overflow ? nil : StreamEpoch(stream: stream, generation: generation)
    }

    /// `<stream>`, or `<stream>~<generation>`.
    public var description: String { generation == 0 ? stream : "\(stream)~\(generation)" }

    /// The id of a message: `<epoch>-<number>`.
    public func id(of sequence: UInt64) -> String { "\(self)-\(sequence)" }
}
