internal import AgentEvents

/// The newest event up to which a broker has everything.
///
/// Only a hint where the broker can be asked (``TransportEvent/connected(newest:)``): there it counts after a purge
/// alone. It counts for one broker and one device name; after a change of either, everything is shipped that the
/// journal has.
public struct SinkCursor: Sendable, Hashable {
    /// The broker's address (``BrokerAddress/description``).
    public var broker: String
    /// The device's name at the broker.
    public var device: String
    /// The newest event.
    public var position: StreamPosition
    /// The numbers of earlier events that reached the broker after that one.
    ///
    /// While one of them is the broker's newest, the position counts.
    public var late: [UInt64]

    /// The maximum number of late events.
    private static let maximumLate = 256

    /// A cursor.
    public init(broker: String, device: String, position: StreamPosition, late: [UInt64] = []) {
        self.broker = broker
        self.device = device
        self.position = position
        self.late = late
    }
}

extension SinkCursor: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, broker, device, stream, generation, time, late
        case sequence = "seq"
    }

    private static let version = 1

    /// Reads a cursor.
    ///
    /// - Throws: `DecodingError` when a member is missing or out of its bounds; members that are not known are ignored.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard try members.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: members, debugDescription: "another version")
        }
        broker = try members.decode(String.self, forKey: .broker)
        device = try members.decode(String.self, forKey: .device)
        late = Array(try (members.decodeIfPresent([UInt64].self, forKey: .late) ?? []).prefix(Self.maximumLate))
        let stream = try members.decode(String.self, forKey: .stream)
        let generation = try members.decodeIfPresent(UInt32.self, forKey: .generation) ?? 0
        let sequence = try members.decode(UInt64.self, forKey: .sequence)
        guard let epoch = StreamEpoch(stream: stream, generation: generation),
            (1...UInt64(Int64.max)).contains(sequence)
        else {
            throw DecodingError.dataCorruptedError(forKey: .sequence, in: members, debugDescription: "out of bounds")
        }
        position = StreamPosition(
            epoch: epoch,
            sequence: sequence,
            time: try members.decode(Timestamp.self, forKey: .time)
        )
    }

    /// Writes the cursor.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(Self.version, forKey: .version)
        try members.encode(broker, forKey: .broker)
        try members.encode(device, forKey: .device)
        try members.encode(position.epoch.stream, forKey: .stream)
        if position.epoch.generation > 0 { try members.encode(position.epoch.generation, forKey: .generation) }
        try members.encode(position.sequence, forKey: .sequence)
        try members.encode(position.time, forKey: .time)
        if !late.isEmpty { try members.encode(late, forKey: .late) }
    }
}
