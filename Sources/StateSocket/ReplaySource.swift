/// Where events can be read that are no longer in memory: the journal.
///
/// Nothing newer than what the bus has released is ever taken from it, so it may be ahead of the bus.
public protocol ReplaySource: Sendable {
    /// The number of the oldest event that can be replayed; `nil` when there is none.
    ///
    /// Asked for on the sockets' event loop: it must not block.
    var oldestSequence: UInt64? { get }

    /// A replay of the events after a number.
    ///
    /// Called on a thread that may block.
    func replay(after sequence: UInt64) throws -> any Replay
}

/// One replay, used by one thread at a time.
public protocol Replay: AnyObject {
    /// The next lines, whole and in the order of their numbers.
    ///
    /// Called on a thread that may block. More can come after the present end.
    ///
    /// - Parameter bytes: How many bytes to read at most; one line that is longer comes alone.
    func next(atMost bytes: Int) throws -> ReplayChunk
}

/// A part of a replay; without lines and missing numbers it says that the present end is reached.
public struct ReplayChunk: Sendable, Hashable {
    /// One event in a chunk; all ranges are of the chunk's bytes.
    public struct Line: Sendable, Hashable {
        /// Where the line stands, without its `\n`.
        public var text: Range<Int>
        /// The event's number.
        public var sequence: UInt64
        /// Where the text of `type` stands, without the quotation marks.
        public var type: Range<Int>
        /// Where the text of `subject` stands, without the quotation marks; empty when there is none.
        public var subject: Range<Int>

        /// A line.
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
    /// The numbers that are not there, as far as this chunk goes.
    public var missing: [ClosedRange<UInt64>]

    /// A chunk.
    public init(bytes: [UInt8] = [], lines: [Line] = [], missing: [ClosedRange<UInt64>] = []) {
        self.bytes = bytes
        self.lines = lines
        self.missing = missing
    }

    /// Whether the present end is reached.
    public var isEnd: Bool { lines.isEmpty && missing.isEmpty }
}
