/// The progress of a probe's transfer: at each change of the phase, and otherwise at most ten times a second.
public struct ProbeProgress: Codable, Sendable, Hashable {
    /// The probe and its vantage point.
    public var point: ProbePoint
    /// `started`, `download`, `upload`, `suspended`, `resumed`, `completed` or `cancelled`.
    public var phase: String
    /// The payload bytes of the current direction so far.
    public var bytes: Int
    /// The payload bytes requested in the current direction.
    public var totalBytes: Int
    /// The payload rate over the last second; `nil` before the first measurement.
    public var bitsPerSecond: Int64?
    /// The last round trip minus the idle median, in microseconds; `nil` before the first measurement.
    public var addedMicroseconds: Int64?
    /// The time since the start of the transfer, in microseconds.
    public var elapsedMicroseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case phase, bytes
        case totalBytes = "total_bytes"
        case bitsPerSecond = "bps"
        case addedMicroseconds = "added_us"
        case elapsedMicroseconds = "elapsed_us"
    }

    /// Creates a progress report.
    public init(
        point: ProbePoint,
        phase: String,
        bytes: Int,
        totalBytes: Int,
        bitsPerSecond: Int64? = nil,
        addedMicroseconds: Int64? = nil,
        elapsedMicroseconds: Int64
    ) {
        self.point = point
        self.phase = phase
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.bitsPerSecond = bitsPerSecond
        self.addedMicroseconds = addedMicroseconds
        self.elapsedMicroseconds = elapsedMicroseconds
    }

    /// Reads the progress, with the point's members beside its own.
    public init(from decoder: any Decoder) throws {
        point = try ProbePoint(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        phase = try members.decode(String.self, forKey: .phase)
        bytes = try members.decode(Int.self, forKey: .bytes)
        totalBytes = try members.decode(Int.self, forKey: .totalBytes)
        bitsPerSecond = try members.decodeIfPresent(Int64.self, forKey: .bitsPerSecond)
        addedMicroseconds = try members.decodeIfPresent(Int64.self, forKey: .addedMicroseconds)
        elapsedMicroseconds = try members.decode(Int64.self, forKey: .elapsedMicroseconds)
    }

    /// Writes the progress, with the point's members before its own.
    public func encode(to encoder: any Encoder) throws {
        try point.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(phase, forKey: .phase)
        try members.encode(bytes, forKey: .bytes)
        try members.encode(totalBytes, forKey: .totalBytes)
        try members.encodeIfPresent(bitsPerSecond, forKey: .bitsPerSecond)
        try members.encodeIfPresent(addedMicroseconds, forKey: .addedMicroseconds)
        try members.encode(elapsedMicroseconds, forKey: .elapsedMicroseconds)
    }
}
