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
    /// The number of events rejected since the start, because they were out of order or too long.
    public var refused = 0
    /// The repairs that were made when the journal was opened, as text.
    public var repairs: [String] = []
    /// The numbers known to be missing; from before the start only those found at the start.
    public var missing: [ClosedRange<UInt64>] = []
    /// The time of the last flush to the disk; `nil` before the first one.
    public var lastSync: Timestamp?
}

/// A change in the health of the journal, for the event `journal.degraded`.
public struct JournalCondition: Sendable, Hashable {
    /// The type of change; the raw values are part of the wire format and never change their meaning.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Events could not be written; the newest are queued in memory.
        case writeFailed = "journal_write_failed"
        /// Written data could not be flushed to the disk.
        case syncFailed = "journal_sync_failed"
        /// The disk was so slow that events were delivered before they were recorded, or never recorded.
        case stalled = "journal_stalled"
        /// Files of the journal were deleted or truncated from outside; recording continues in a new segment.
        case deleted = "journal_deleted"
        /// The previous agent ended while it could not write: the numbers that it may have used are skipped.
        case leaseFound = "journal_lease_found"
        /// All events are recorded again from here on.
        case resumed = "journal_resumed"
    }

    /// The type of change.
    public let code: Code
    /// A one-line explanation for people.
    public let detail: String
    /// The kernel's error message (strerror(3)), if any.
    public let error: String?
    /// The numbers of the events that the journal therefore lacks: the first and the last.
    public let missing: ClosedRange<UInt64>?

    /// `true` if events are not recorded or flushed as configured at the time of the report.
    ///
    /// ``Code/deleted`` and ``Code/leaseFound`` are about the past, so only another problem makes it true.
    public internal(set) var isDegraded: Bool

    /// Creates a condition; by default, its code says whether the journal is degraded.
    public init(code: Code, detail: String, error: String? = nil, missing: ClosedRange<UInt64>? = nil) {
        isDegraded =
            switch code {
            case .writeFailed, .syncFailed, .stalled: true
            case .deleted, .leaseFound, .resumed: false
            }
        self.code = code
        self.detail = detail
        self.error = error
        self.missing = missing
    }
}
