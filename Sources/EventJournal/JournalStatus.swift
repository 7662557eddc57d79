public import AgentEvents

/// The status of a journal.
public struct JournalStatus: Sendable, Hashable {
    /// The directory of the journal.
    public var directory: String
    /// The name of the stream of numbers.
    public var streamID: String
    /// The policy for flushing to the disk.
    public var syncPolicy: SyncPolicy
    /// The oldest readable number; `nil` without events.
    public var oldestSequence: UInt64?
    /// The newest written number; `nil` without events.
    public var newestSequence: UInt64?
    /// The number of the next event.
    public var nextSequence: UInt64
    /// The number of segments.
    public var segments = 0
    /// The total size of all segments on the disk, in bytes.
    public var bytes = 0
    /// The number of events queued in memory because they could not be written.
    public var waiting = 0
    /// The current problem; `nil` if there is none.
    public var trouble: JournalCondition?
    /// `true` if events are currently not recorded or flushed as configured.
    public var isDegraded: Bool { trouble != nil }
    /// The number of invalid lines found when the journal was opened.
    public var corruptLines = 0
    /// The number of events refused since the start, because they were out of order or too long.
    public var refused = 0
    /// The repairs since the journal was opened, as text; only the newest ones.
    public var repairs: [String] = []
    /// The numbers known to be missing; from before the start only those found at the start.
    public var missing: [ClosedRange<UInt64>] = []
    /// The time of the last flush to the disk; `nil` before the first one.
    public var lastSync: Timestamp?
}
