/// The progress of a transfer, as AFNetworking publishes that of its tasks: at each change of the phase, and at most ten
/// times a second between.
public struct TransferProgress: Sendable, Hashable {
    /// The phases of a transfer.
    public enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
        /// The connections are being opened, and the idle round trips measured.
        case started
        /// Bytes come from the server.
        case download
        /// Bytes go to the server.
        case upload
        /// The path was lost; the transfer waits for another one.
        case suspended
        /// The download goes on over another connection.
        case resumed
        /// The transfer is over; the report has its measurements.
        case completed
        /// The transfer was given up before its end.
        case cancelled
    }

    /// The phase.
    public var phase: Phase
    /// The payload bytes of the current direction so far.
    public var bytes: Int
    /// The payload bytes wanted in the current direction.
    public var totalBytes: Int
    /// The payload rate over the last second, in bits per second; nil where there is none yet.
    public var bitsPerSecond: Double?
    /// The last round trip of a small request less the idle median, at least zero; nil while there is none.
    public var addedLatency: Duration?
    /// The time since the transfer began.
    public var elapsed: Duration
    /// The bytes that the transfer has put on the link so far, in all its connections and both directions, with all
    /// headers; 0 where they are not counted.
    public var bytesOnWire: Int

    /// Creates a progress.
    public init(
        phase: Phase,
        bytes: Int = 0,
        totalBytes: Int = 0,
        bitsPerSecond: Double? = nil,
        addedLatency: Duration? = nil,
        elapsed: Duration = .zero,
        bytesOnWire: Int = 0
    ) {
        self.phase = phase
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.bitsPerSecond = bitsPerSecond
        self.addedLatency = addedLatency
        self.elapsed = elapsed
        self.bytesOnWire = bytesOnWire
    }
}
