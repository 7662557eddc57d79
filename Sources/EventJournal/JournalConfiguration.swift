/// The directory and the limits of a journal.
public struct JournalConfiguration: Sendable, Hashable {
    /// The directory, created with mode 0750 if it is missing.
    public var directory: String
    /// The policy for flushing to the disk.
    public var sync: SyncPolicy
    /// The size at which a segment is closed, and the next one started, in bytes.
    public var segmentBytes: Int
    /// The age of a segment's first event at which the segment is closed with the next event.
    public var segmentAge: Duration
    /// The total size above which the oldest segments are deleted, in bytes; the newest one is never deleted.
    public var totalBytes: Int
    /// The age of a closed segment's last event at which the segment is deleted.
    public var totalAge: Duration
    /// The age at which lasting events (settled changes, summaries, starts and stops) are deleted; zero deletes them
    /// with their segments.
    public var historyAge: Duration
    /// The total compressed size of lasting events above which the oldest are deleted, in bytes.
    public var historyBytes: Int
    /// `true` to compress closed segments (zstd).
    public var compressesClosedSegments: Bool

    /// Creates a configuration; the defaults suit an embedded device: 64 MiB, 30 days, segments of 8 MiB, and lasting
    /// events of 400 days and 64 MiB.
    public init(
        directory: String,
        sync: SyncPolicy = .standard,
        segmentBytes: Int = 8 << 20,
        segmentAge: Duration = .seconds(7 * 86_400),
        totalBytes: Int = 64 << 20,
        totalAge: Duration = .seconds(30 * 86_400),
        historyAge: Duration = .seconds(400 * 86_400),
        historyBytes: Int = 64 << 20,
        compressesClosedSegments: Bool = false
    ) {
        self.directory = directory
        self.sync = sync
        self.segmentBytes = segmentBytes
        self.segmentAge = segmentAge
        self.totalBytes = totalBytes
        self.totalAge = totalAge
        self.historyAge = historyAge
        self.historyBytes = historyBytes
        self.compressesClosedSegments = compressesClosedSegments
    }
}

/// The policy for flushing written data to the disk (fdatasync(2)).
public enum SyncPolicy: Sendable, Hashable {
    /// Before any consumer sees the event: no visible event is lost, not even in a power failure.
    case always
    /// At most this long after the write, and at once for urgent events.
    case interval(Duration)
    /// Left to the kernel.
    case never

    /// An interval of one second.
    public static var standard: SyncPolicy { .interval(.seconds(1)) }
}
