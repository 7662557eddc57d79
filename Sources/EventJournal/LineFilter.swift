internal import AgentEvents

/// Passes only lines that are events, in order, and in the requested range.
struct LineFilter: Sendable {
    /// The number of the newest event seen, or after which reading started.
    var last: UInt64
    /// The number up to which events are skipped silently, because reading started before the first requested one.
    var passedOver: UInt64
    /// `true` if the event after `last` is known to be the next one.
    var reportsMissing: Bool
    /// The time before which events are skipped.
    let from: Timestamp?
    /// The last requested number.
    let through: UInt64
    /// `true` if the last call stopped before a line with a number after a gap: the next line shows whether it is damaged.
    private(set) var isUndecided = false
    /// The number of bytes from such a line on that are waited for.
    private static let undecidedBytes = ScannedLine.maximumBytes / 2

    init(last: UInt64, passedOver: UInt64, reportsMissing: Bool, from: Timestamp?, through: UInt64) {
        self.last = last
        self.passedOver = passedOver
        self.reportsMissing = reportsMissing
        self.from = from
        self.through = through
    }

    /// `true` if nothing more is requested.
    var isDone: Bool { last >= through }

    /// The valid numbers of a segment's events.
    struct Bounds: Sendable {
        var least: UInt64
        /// The first number of the next segment; `nil` for the newest segment.
        var below: UInt64?

        func contains(_ sequence: UInt64) -> Bool {
            sequence >= least && below.map { sequence < $0 } ?? (sequence <= JournalRecord.maximumSequence)
        }
    }

    /// Processes complete lines.
    ///
    /// - Parameter isEnd: `true` if nothing follows at the moment.
    /// - Returns: The offset of the first unprocessed byte, and whether it stopped because the chunk is full or
    ///   complete.
    mutating func take(
        _ bytes: Span<UInt8>,
        from start: Int,
        within bounds: Bounds,
        into chunk: inout JournalChunk,
        atMost limit: Int,
        isEnd: Bool = false
    ) -> (end: Int, isFull: Bool) {
        isUndecided = false
        var position = start
        // Passed lines are copied in long runs.
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
            if sequence > max(last, bounds.least - 1) + 1 {
                switch Self.isOutOfPlace(sequence, after: last, next: bytes, from: end + 1, within: bounds) {
                case true?:
                    chunk.corruptLines += 1
                    position = end + 1
                    continue
                case nil where !isEnd && bytes.count - position < Self.undecidedBytes:
                    isUndecided = true
                    return (position, false)
                case false?, nil: break
                }
            }
            let isWanted = sequence <= through && from.map { time >= $0 } ?? true
            if isWanted || sequence > through {
                if run.upperBound != position || run.isEmpty {
                    Self.copy(bytes.extracting(run), to: &chunk)
                    run = position..<position
                }
                let offset = chunk.bytes.count + run.count
                if isWanted, !chunk.lines.isEmpty, offset + (end + 1 - position) > limit { return (position, true) }
                if reportsMissing, sequence > last + 1 {
                    let first = Self.firstNumber(of: line, sequence, in: bytes.extracting(position..<end))
                    if first > last + 1 { chunk.missing.append(last + 1...min(first - 1, through)) }
                }
                last = sequence
                reportsMissing = true
                guard isWanted else { return (position, true) }
                chunk.lines.append(JournalLine(line, sequence, time, offset..<offset + (end - position)))
                run = run.lowerBound..<end + 1
            } else {
                last = sequence
                reportsMissing = true
            }
            position = end + 1
            if isDone { return (position, true) }
        }
        return (position, false)
    }

    /// Returns the first number that a line represents: its own, unless it replaces omitted events.
    private static func firstNumber(of line: ScannedLine, _ sequence: UInt64, in bytes: Span<UInt8>) -> UInt64 {
        let text = bytes.withUnsafeBufferPointer { Array($0) }
        guard text[line.type].elementsEqual(EventType.eventsOmitted.rawValue.utf8),
            case .eventsOmitted(let omitted)? = AgentEvent(line: text)?.content
        else { return sequence }
        return min(omitted.firstSequence, sequence)
    }

    private static func copy(_ bytes: Span<UInt8>, to chunk: inout JournalChunk) {
        bytes.withUnsafeBufferPointer { chunk.bytes.append(contentsOf: $0) }
    }

    /// Returns whether a number after a gap is damaged, because the next line's number lies in between; `nil` without the
    /// next line.
    private static func isOutOfPlace(
        _ sequence: UInt64,
        after last: UInt64,
        next bytes: Span<UInt8>,
        from start: Int,
        within bounds: Bounds
    ) -> Bool? {
        guard let end = bytes.firstLineEnd(from: start) else { return nil }
        guard let number = ScannedLine(bytes.extracting(start..<end))?.sequence else { return false }
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
