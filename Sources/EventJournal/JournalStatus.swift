public import EventEnvelope

/// How a journal is doing, at a moment.
public struct JournalStatus: Sendable, Hashable {
    /// Where the journal is.
    public var directory: String
    /// The name of the stream of numbers.
    public var streamID: String
    /// When what was written is forced onto the disk.
    public var syncPolicy: SyncPolicy
    /// The oldest number that can be read; `nil` while there is none.
    public var oldestSequence: UInt64?
    /// The newest number that was written; `nil` while there is none.
    public var newestSequence: UInt64?
    /// The number that the next event gets.
    public var nextSequence: UInt64
    /// How many segments there are.
    public var segments = 0
    /// How many bytes all segments have together, compressed ones as they are.
    public var bytes = 0
    /// How many events wait in memory because they could not be written.
    public var waiting = 0
    /// Why the journal does not do what it should; `nil` when it does.
    public var trouble: JournalCondition?
    /// Whether what is published now is not recorded, or not forced onto the disk, as it should be.
    public var isDegraded: Bool { trouble != nil }
    /// How many lines could not be understood, of those that were looked at when the journal was opened.
    public var corruptLines = 0
    /// How many events were refused since the start: their numbers were not in order, or they were too long.
    public var refused = 0
    /// What was repaired since the journal was opened, in words; only the newest notes are kept.
    public var repairs: [String] = []
    /// The numbers that are known to be missing; from before the start only what the start found out.
    public var missing: [ClosedRange<UInt64>] = []
    /// When something was last forced onto the disk; `nil` before that.
    public var lastSync: Timestamp?
}
