/// A change in how well the journal works: what the event `journal.degraded` says.
public struct JournalCondition: Sendable, Hashable {
    /// What happened; the raw values are part of the wire format and never change their meaning.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Events could not be written; the newest wait in memory.
        case writeFailed = "journal_write_failed"
        /// What was written could not be forced onto the disk.
        case syncFailed = "journal_sync_failed"
        /// The disk was so slow that events were delivered before they were recorded, or were not recorded at all.
        case stalled = "journal_stalled"
        /// Files of the journal were deleted or cut by somebody else; recording goes on in a new segment.
        case deleted = "journal_deleted"
        /// The agent that ran before ended while it could not write: the numbers that it may have used are left out.
        case leaseFound = "journal_lease_found"
        /// Everything is recorded again from here on.
        case resumed = "journal_resumed"
    }

    /// What happened.
    public let code: Code
    /// The same for people, in one line.
    public let detail: String
    /// The kernel's reason (strerror(3)), where it gave one.
    public let error: String?
    /// The numbers of the events that the journal lacks because of it: the first and the last.
    public let missing: ClosedRange<UInt64>?

    /// A condition.
    public init(code: Code, detail: String, error: String? = nil, missing: ClosedRange<UInt64>? = nil) {
        self.code = code
        self.detail = detail
        self.error = error
        self.missing = missing
    }

    /// Whether things are worse than before; only ``Code/resumed`` says otherwise.
    public var isTrouble: Bool { code != .resumed }
}
