public import AgentEvents

/// Some events of the journal, in the order of their numbers.
public struct JournalChunk: Sendable, Hashable {
    /// The lines of the events, each with its trailing `\n`.
    public internal(set) var bytes: [UInt8] = []
    /// The position of each line, and its envelope.
    public internal(set) var lines: [JournalLine] = []
    /// The numbers that are missing before, between or after the lines.
    public internal(set) var missing: [ClosedRange<UInt64>] = []
    /// The number of skipped lines, which are not events, or not in order.
    public internal(set) var corruptLines = 0

    /// The type of one of the lines; `nil` for a type that this version does not know.
    public func type(of line: JournalLine) -> EventType? { EventType(text: bytes.span.extracting(line.type)) }

    /// `true` if the chunk has no information.
    var isEmpty: Bool { lines.isEmpty && missing.isEmpty && corruptLines == 0 }
}

/// One event of a chunk.
public struct JournalLine: Sendable, Hashable {
    /// The range of the line in the chunk's bytes, without its end.
    public let range: Range<Int>
    /// The number.
    public let sequence: UInt64
    /// The range of the value of `type` in the chunk's bytes.
    public let type: Range<Int>
    /// The range of the value of `subject` in the chunk's bytes; empty if absent.
    public let subject: Range<Int>
    /// The time of the event.
    public let time: Timestamp
}
