internal import EventEnvelope

/// Reads the events of a journal one after the other, and those that are written meanwhile.
///
/// It holds at most one file open and a few hundred kilobytes of it, or one line when that is longer. A copy goes on by
/// itself.
public struct JournalCursor: Sendable {
    private let directory: String
    private var sieve: LineSieve
    private var segment: OpenSegment?
    /// The segment that was read to its end.
    private var passed: SegmentName?
    /// The segments when they were listed last.
    private var listed: [SegmentName] = []
    /// What is thrown with the next call.
    private var failure: JournalError?
    /// How many bytes were read from the disk, for tests.
    var bytesRead: UInt64 { bytesReadBefore + (segment?.bytesRead ?? 0) }
    private var bytesReadBefore: UInt64 = 0

    init(directory: String, after sequence: UInt64, from: Timestamp?, through: UInt64) {
        self.directory = directory
        sieve = LineSieve(
            last: sequence,
            passedOver: sequence,
            tellsMissing: sequence > 0,
            from: from,
            through: through
        )
    }

    /// A cursor that reads one segment that is open, up to its end.
    init(directory: String, reading segment: OpenSegment) {
        self.init(directory: directory, after: 0, from: nil, through: .max)
        self.segment = segment
    }

    /// The next events.
    ///
    /// Lines that are no events are skipped and counted, numbers that are missing are told, and a segment that was deleted
    /// meanwhile is told as missing numbers. A line whose end is not written yet is not there yet.
    ///
    /// - Parameter bytes: The chunk has at most this many bytes, or one line when that is longer.
    /// - Returns: `nil` when there is nothing more at the moment; later there may be.
    /// - Throws: ``JournalError`` when a file cannot be read or a compressed block is damaged. That block, or the rest of the
    ///   segment, has been passed over then: the next call goes on behind it.
    public mutating func next(atMost bytes: Int) throws(JournalError) -> JournalChunk? {
        if let failure {
            self.failure = nil
            throw failure
        }
        var chunk = JournalChunk()
        do throws(JournalError) {
            try fill(&chunk, atMost: bytes)
        } catch {
            // First comes what was read before it.
            guard !chunk.isEmpty else { throw error }
            failure = error
        }
        return chunk.isEmpty ? nil : chunk
    }

    private mutating func fill(_ chunk: inout JournalChunk, atMost bytes: Int) throws(JournalError) {
        while !sieve.isDone {
            guard try openSegment(), var reading = segment.take() else { return }
            let (end, isFull) = sieve.take(
                reading.buffer.span,
                from: reading.consumed,
                within: reading.bounds,
                into: &chunk,
                atMost: bytes
            )
            reading.consumed = end
            if reading.skipLongLine() { chunk.corruptLines += 1 }
            if isFull {
                segment = reading
                return
            }
            let hasMore: Bool
            do throws(JournalError) {
                hasMore = try reading.fill()
            } catch {
                // A damaged frame is passed over; a file that cannot be read is left.
                if case .malformed = error.cause { segment = reading } else { leave(reading) }
                throw error
            }
            if hasMore {
                if reading.takeWasRewound() { sieve.passedOver = sieve.last }
                segment = reading
            } else if try isClosed(&reading) {
                // What was written between the last look and the next segment's beginning is still read.
                if reading.isKnownComplete {
                    if reading.consumed < reading.buffer.count { chunk.corruptLines += 1 }
                    leave(reading)
                } else {
                    reading.isKnownComplete = true
                    segment = reading
                }
            } else {
                reading.forgetIncompleteLine()
                segment = reading
                return
            }
        }
    }

    // MARK: From segment to segment

    /// Whether there is a segment to read: the open one, or the next.
    private mutating func openSegment() throws(JournalError) -> Bool {
        guard segment == nil else { return true }
        while true {
            // What was listed serves as long as it has a next one: to list for each segment would cost the square of them.
            let isListedNow = firstSegment(listed) == listed.count
            if isListedNow { listed = try SegmentDirectory.segments(in: directory) }
            for number in firstSegment(listed)..<listed.count {
                let next = listed.indices.contains(number + 1) ? listed[number + 1].firstSequence : nil
                passed = listed[number]
                // Retention may have deleted it since we looked.
                guard var opened = try OpenSegment(listed[number], in: directory, nextFirst: next) else { continue }
                try seek(&opened)
                segment = opened
                return true
            }
            if isListedNow { return false }
        }
    }

    /// The first segment to look at: the one behind the last, or the one in which the number is.
    private func firstSegment(_ names: [SegmentName]) -> Int {
        let next = sieve.last + 1
        var range = 0..<names.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            let isBefore = passed.map { names[middle] <= $0 } ?? (names[middle].firstSequence <= next)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return passed == nil ? max(0, range.lowerBound - 1) : range.lowerBound
    }

    /// Passes over what the index shows not to be asked for.
    private mutating func seek(_ opened: inout OpenSegment) throws(JournalError) {
        if sieve.from != nil || opened.isCompressed || sieve.last >= opened.name.firstSequence {
            try opened.loadIndex(in: directory)
        }
        if let blocks = opened.index?.blocks {
            let number =
                blocks.firstIndex { block in
                    block.lastSequence > sieve.last && sieve.from.map { block.newestTime >= $0 } ?? true
                } ?? blocks.count
            if number > 0, try opened.seek(toBlock: number), blocks[number - 1].lastSequence > sieve.last {
                sieve.last = blocks[number - 1].lastSequence
                sieve.passedOver = sieve.last
                sieve.tellsMissing = true
            }
        }
        if !sieve.tellsMissing, sieve.from == nil, opened.isAtBeginning {
            // The name says what should come first.
            sieve.last = max(sieve.last, opened.name.firstSequence - 1)
            sieve.passedOver = sieve.last
            sieve.tellsMissing = true
        }
    }

    /// Whether nothing is added to a segment any more, because a newer one has begun.
    private func isClosed(_ reading: inout OpenSegment) throws(JournalError) -> Bool {
        if reading.nextFirst == nil {
            let names = try SegmentDirectory.segments(in: directory)
            reading.nextFirst = names.first { $0 > reading.name }?.firstSequence
        }
        return reading.nextFirst != nil
    }

    private mutating func leave(_ reading: OpenSegment) {
        bytesReadBefore += reading.bytesRead
        passed = reading.name
    }
}
