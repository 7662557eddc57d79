public import AgentEvents

/// An event as a position in the history of a device: everything up to it is at the broker.
public struct StreamPosition: Sendable, Hashable {
    /// The history that the number belongs to.
    public var epoch: StreamEpoch
    /// The number.
    public var sequence: UInt64
    /// The moment of the event: a number that was given twice is told from the first one by it.
    public var time: Timestamp

    /// A position.
    public init(epoch: StreamEpoch, sequence: UInt64, time: Timestamp) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
    }

    /// Reads the position that a broker has stored; `nil` when it is none of ours.
    ///
    public init?(_ stored: StoredPosition) {
        guard let (epoch, sequence) = Self.parse(id: stored.id), let time = Timestamp(utc: Array(stored.time.utf8).span)
        else { return nil }
        self.init(epoch: epoch, sequence: sequence, time: time)
    }

    /// Reads the id of a message (``SinkMessage/id``); `nil` when it is none of ours.
    public static func parse(id: String) -> (epoch: StreamEpoch, sequence: UInt64)? {
        guard id.utf8.count <= StreamEpoch.maximumBytes + 32, let dash = id.lastIndex(of: "-") else { return nil }
        let digits = id[id.index(after: dash)...]
        guard let epoch = StreamEpoch(id[..<dash]), let sequence = UInt64(digits), digits == "\(sequence)",
            (1...UInt64(Int64.max)).contains(sequence)
        else { return nil }
        return (epoch, sequence)
    }
}
