public import AgentEvents

/// An event as a position in the history of a device: the broker has everything up to it.
public struct StreamPosition: Sendable, Hashable {
    /// The history that the number belongs to.
    public var epoch: StreamEpoch
    /// The number.
    public var sequence: UInt64
    /// The moment of the event, which distinguishes a reused number.
    public var time: Timestamp

    /// Creates a position.
    public init(epoch: StreamEpoch, sequence: UInt64, time: Timestamp) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
    }

    /// Parses the position that a broker has stored; `nil` if its id is not that of a sink's message.
    public init?(_ stored: StoredPosition) {
        guard let (epoch, sequence) = Self.parse(id: stored.id), let time = Timestamp(utc: Array(stored.time.utf8).span)
        else { return nil }
        self.init(epoch: epoch, sequence: sequence, time: time)
    }

    /// Parses the id of a message (``SinkMessage/id``); `nil` if it is not that of a sink's message.
    public static func parse(id: String) -> (epoch: StreamEpoch, sequence: UInt64)? {
        guard id.utf8.count <= StreamEpoch.maximumBytes + 32, let dash = id.lastIndex(of: "-") else { return nil }
        let digits = id[id.index(after: dash)...]
        guard let epoch = StreamEpoch(id[..<dash]), let sequence = UInt64(digits), digits == "\(sequence)",
            (1...UInt64(Int64.max)).contains(sequence)
        else { return nil }
        return (epoch, sequence)
    }
}

/// A history of numbers from the point of view of a broker's readers: the journal's stream, and a count of the times
/// that its numbers went back.
///
/// A disk that is restored from a snapshot gives new events numbers that the broker has already seen. From then on the
/// stream has another name for readers: `<stream>~1`, `<stream>~2`, and so on. So (device, epoch, number) identifies
/// one event permanently.
public struct StreamEpoch: Sendable, Hashable, CustomStringConvertible {
    /// The journal's stream.
    public let stream: String
    /// The number of times that numbers went back.
    public let generation: UInt32

    /// The maximum number of bytes of a stream's name.
    static let maximumBytes = 128

    /// Creates an epoch; `nil` if the stream's name could not be read back from an id.
    public init?(stream: String, generation: UInt32 = 0) {
        // Printable ASCII without spaces, because the name is part of a header.
        guard (1...Self.maximumBytes).contains(stream.utf8.count),
            stream.utf8.allSatisfy({ (0x21...0x7D).contains($0) })
        else { return nil }
        self.stream = stream
        self.generation = generation
    }

    /// Parses the format of ``description``.
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

    /// The epoch after the numbers went back once more; `nil` if the count would overflow.
    var next: StreamEpoch? {
        let (generation, overflow) = generation.addingReportingOverflow(1)
        return overflow ? nil : StreamEpoch(stream: stream, generation: generation)
    }

    /// `<stream>`, or `<stream>~<generation>`.
    public var description: String { generation == 0 ? stream : "\(stream)~\(generation)" }

    /// Returns the id of a message: `<epoch>-<number>`.
    public func id(of sequence: UInt64) -> String { "\(self)-\(sequence)" }
}

/// The histories that this machine has continued at the broker since the start of its sink: a newest event of any other
/// history belongs to another machine with the same name.
///
/// The first connection accepts all histories: the device may have been replaced, or its disk restored, while the sink
/// did not run. So of two machines with the same name, the one that started last ships, and the other one detects it.
struct KnownHistories: Sendable, Hashable {
    /// A machine has one history, and a new one each time that its journal is wiped or restored.
    private static let maximumCount = 16

    private var epochs: [StreamEpoch] = []

    /// Records that an event of a history is sent to the broker.
    mutating func add(_ epoch: StreamEpoch) {
        guard epochs.last != epoch else { return }
        epochs.removeAll { $0 == epoch }
        epochs = epochs.suffix(Self.maximumCount - 1) + [epoch]
    }

    /// Compares the history of the broker's newest event.
    ///
    /// - Parameter newest: `nil` if the broker has none, or cannot be queried.
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
