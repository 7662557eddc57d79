public import AgentEvents
internal import Glibc

/// Reads a journal, whether or not an agent is writing it.
///
/// Needs only read permission, takes no lock, and changes nothing.
public struct JournalReader: Sendable {
    /// The journal's directory.
    public let directory: String
    let source: SegmentSource

    /// Creates a reader of the journal in a directory.
    ///
    /// - Parameters:
    ///   - directory: The journal's directory.
    ///   - includesHistory: `true` to start with the lasting events of deleted segments; an `events.omitted` replaces
    ///     their other events.
    /// - Throws: ``JournalError`` when the directory cannot be read.
    public init(directory: String, includesHistory: Bool = false) throws(JournalError) {
        self.directory = directory
        source = SegmentSource(
            directory: directory,
            history: includesHistory ? "\(directory)/\(JournalHistory.name)" : nil
        )
        _ = try SegmentDirectory.segments(in: directory)
    }

    /// The name of the stream to which the numbers belong: 32 hexadecimal digits; `nil` if there is none.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public var streamID: String? {
        get throws(JournalError) {
            guard let text = try JournalFile.open("\(directory)/stream")?.read(at: 0, atMost: 64) else { return nil }
            return StreamName.parse(text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...])
        }
    }

    /// The number of the oldest event; `nil` when there is none.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be read.
    public var oldestSequence: UInt64? {
        get throws(JournalError) {
            var cursor = events()
            return try cursor.firstRecorded()?.sequence
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

    /// Returns the number of the first event at or after a time; `nil` if there is none.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be read.
    public func firstSequence(from time: Timestamp) throws(JournalError) -> UInt64? {
        var cursor = events(from: time)
        return try cursor.firstRecorded()?.sequence
    }

    /// Returns a cursor over events.
    ///
    /// Nothing is read before the first call of the cursor.
    ///
    /// - Parameters:
    ///   - sequence: Only events with a greater number.
    ///   - from: Only events at or after this time, by their own time. Because clocks may be set back, earlier events
    ///     may follow later ones; they are skipped.
    ///   - last: Only events up to this number.
    public func events(
        after sequence: UInt64 = 0,
        from: Timestamp? = nil,
        through last: UInt64 = .max
    ) -> JournalCursor {
        JournalCursor(source, after: sequence, from: from, through: last)
    }

    /// Returns the number of the newest event of a segment, or of a later one that was started meanwhile.
    private func newest(in name: SegmentName, nextFirst: UInt64?) throws(JournalError) -> UInt64? {
        let source = SegmentSource(directory: directory)
        guard var segment = try source.openFile(name, nextFirst: nextFirst) else { return nil }
        try segment.loadIndex()
        if let index = segment.index, try segment.seek(toBlock: index.blocks.count - 1) {
            return try last(from: segment)
        }
        guard !segment.isCompressed else { return try last(from: segment) }
        // The last event is near the end, unless it is very long or followed by damage.
        for count in [64 << 10, 2 * UInt64(ScannedLine.maximumBytes), .max] {
            try segment.seek(toLast: count)
            if let newest = try last(from: segment) { return newest }
            guard !segment.isAtBeginning else { return nil }
        }
        return nil
    }

    private func last(from segment: OpenSegment) throws(JournalError) -> UInt64? {
        var cursor = JournalCursor(source, reading: segment)
        var newest: UInt64?
        while let chunk = try cursor.nextRecorded(atMost: 1 << 20) { newest = chunk.lines.last?.sequence ?? newest }
        return newest
    }
}
