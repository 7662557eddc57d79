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

    /// Creates a condition.
    public init(code: Code, detail: String, error: String? = nil, missing: ClosedRange<UInt64>? = nil) {
        self.code = code
        self.detail = detail
        self.error = error
        self.missing = missing
    }

    /// `true` for a problem; false only for ``Code/resumed``.
    public var isTrouble: Bool { code != .resumed }
}
