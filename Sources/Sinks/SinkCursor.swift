internal import AgentEvents
internal import Glibc
package import LinuxSupport

/// The newest event up to which a broker has everything.
///
/// It is only a hint if the broker can be queried (``TransportEvent/connected(newest:)``): then it counts only after a
/// purge. It applies to one `SinkTarget`; with another one, all events of the journal are shipped.
public struct SinkCursor: Sendable, Hashable {
    /// The broker's address (``BrokerAddress/description``).
    public var broker: String
    /// The device's name at the broker.
    public var device: String
    /// The newest event; its number is 0 if the broker lacks the first event of the history, but may have later ones.
    public var position: StreamPosition
    /// The numbers of events that reached the broker after later ones.
    ///
    /// While one of them is the broker's newest, ``latePosition`` counts.
    public var late: [UInt64]
    /// The newest event that the broker had before the late ones; `nil` if it is the position.
    public var latePosition: StreamPosition?
    /// The numbers of events after the position that the broker may lack although it has later ones.
    public var missing: [UInt64]

    /// The maximum number of late events, and of missing ones.
    private static let maximumCount = 256

    /// Creates a cursor.
    public init(
        broker: String,
        device: String,
        position: StreamPosition,
        late: [UInt64] = [],
        latePosition: StreamPosition? = nil,
        missing: [UInt64] = []
    ) {
        self.broker = broker
        self.device = device
        self.position = position
        self.late = late
        self.latePosition = latePosition
        self.missing = missing
    }

    /// The target whose newest event it is.
    var target: SinkTarget { SinkTarget(broker: broker, device: device) }
}

extension SinkCursor: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, broker, device, stream, generation, time, late, missing
        case sequence = "seq"
        case lateSequence = "late_seq"
        case lateTime = "late_time"
    }

    private static let version = 1

    /// Reads a cursor.
    ///
    /// - Throws: `DecodingError` if a member is missing or out of bounds; unknown members are ignored.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard try members.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: members, debugDescription: "another version")
        }
        broker = try members.decode(String.self, forKey: .broker)
        device = try members.decode(String.self, forKey: .device)
        late = try Self.numbers(.late, of: members)
        missing = try Self.numbers(.missing, of: members)
        let stream = try members.decode(String.self, forKey: .stream)
        let generation = try members.decodeIfPresent(UInt32.self, forKey: .generation) ?? 0
        let sequence = try members.decode(UInt64.self, forKey: .sequence)
        let lateSequence = try members.decodeIfPresent(UInt64.self, forKey: .lateSequence)
        // Late events need an event before them, at the position or at one of their own.
        let mayBeZero = !missing.isEmpty && (late.isEmpty || lateSequence != nil)
        guard let epoch = StreamEpoch(stream: stream, generation: generation),
            Self.bounds.contains(sequence) || sequence == 0 && mayBeZero
        else {
            throw DecodingError.dataCorruptedError(forKey: .sequence, in: members, debugDescription: "out of bounds")
        }
        position = StreamPosition(
            epoch: epoch,
            sequence: sequence,
            time: try members.decode(Timestamp.self, forKey: .time)
        )
        guard let lateSequence else { return }
        guard Self.bounds.contains(lateSequence) else {
            throw DecodingError.dataCorruptedError(
                forKey: .lateSequence,
                in: members,
                debugDescription: "out of bounds"
            )
        }
        latePosition = StreamPosition(
            epoch: epoch,
            sequence: lateSequence,
            time: try members.decode(Timestamp.self, forKey: .lateTime)
        )
    }

    /// The numbers that an event may have.
    private static let bounds = 1...UInt64(Int64.max)

    private static func numbers(
        _ key: CodingKeys,
        of members: KeyedDecodingContainer<CodingKeys>
    ) throws -> [UInt64] {
        let numbers = try members.decodeIfPresent([UInt64].self, forKey: key) ?? []
        return numbers.prefix(maximumCount).filter { bounds.contains($0) }
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
        if !missing.isEmpty { try members.encode(missing, forKey: .missing) }
        if let latePosition {
            try members.encode(latePosition.sequence, forKey: .lateSequence)
            try members.encode(latePosition.time, forKey: .lateTime)
        }
    }
}

/// The file of a sink's cursor: `<state directory>/<name>.cursor`.
///
/// It is replaced atomically and fsynced with its directory. A file that cannot be read counts as missing, which is
/// safe because events are shipped once more and recognised as duplicates.
public struct SinkCursorFile: Sendable {
    private static let maximumBytes = 16 << 10

    /// The path of the file.
    public let path: String

    /// Creates the file of a sink.
    ///
    /// - Parameters:
    ///   - name: The name of the sink, which the configuration allows only without a slash.
    ///   - directory: The directory, which exists.
    public init(sink name: String, in directory: String) {
        path = "\(directory)/\(name).cursor"
    }

    /// Reads the cursor; `nil` if there is none, or if it cannot be read.
    public func read() -> SinkCursor? {
        // Only a regular file is read, without waiting for a FIFO in its place.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var entry = stat()
        guard fstat(file, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG,
            (1...Self.maximumBytes).contains(entry.st_size)
        else { return nil }
        let text = [UInt8](unsafeUninitializedCapacity: entry.st_size) { buffer, count in
            count = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
        }
        guard text.count == entry.st_size else { return nil }
        return try? EventDecoder.decode(SinkCursor.self, from: text)
    }

    /// Replaces the cursor.
    ///
    /// - Throws: `FileError` if it could not be written; the former cursor then still exists.
    package func write(_ cursor: SinkCursor) throws(FileError) {
        let text = JSONWriter.text(of: cursor) + [0x0A]
        try FileReplacement.write(text, to: path, mode: 0o640, options: [.directoryOwner, .durable])
    }

    /// Removes the cursor, if there is one.
    package func remove() { unlink(path) }
}
