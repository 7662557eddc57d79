public import AgentEvents

/// An event as a position in the history of a device: everything up to it is at the broker.
public struct StreamPosition: Sendable, Hashable {
    /// The history that the number belongs to.
    public var epoch: StreamEpoch
    /// The number.
    public var sequence: UInt64
    /// The moment of the event: it distinguishes a number that was used twice.
    public var time: Timestamp

    /// A position.
    public init(epoch: StreamEpoch, sequence: UInt64, time: Timestamp) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
    }

    /// Parses the position that a broker has stored; `nil` if its id is not one of a sink's message.
    public init?(_ stored: StoredPosition) {
        guard let (epoch, sequence) = Self.parse(id: stored.id), let time = Timestamp(utc: Array(stored.time.utf8).span)
        else { return nil }
        self.init(epoch: epoch, sequence: sequence, time: time)
    }

    /// Parses the id of a message (``SinkMessage/id``); `nil` if it is not one of a sink's message.
    public static func parse(id: String) -> (epoch: StreamEpoch, sequence: UInt64)? {
        guard id.utf8.count <= StreamEpoch.maximumBytes + 32, let dash = id.lastIndex(of: "-") else { return nil }
        let digits = id[id.index(after: dash)...]
        guard let epoch = StreamEpoch(id[..<dash]), let sequence = UInt64(digits), digits == "\(sequence)",
            (1...UInt64(Int64.max)).contains(sequence)
        else { return nil }
        return (epoch, sequence)
    }
}

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

/// The histories that this machine has continued at the broker since its sink has started: a newest event of any other
/// one is another machine's with the same name.
///
/// The first connection accepts all: the device may have been replaced, or its disk restored, while the sink did not
/// run. So of two machines with one name the one that started last ships, and the other one sees it.
struct KnownHistories: Sendable, Hashable {
    /// A machine has one history, and another one each time that its journal is wiped or restored.
    private static let maximumCount = 16

    private var epochs: [StreamEpoch] = []

    /// Notes that an event of a history goes to the broker.
    mutating func add(_ epoch: StreamEpoch) {
        guard epochs.last != epoch else { return }
        epochs.removeAll { $0 == epoch }
        epochs = epochs.suffix(Self.maximumCount - 1) + [epoch]
    }

    /// Compares the history of the broker's newest event.
    ///
    /// - Parameter newest: `nil` where the broker has none, or cannot be asked.
    /// - Returns: False if it belongs to another machine.
    mutating func accept(_ newest: StreamEpoch?) -> Bool {
        guard let newest else { return true }
        // A server that lags behind the others, or was restored, may still be at an earlier generation.
        let isKnown = epochs.contains { $0.stream == newest.stream && $0.generation >= newest.generation }
        guard epochs.isEmpty || isKnown else { return false }
        if !isKnown { add(newest) }
        return true
    }
}
