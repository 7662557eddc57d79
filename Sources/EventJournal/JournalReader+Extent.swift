public import AgentEvents
internal import Glibc

extension JournalReader {
    /// The numbers of the events to read for a time range.
    public struct Extent: Sendable, Hashable {
        /// The newest event of the requested type before the first event in the time range, or the journal's first
        /// event.
        public let first: UInt64
        /// The event before the first one at the end of the time range, or later, that follows all events in the range;
        /// ``first`` if there is none.
        public let last: UInt64
    }

    /// A block of a segment.
    private struct Block {
        let name: SegmentName
        let nextFirst: UInt64?
        let index: SegmentIndex.Block
    }

    /// Returns the extent of a time range; `nil` for a journal without events.
    ///
    /// Only the blocks at both ends are read, and blocks before the first event until one has an event of the type.
    /// Clocks may be set: the extent contains all events with a time in the range, and possibly others.
    ///
    /// - Parameters:
    ///   - start: The start of the time range.
    ///   - end: The end of the time range, exclusive.
    ///   - type: The type of event that makes earlier events irrelevant.
    /// - Throws: ``JournalError`` when the journal cannot be read; damaged blocks are skipped.
    public func extent(
        from start: Timestamp,
        to end: Timestamp,
        beginningWith type: EventType
    ) throws(JournalError) -> Extent? {
        let blocks = try blocks()
        guard let oldest = blocks.first, let newest = blocks.last else { return nil }
        var inside: UInt64 = 0
        for block in blocks.reversed() where block.index.oldestTime < end && block.index.newestTime >= start {
            try read(block.index.numbers) {
                if $1.time >= start, $1.time < end { inside = max(inside, $1.sequence) }
            }
            if inside > 0 { break }
        }
        // A device without a battery-backed clock stamps its first events after each boot with a time before any range.
        let after = try first(after: inside, from: end, in: blocks) ?? newest.index.lastSequence + 1
        let limit = try first(after: 0, from: start, in: blocks) ?? .max
        let first = try self.newest(of: type, before: limit, in: blocks) ?? oldest.index.firstSequence
        return Extent(first: first, last: max(first, after - 1))
    }

    /// Returns the number of the first event after another one whose time is not before a moment; `nil` if there is none.
    private func first(
        after number: UInt64,
        from moment: Timestamp,
        in blocks: [Block]
    ) throws(JournalError) -> UInt64? {
        for block in blocks where block.index.lastSequence > number && block.index.newestTime >= moment {
            var first: UInt64?
            try read(block.index.numbers) {
                if first == nil, $1.sequence > number, $1.time >= moment { first = $1.sequence }
            }
            if let first { return first }
        }
        return nil
    }

    /// Returns the blocks of all segments; a segment without an index is read instead.
    private func blocks() throws(JournalError) -> [Block] {
        let names = try source.segments()
        var blocks: [Block] = []
        for (number, name) in names.enumerated() {
            let nextFirst = names.indices.contains(number + 1) ? names[number + 1].firstSequence : nil
            guard var segment = try source.openFile(name, nextFirst: nextFirst) else { continue }
            try segment.loadIndex()
            // The newest segment has none, because it is not closed yet.
            let numbers = name.firstSequence...max(name.firstSequence, (nextFirst ?? .max) - 1)
            let index = if let index = segment.index { index } else { try index(of: numbers) }
            for block in index.blocks where block.firstSequence > blocks.last?.index.lastSequence ?? 0 {
                blocks.append(Block(name: name, nextFirst: nextFirst, index: block))
            }
        }
        return blocks
    }

    /// Returns an index of the numbers and times of events, with offsets that do not refer to a file.
    private func index(of numbers: ClosedRange<UInt64>) throws(JournalError) -> SegmentIndex {
        var index = SegmentIndex()
        var offset: UInt64 = 0
        try read(numbers) { _, line in
            index.add(sequence: line.sequence, time: line.time, offset: offset, length: line.range.count + 1)
            offset += UInt64(line.range.count) + 1
        }
        return index
    }

    private func read(
        _ numbers: ClosedRange<UInt64>,
        _ body: (JournalChunk, JournalLine) -> Void
    ) throws(JournalError) {
        var cursor = events(after: numbers.lowerBound - 1, through: numbers.upperBound)
        while let chunk = try cursor.nextRecorded(atMost: 256 << 10) {
            for line in chunk.lines { body(chunk, line) }
        }
    }

    // MARK: Backwards

    /// Returns the newest event of a type before a number, searching the blocks backwards.
    private func newest(
        of type: EventType,
        before limit: UInt64,
        in blocks: [Block]
    ) throws(JournalError) -> UInt64? {
        let word = Array(type.rawValue.utf8)
        var open: OpenSegment?
        for block in blocks.reversed() where block.index.firstSequence < limit {
            if open?.name != block.name {
                open = try source.openFile(block.name, nextFirst: block.nextFirst)
                try open?.loadIndex()
            }
            guard let segment = open else { continue }
            var newest: UInt64?
            if segment.index?.blocks.contains(block.index) == true {
                // Most blocks have none, so each is searched for the word before any line is parsed.
                guard let bytes = try? segment.bytes(of: block.index) else { continue }
                newest = Self.newest(word, in: bytes, before: min(limit, block.index.lastSequence + 1))
            } else {
                try read(block.index.numbers) { chunk, line in
                    if line.sequence < limit, chunk.type(of: line) == type { newest = line.sequence }
                }
            }
            if let newest { return newest }
        }
        return nil
    }

    /// Returns the number of the last line with a word as its type.
    private static func newest(_ word: [UInt8], in bytes: [UInt8], before limit: UInt64) -> UInt64? {
        var newest: UInt64?
        var position = 0
        while let found = bytes.span.firstRange(of: word, from: position) {
            let start = bytes[..<found].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let end = bytes.span.firstLineEnd(from: found) ?? bytes.count
            if let line = ScannedLine(bytes.span.extracting(start..<end)),
                bytes[start...].dropFirst(line.type.lowerBound).prefix(line.type.count).elementsEqual(word),
                let sequence = line.sequence, sequence < limit
            {
                newest = max(newest ?? 0, sequence)
            }
            position = end
        }
        return newest
    }
}

extension Span<UInt8> {
    /// Returns the position of the first occurrence of a word at or after a start.
    fileprivate func firstRange(of word: [UInt8], from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let first = word.first else { return nil }
            var position = max(0, start)
            // Swift does not import memmem(3).
            while position + word.count <= bytes.count,
                let found = memchr(base + position, Int32(first), bytes.count - word.count - position + 1)
            {
                position = UnsafeRawPointer(found) - base
                if memcmp(found, word, word.count) == 0 { return position }
                position += 1
            }
            return nil
        }
    }
}

extension SegmentIndex.Block {
    fileprivate var numbers: ClosedRange<UInt64> { firstSequence...max(firstSequence, lastSequence) }
}
