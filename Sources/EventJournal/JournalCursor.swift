public import AgentEvents

/// Reads the events of a journal in order, including those written meanwhile.
///
/// It holds at most one open file and a few hundred kilobytes of it, or one line when that is longer. A copy continues
/// independently.
public struct JournalCursor: Sendable {
    private let source: SegmentSource
    private var filter: LineFilter
    private var segment: OpenSegment?
    /// The last segment that was read to its end.
    private var passed: SegmentName?
    /// The segments in the last listing.
    private var listed: [SegmentName] = []
    /// The error to throw from the next call.
    private var failure: JournalError?
    /// `true` if the last call of ``next(atMost:)`` returned everything that had been written.
    private var isAtEnd = false
    /// The number of bytes read from the disk, for tests.
    var bytesRead: UInt64 { bytesReadBefore + (segment?.bytesRead ?? 0) }
    private var bytesReadBefore: UInt64 = 0

    init(_ source: SegmentSource, after sequence: UInt64, from: Timestamp? = nil, through: UInt64) {
        self.source = source
        filter = LineFilter(
            last: sequence,
            passedOver: sequence,
            reportsMissing: sequence > 0,
            from: from,
            through: through
        )
    }

    /// Creates a cursor that reads one open segment up to its end.
    init(_ source: SegmentSource, reading segment: OpenSegment) {
        self.init(source, after: 0, through: .max)
        self.segment = segment
    }

    /// Returns the next events.
    ///
    /// Lines that are not events are skipped and counted, missing numbers are reported, and a segment deleted meanwhile
    /// is reported as missing numbers. An incomplete line is not read yet.
    ///
    /// - Parameter bytes: The maximum size of the chunk, which has at least one line.
    /// - Returns: `nil` when there is nothing more at the moment; later calls may return more.
    /// - Throws: ``JournalError`` when a file cannot be read or a compressed block is damaged. That block, or the rest
    ///   of the segment, is skipped: the next call continues after it.
    public mutating func next(atMost bytes: Int) throws(JournalError) -> JournalChunk? {
        isAtEnd = false
        if let failure {
            self.failure = nil
            throw failure
        }
        var chunk = JournalChunk()
        do throws(JournalError) {
            try fill(&chunk, atMost: bytes)
        } catch {
            // The events read before the error come first.
            guard !chunk.isEmpty else { throw error }
            failure = error
        }
        return chunk.isEmpty ? nil : chunk
    }

    /// Returns the next of the events that have been written; after the last one `nil`, once.
    ///
    /// It ends also when a writer is faster than the reader: what was written since the last chunk is for the calls after
    /// the `nil`. Damaged blocks are skipped.
    ///
    /// - Parameters:
    ///   - bytes: The maximum size of the chunk, which has at least one line.
    ///   - noteDamage: Called with the error of each damaged block.
    /// - Throws: ``JournalError`` when a file cannot be read.
    public mutating func nextRecorded(
        atMost bytes: Int,
        noteDamage: (JournalError) -> Void = { _ in }
    ) throws(JournalError) -> JournalChunk? {
        while !isAtEnd {
            do throws(JournalError) {
                if let chunk = try next(atMost: bytes) { return chunk }
                break
            } catch {
                guard case .malformed = error.cause else { throw error }
                noteDamage(error)
            }
        }
        isAtEnd = false
        return nil
    }

    /// Returns the next event of those that have been written; `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` when a file cannot be read.
    public mutating func firstRecorded() throws(JournalError) -> JournalLine? {
        while let chunk = try nextRecorded(atMost: 1) {
            if let line = chunk.lines.first { return line }
        }
        return nil
    }

    private mutating func fill(_ chunk: inout JournalChunk, atMost bytes: Int) throws(JournalError) {
        while !filter.isDone {
            guard try openSegment(), var reading = segment.take() else {
                isAtEnd = true
                return
            }
            let isFull = takeLines(of: &reading, into: &chunk, atMost: bytes)
            if reading.skipLongLine() { chunk.corruptLines += 1 }
            if isFull {
                segment = reading
                return
            }
            let undecided = filter.isUndecided ? reading : nil
            let hasMore: Bool
            do throws(JournalError) {
                hasMore = try reading.fill()
            } catch {
                // The line before the damage is not in the buffer any more.
                if var undecided { _ = takeLines(of: &undecided, into: &chunk, atMost: .max, isEnd: true) }
                // A damaged frame is skipped; an unreadable file is closed.
                if case .malformed = error.cause { segment = reading } else { leave(reading) }
                throw error
            }
            if hasMore {
                if reading.takeWasRewound() { filter.passedOver = filter.last }
                segment = reading
                continue
            }
            if undecided != nil, takeLines(of: &reading, into: &chunk, atMost: bytes, isEnd: true) {
                segment = reading
                return
            }
            let isClosed: Bool
            do throws(JournalError) {
                isClosed = try self.isClosed(&reading)
            } catch {
                segment = reading
                throw error
            }
            guard isClosed else {
                reading.forgetIncompleteLine()
                segment = reading
                isAtEnd = true
                return
            }
            // Events written between the last read and the start of the next segment must still be read.
            if reading.isKnownComplete {
                if reading.consumed < reading.buffer.count { chunk.corruptLines += 1 }
                leave(reading)
            } else {
                reading.isKnownComplete = true
                segment = reading
            }
        }
    }

    /// Takes complete lines out of the buffer; returns whether the chunk is full or complete.
    private mutating func takeLines(
        of reading: inout OpenSegment,
        into chunk: inout JournalChunk,
        atMost bytes: Int,
        isEnd: Bool = false
    ) -> Bool {
        let (end, isFull) = filter.take(
            reading.buffer.span,
            from: reading.consumed,
            within: reading.bounds,
            into: &chunk,
            atMost: bytes,
            isEnd: isEnd
        )
        reading.consumed = end
        return isFull
    }

    // MARK: From segment to segment

    /// Ensures that a segment is open: the current one, or the next; false if there is none.
    private mutating func openSegment() throws(JournalError) -> Bool {
        guard segment == nil else { return true }
        while true {
            // A listing is used as long as it has a next segment: listing for each segment would be quadratic.
            let isListedNow = firstSegment(listed) == listed.count
            if isListedNow { listed = try source.segments() }
            for number in firstSegment(listed)..<listed.count {
                let next = listed.indices.contains(number + 1) ? listed[number + 1].firstSequence : nil
                passed = listed[number]
                // Retention may have deleted it since the listing.
                guard var opened = try source.open(listed[number], nextFirst: next) else { continue }
                try seek(&opened)
                segment = opened
                return true
            }
            if isListedNow { return false }
        }
    }

    /// Returns the index of the first segment to read: the one after the last, or the one that contains the number.
    private func firstSegment(_ names: [SegmentName]) -> Int {
        let next = filter.last + 1
        var range = 0..<names.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            let isBefore = passed.map { names[middle] <= $0 } ?? (names[middle].firstSequence <= next)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return passed == nil ? max(0, range.lowerBound - 1) : range.lowerBound
    }

    /// Skips blocks that the index shows to be out of range.
    private mutating func seek(_ opened: inout OpenSegment) throws(JournalError) {
        if filter.from != nil || opened.isCompressed || filter.last >= opened.name.firstSequence {
            try opened.loadIndex()
        }
        if let blocks = opened.index?.blocks {
            let number =
                blocks.firstIndex { block in
                    block.lastSequence > filter.last && filter.from.map { block.newestTime >= $0 } ?? true
                } ?? blocks.count
            if number > 0, try opened.seek(toBlock: number), blocks[number - 1].lastSequence > filter.last {
                filter.last = blocks[number - 1].lastSequence
                filter.passedOver = filter.last
                filter.reportsMissing = true
            }
        }
        if !filter.reportsMissing, filter.from == nil, opened.isAtBeginning {
            // The name is the number of the first event.
            filter.last = max(filter.last, opened.name.firstSequence - 1)
            filter.passedOver = filter.last
            filter.reportsMissing = true
        }
    }

    /// Returns whether a segment is complete, because a newer one was started.
    private func isClosed(_ reading: inout OpenSegment) throws(JournalError) -> Bool {
        if reading.nextFirst == nil {
            let names = try source.segments()
            reading.nextFirst = names.first { $0 > reading.name }?.firstSequence
        }
        return reading.nextFirst != nil
    }

    private mutating func leave(_ reading: OpenSegment) {
        bytesReadBefore += reading.bytesRead
        passed = reading.name
    }
}

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
