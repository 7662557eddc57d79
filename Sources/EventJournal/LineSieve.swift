internal import EventEnvelope

/// Lets the lines through that are events, in their place, and asked for.
struct LineSieve: Sendable {
    /// The number of the newest event that was seen, or after which reading began.
    var last: UInt64
    /// Up to here events are passed over without a word: reading began before the first one that was asked for.
    var passedOver: UInt64
    /// Whether it is known that the event after `last` should come next.
    var tellsMissing: Bool
    /// Events of an earlier time are passed over.
    let from: Timestamp?
    /// The number of the last event that is asked for.
    let through: UInt64

    /// Whether nothing more is asked for.
    var isDone: Bool { last >= through }

    /// The numbers that a segment's events can have.
    struct Bounds: Sendable {
        var least: UInt64
        /// What the next segment begins with; `nil` for the newest segment.
        var below: UInt64?

        func contains(_ sequence: UInt64) -> Bool { sequence >= least && below.map { sequence < $0 } ?? true }
    }

    /// Takes whole lines.
    ///
    /// - Returns: Where the bytes begin that were not taken, and whether that is because the chunk is full or complete.
    mutating func take(
        _ bytes: Span<UInt8>,
        from start: Int,
        within bounds: Bounds,
        into chunk: inout JournalChunk,
        atMost limit: Int
    ) -> (end: Int, isFull: Bool) {
        var position = start
        // What is let through is copied in long runs.
        var run = start..<start
        defer { Self.copy(bytes.extracting(run), to: &chunk) }
        while let end = bytes.firstLineEnd(from: position) {
            guard let line = ScannedLine(bytes.extracting(position..<end)), let sequence = line.sequence,
                let time = line.time, bounds.contains(sequence)
            else {
                chunk.corruptLines += 1
                position = end + 1
                continue
            }
            if sequence <= last {
                if last != passedOver { chunk.corruptLines += 1 }
                position = end + 1
                continue
            }
            if sequence > max(last, bounds.least - 1) + 1,
                Self.isOutOfPlace(sequence, after: last, next: bytes, from: end + 1, within: bounds)
            {
                chunk.corruptLines += 1
                position = end + 1
                continue
            }
            let isWanted = sequence <= through && from.map { time >= $0 } ?? true
            if isWanted || sequence > through {
                if run.upperBound != position || run.isEmpty {
                    Self.copy(bytes.extracting(run), to: &chunk)
                    run = position..<position
                }
                let offset = chunk.bytes.count + run.count
                if isWanted, !chunk.lines.isEmpty, offset + (end + 1 - position) > limit { return (position, true) }
                if tellsMissing, sequence > last + 1 { chunk.missing.append(last + 1...min(sequence - 1, through)) }
                last = sequence
                tellsMissing = true
                guard isWanted else { return (position, true) }
                chunk.lines.append(JournalLine(line, sequence, time, offset..<offset + (end - position)))
                run = run.lowerBound..<end + 1
            } else {
                last = sequence
                tellsMissing = true
            }
            position = end + 1
            if isDone { return (position, true) }
        }
        return (position, false)
    }

    private static func copy(_ bytes: Span<UInt8>, to chunk: inout JournalChunk) {
        bytes.withUnsafeBufferPointer { chunk.bytes.append(contentsOf: $0) }
    }

    /// Whether a number that leaves others out is a damaged one: the next line's number lies in between.
    private static func isOutOfPlace(
        _ sequence: UInt64,
        after last: UInt64,
        next bytes: Span<UInt8>,
        from start: Int,
        within bounds: Bounds
    ) -> Bool {
        guard let end = bytes.firstLineEnd(from: start), let next = ScannedLine(bytes.extracting(start..<end)),
            let number = next.sequence
        else { return false }
        return number > last && number < sequence && bounds.contains(number)
    }
}

extension JournalLine {
    fileprivate init(_ line: ScannedLine, _ sequence: UInt64, _ time: Timestamp, _ range: Range<Int>) {
        func moved(_ part: Range<Int>) -> Range<Int> {
            range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
        }
        self.init(
            range: range,
            sequence: sequence,
            type: moved(line.type),
            subject: moved(line.subject),
            time: time
        )
    }
}
