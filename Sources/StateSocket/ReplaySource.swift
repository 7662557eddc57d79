public import AgentEvents

/// The source of events that are no longer in memory: the journal.
///
/// Nothing newer than the last event released by the bus is read from it, so it may be ahead of the bus.
public protocol ReplaySource: Sendable {
    /// The number of the oldest event that can be replayed; `nil` without events.
    ///
    /// Read on the sockets' event loop: it must not block.
    var oldestSequence: UInt64? { get }

    /// Returns a replay of the events after a number.
    ///
    /// Called on a thread that may block.
    func replay(after sequence: UInt64) throws -> any Replay

    /// Returns the number of the first event of a time or later; `nil` when there is none.
    ///
    /// Called on a thread that may block.
    func firstSequence(from time: Timestamp) throws -> UInt64?
}

/// One replay, used by one thread at a time.
public protocol Replay: AnyObject {
    /// Returns the next complete lines in the order of their numbers.
    ///
    /// Called on a thread that may block. More lines may follow after the current end.
    ///
    /// - Parameter bytes: The maximum number of bytes to read; one longer line is returned alone.
    func next(atMost bytes: Int) throws -> ReplayChunk
}

/// A part of a replay; without lines and missing numbers it marks the current end.
public struct ReplayChunk: Sendable, Hashable {
    /// One event in a chunk; all ranges are of the chunk's bytes.
    public struct Line: Sendable, Hashable {
        /// The range of the line, without its `\n`.
        public var text: Range<Int>
        /// The event's number.
        public var sequence: UInt64
        /// The range of the value of `type`, without the quotation marks.
        public var type: Range<Int>
        /// The range of the value of `subject`, without the quotation marks; empty if absent.
        public var subject: Range<Int>

        /// Creates a line.
        public init(text: Range<Int>, sequence: UInt64, type: Range<Int>, subject: Range<Int>) {
            self.text = text
            self.sequence = sequence
            self.type = type
            self.subject = subject
        }
    }

    /// The lines' bytes, each with its `\n`.
    public var bytes: [UInt8]
    /// The lines in the order of their numbers.
    public var lines: [Line]
    /// The missing numbers up to the end of this chunk.
    public var missing: [ClosedRange<UInt64>]

    /// Creates a chunk.
    public init(bytes: [UInt8] = [], lines: [Line] = [], missing: [ClosedRange<UInt64>] = []) {
        self.bytes = bytes
        self.lines = lines
        self.missing = missing
    }

    /// `true` at the current end.
    public var isEnd: Bool { lines.isEmpty && missing.isEmpty }
}
