public import AgentEvents
internal import NIOCore

/// The source of events that are no longer in memory: the journal.
///
/// It may be ahead of the bus, because nothing newer than the last event released by the bus is read from it.
public protocol ReplaySource: Sendable {
    /// The number of the oldest event that can be replayed; `nil` without events.
    ///
    /// Read on the sockets' event loop: it must not block.
    var oldestSequence: UInt64? { get }

    /// Returns a replay of the events after a number.
    ///
    /// Called on a thread that may block.
    func replay(after sequence: UInt64) throws -> any Replay

    /// Returns the number of the first event at a time or later; `nil` if there is none.
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

/// Reads one subscriber's replay and builds its lines.
///
/// `@unchecked Sendable`: used by one thread at a time. Its stream requests the next part only after it got the
/// previous one, and NIO's thread pool and event loop synchronize the handover.
final class ReplayReader: @unchecked Sendable {
    /// The number of bytes per read, below malloc(3)'s mmap threshold.
    private static let partSize = 96 << 10

    /// The result of one read.
    struct Part: Sendable {
        /// The lines that pass the filter.
        var lines = ByteBuffer()
        var lineCount = 0
        /// The number of the first event read, whether it passes or not.
        var first: UInt64?
        /// The number of the next event.
        var next: UInt64
        /// `true` at the current end.
        var isEnd = false
    }

    private let source: any ReplaySource
    private let stream: String
    private let parameters: SubscriptionParameters
    private var next: UInt64
    private var replay: (any Replay)?

    /// Creates a reader that starts with a number of a stream.
    init(
        _ source: any ReplaySource,
        of stream: String,
        from sequence: UInt64,
        for parameters: SubscriptionParameters
    ) {
        self.source = source
        self.stream = stream
        self.parameters = parameters
        next = sequence
    }

    /// Reads the next part; blocks.
    ///
    /// - Parameter limit: The highest number to read.
    func read(through limit: UInt64) throws -> Part {
        var part = Part(next: next)
        guard next <= limit, next > 0 else { return part }
        let open = try replay ?? source.replay(after: next - 1)
        replay = open
        let chunk = try open.next(atMost: Self.partSize)
        part.isEnd = chunk.isEnd
        part.lines.reserveCapacity(chunk.bytes.count + chunk.lines.count * LineFormat.replyOverhead)
        for line in chunk.lines where line.sequence >= next {
            guard line.sequence <= limit else {
                // The rest comes from the ring; if that is too late, the journal is opened again at this number.
                replay = nil
                break
            }
            part.first = part.first ?? line.sequence
            next = line.sequence + 1
            guard passes(line, in: chunk.bytes), let text = Self.slice(line.text, of: chunk.bytes) else { continue }
            part.lines.writeLine(text, as: parameters.format, id: (stream, line.sequence))
            part.lineCount += 1
        }
        if chunk.lines.isEmpty, let last = chunk.missing.last?.upperBound {
            next = max(next, min(last, limit) + 1)
            if last > limit { replay = nil }
        }
        part.next = next
        return part
    }

    private func passes(_ line: ReplayChunk.Line, in bytes: [UInt8]) -> Bool {
        guard !parameters.filter.passesEverything else { return true }
        guard let type = Self.slice(line.type, of: bytes), let subject = Self.slice(line.subject, of: bytes) else {
            return false
        }
        return parameters.filter.passes(type: type) && parameters.filter.passes(subjectText: subject)
    }

    private static func slice(_ range: Range<Int>, of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return bytes[range]
    }
}
