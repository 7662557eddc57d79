public import EventEnvelope
internal import Glibc

/// Reads a journal, whether an agent writes it at the moment or not.
///
/// Needs no more than permission to read; takes no lock, and changes nothing.
public struct JournalReader: Sendable {
    /// The journal's directory.
    public let directory: String

    /// A reader of the journal in a directory.
    ///
    /// - Throws: ``JournalError`` when the directory cannot be read.
    public init(directory: String) throws(JournalError) {
        self.directory = directory
        _ = try SegmentDirectory.segments(in: directory)
    }

    /// The name of the stream that the numbers belong to: 32 hexadecimal digits; `nil` when none is written down.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public var streamID: String? {
        get throws(JournalError) {
            guard let text = try JournalFile.open("\(directory)/stream")?.read(at: 0, atMost: 64) else { return nil }
            let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
            let isName = digits.allSatisfy { byte in
                byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "a") < 6
            }
            return digits.count == 32 && isName ? String(decoding: digits, as: UTF8.self) : nil
        }
    }

    /// The number of the oldest event; `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be read.
    public var oldestSequence: UInt64? {
        get throws(JournalError) {
            var cursor = events()
            return try Self.numbers(&cursor, atMost: 1) { $0.lines.first?.sequence }
        }
    }

    /// The number of the newest event; `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be read.
    public var newestSequence: UInt64? {
        get throws(JournalError) {
            let names = try SegmentDirectory.segments(in: directory)
            for (number, name) in names.enumerated().reversed() {
                let next = names.indices.contains(number + 1) ? names[number + 1].firstSequence : nil
                if let newest = try newest(in: name, nextFirst: next) { return newest }
            }
            return nil
        }
    }

    /// Reads events.
    ///
    /// Nothing is read before the cursor is asked.
    ///
    /// - Parameters:
    ///   - sequence: Events with a greater number.
    ///   - from: Events of this moment or later, by their own time. Clocks are set back, so an earlier event may follow a
    ///     later one; it is left out.
    ///   - last: Events up to this number.
    public func events(
        after sequence: UInt64 = 0,
        from: Timestamp? = nil,
        through last: UInt64 = .max
    ) -> JournalCursor {
        JournalCursor(directory: directory, after: sequence, from: from, through: last)
    }

    /// The number of the newest event of a segment, or of a later one that was begun meanwhile.
    private func newest(in name: SegmentName, nextFirst: UInt64?) throws(JournalError) -> UInt64? {
        guard var segment = try OpenSegment(name, in: directory, nextFirst: nextFirst) else { return nil }
        try segment.loadIndex(in: directory)
        if let index = segment.index, try segment.seek(toBlock: index.blocks.count - 1) {
            return try last(from: segment)
        }
        guard !segment.isCompressed else { return try last(from: segment) }
        // The last event is near the end, unless it is very long or what follows it is damaged.
        for count in [64 << 10, 2 * UInt64(ScannedLine.mostBytes), .max] {
            try segment.seek(toLast: count)
            if let newest = try last(from: segment) { return newest }
            guard !segment.isAtBeginning else { return nil }
        }
        return nil
    }

    private func last(from segment: OpenSegment) throws(JournalError) -> UInt64? {
        var cursor = JournalCursor(directory: directory, reading: segment)
        var newest: UInt64?
        _ = try Self.numbers(&cursor, atMost: 1 << 20) { chunk in
            newest = chunk.lines.last?.sequence ?? newest
            return nil
        }
        return newest
    }

    /// Reads until `number` gives one; damaged blocks are passed over.
    private static func numbers(
        _ cursor: inout JournalCursor,
        atMost bytes: Int,
        _ number: (JournalChunk) -> UInt64?
    ) throws(JournalError) -> UInt64? {
        while true {
            do throws(JournalError) {
                guard let chunk = try cursor.next(atMost: bytes) else { return nil }
                if let number = number(chunk) { return number }
            } catch {
                guard case .malformed = error.cause else { throw error }
            }
        }
    }
}
