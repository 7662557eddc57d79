internal import NIOCore

/// Reads one subscriber's replay and builds its lines.
///
/// `@unchecked Sendable`: used by one thread at a time. Its stream requests the next part only after it got the
/// previous one, and NIO's thread pool and event loop synchronize the handover.
final class ReplayReader: @unchecked Sendable {
    /// The number of bytes read at once: below malloc(3)'s mmap threshold.
    static let partSize = 96 << 10

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
    private let order: StreamOrder
    private var next: UInt64
    private var replay: (any Replay)?

    /// Creates a reader that starts with a number.
    init(_ source: any ReplaySource, from sequence: UInt64, for order: StreamOrder) {
        self.source = source
        self.order = order
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
        part.lines.reserveCapacity(chunk.bytes.count + chunk.lines.count * LineForm.replyOverhead)
        for line in chunk.lines where line.sequence >= next {
            guard line.sequence <= limit else {
                // The rest comes from the ring; if that is too late, the journal is opened again at this number.
                replay = nil
                break
            }
            part.first = part.first ?? line.sequence
            next = line.sequence + 1
            guard passes(line, in: chunk.bytes), let text = Self.slice(line.text, of: chunk.bytes) else { continue }
            part.lines.writeLine(text, as: order.form, sequence: line.sequence)
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
        guard !order.filter.passesEverything else { return true }
        guard let type = Self.slice(line.type, of: bytes), let subject = Self.slice(line.subject, of: bytes) else {
            return false
        }
        return order.filter.passes(type: type) && order.filter.passes(subjectText: subject)
    }

    private static func slice(_ range: Range<Int>, of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return bytes[range]
    }
}
