public import EventEnvelope

/// Some events of the journal, in the order of their numbers.
public struct JournalChunk: Sendable, Hashable {
    /// The events' lines, each with the `\n` at its end.
    public internal(set) var bytes: [UInt8] = []
    /// Where each line stands, and what its envelope says.
    public internal(set) var lines: [JournalLine] = []
    /// The numbers that are missing before, between or behind the lines.
    public internal(set) var missing: [ClosedRange<UInt64>] = []
    /// How many lines were skipped because they are no events, or not in their place.
    public internal(set) var corruptLines = 0

    /// Whether it tells nothing at all.
    var isEmpty: Bool { lines.isEmpty && missing.isEmpty && corruptLines == 0 }
}

/// One event of a chunk.
public struct JournalLine: Sendable, Hashable {
    /// Where the line stands in the chunk's bytes, without its end.
    public let range: Range<Int>
    /// The number.
    public let sequence: UInt64
    /// Where the text of `type` stands in the chunk's bytes.
    public let type: Range<Int>
    /// Where the text of `subject` stands in the chunk's bytes; empty when there is none.
    public let subject: Range<Int>
    /// When the event was made.
    public let time: Timestamp
}
