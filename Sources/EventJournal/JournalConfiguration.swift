/// Where the journal is, and how much of it is kept.
public struct JournalConfiguration: Sendable, Hashable {
    /// The directory, made with mode 0750 when it is missing.
    public var directory: String
    /// When what was written is forced onto the disk.
    public var sync: SyncPolicy
    /// A segment that has this many bytes is closed, and the next one begun.
    public var segmentBytes: Int
    /// A segment whose first event is this old is closed with the next event.
    public var segmentAge: Duration
    /// The oldest segments are deleted while all together have more bytes; the newest one is never deleted.
    public var totalBytes: Int
    /// A closed segment whose last event is older is deleted.
    public var totalAge: Duration
    /// Whether closed segments are compressed (zstd).
    public var compressesClosedSegments: Bool

    /// A configuration; the defaults suit an embedded device: 64 MiB, 30 days, segments of 8 MiB.
    public init(
        directory: String,
        sync: SyncPolicy = .standard,
        segmentBytes: Int = 8 << 20,
        segmentAge: Duration = .seconds(7 * 86_400),
        totalBytes: Int = 64 << 20,
        totalAge: Duration = .seconds(30 * 86_400),
        compressesClosedSegments: Bool = false
    ) {
        self.directory = directory
        self.sync = sync
        self.segmentBytes = segmentBytes
        self.segmentAge = segmentAge
        self.totalBytes = totalBytes
        self.totalAge = totalAge
        self.compressesClosedSegments = compressesClosedSegments
    }
}
