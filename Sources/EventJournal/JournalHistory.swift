internal import AgentEvents
internal import Glibc

/// The lasting events of deleted segments: settled changes, summaries, starts and stops, in a directory of their own.
///
/// Before a segment is deleted, a copy without the other events is written under the same name, compressed and flushed.
/// After a crash at any time there is the segment, its copy, or both; readers take one of the two.
struct JournalHistory {
    /// The name of the directory in the journal's directory.
    static let name = "history"
    /// The number of bytes of a segment that are read at once.
    private static let chunkBytes = 256 << 10

    private let configuration: JournalConfiguration
    private let journal: JournalDirectory
    private let directory: JournalDirectory

    init(_ configuration: JournalConfiguration, of journal: JournalDirectory) {
        self.configuration = configuration
        self.journal = journal
        directory = JournalDirectory(path: journal.path(of: Self.name), system: journal.system)
    }

    /// Returns whether events of a type outlast their segment.
    static func keeps(_ type: EventType?) -> Bool {
        switch type {
        case .agentStarted, .agentStopping, .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged,
            .probeSummary, .certificateExpiring, .suspendResumed, .journalDegraded, .sinkLost,
            .eventsOmitted:
            true
        case .pathChanged, .configReloaded, .configRejected, .netlinkOverrun, .netlinkResynced, .hookCompleted: false
        // Not numbered, or of a later version, whose meaning is not known.
        case .agentHello, .networkSnapshot, .probeCompleted, .probeProgress, .subscriberLagged, nil: false
        }
    }

    /// Returns the newest number of the copies in a journal's directory; `nil` if there are none.
    static func newestSequence(of journal: JournalDirectory) -> UInt64? {
        let directory = JournalDirectory(path: journal.path(of: name), system: journal.system)
        guard let last = (try? directory.list())?.segments.last else { return nil }
        let newest = try? JournalReader(directory: directory.path).newestSequence
        // A name counts even if its file is damaged.
        return max(last.firstSequence, min(newest ?? 0, JournalRecord.maximumSequence - 1))
    }

    // MARK: Keeping

    /// Copies the lasting events of a closed segment, unless a copy exists.
    ///
    /// - Parameter next: The first number of the segment after it.
    func keep(_ name: SegmentName, before next: UInt64) throws(JournalError) {
        try directory.make()
        guard directory.status(of: name.compressed) == nil else { return }
        if directory.status(of: name.plain) == nil {
            var copy = try NewFile(directory: directory.path, name: name.plain, mode: JournalDirectory.mode)
            guard try copyLasting(of: name, before: next, to: &copy) else { return }
            try copy.finish()
        }
        try SegmentCompressor.compress(name, in: directory.path)
    }

    /// - Returns: `false` if the segment has no events.
    private func copyLasting(
        of name: SegmentName,
        before next: UInt64,
        to copy: inout NewFile
    ) throws(JournalError) -> Bool {
        let reader = try JournalReader(directory: journal.path)
        var cursor = reader.events(after: name.firstSequence - 1, through: next - 1)
        var omitted: OmittedRun?
        var hasEvents = false
        // A damaged block is missing from the copy too.
        while let chunk = try cursor.nextRecorded(atMost: Self.chunkBytes) {
            var lines: [UInt8] = []
            for line in chunk.lines {
                hasEvents = true
                if Self.keeps(chunk.type(of: line)) {
                    lines += omitted.take()?.line ?? []
                    lines += chunk.bytes[line.range] + [UInt8(ascii: "\n")]
                } else if omitted?.last != line.sequence - 1 {
                    lines += omitted.take()?.line ?? []
                    omitted = OmittedRun(first: line.sequence, last: line.sequence, text: chunk.bytes[line.range])
                } else {
                    omitted?.last = line.sequence
                    omitted?.text = chunk.bytes[line.range]
                }
            }
            try copy.write(lines)
        }
        try copy.write(omitted?.line ?? [])
        return hasEvents
    }

    // MARK: Deleting

    /// Deletes copies that are too old or too many, or all if none are kept any more, and compresses those that a crash
    /// left uncompressed.
    func retain(now: Timestamp, isClockTrusted: Bool) throws(JournalError) {
        guard directory.status(of: ".") != nil else { return }
        let listing = try directory.list()
        guard configuration.historyAge > .zero else { return removeAll(listing) }
        for name in listing.plain { try SegmentCompressor.compress(name, in: directory.path) }
        for leftover in listing.leftovers { directory.remove(leftover) }
        var limits = configuration
        limits.totalBytes = configuration.historyBytes
        limits.totalAge = configuration.historyAge
        // The copies do not grow.
        limits.segmentBytes = 0
        let retention = JournalRetention(
            limits,
            wallClock: now,
            isClockTrusted: isClockTrusted,
            instant: directory.system.now()
        )
        let segments = listing.segments.map { name in
            var segment = JournalSegment(name: name, isCompressed: true, hasIndex: listing.indexes.contains(name))
            segment.bytes = Int(clamping: directory.status(of: name.compressed)?.size ?? 0)
            return segment
        }
        for name in retention.expired(segments, newestTime: { $0.readNewestTime(in: directory) }) {
            directory.remove(name.compressed)
            directory.remove(name.index)
        }
    }

    private func removeAll(_ listing: JournalDirectory.Listing) {
        for name in Set(listing.segments).union(listing.indexes) {
            for file in [name.plain, name.compressed, name.index] { directory.remove(file) }
        }
        for leftover in listing.leftovers { directory.remove(leftover) }
        // It stays if it has files of others.
        rmdir(directory.path)
    }
}

/// Consecutive events of which only the numbers are kept.
private struct OmittedRun {
    let first: UInt64
    var last: UInt64
    /// The line of the last one.
    var text: ArraySlice<UInt8>

    /// The line of the event that replaces them, with its trailing `\n`.
    var line: [UInt8] {
        guard var event = AgentEvent(line: Array(text)) else { return [] }
        let omitted = EventsOmitted(firstSequence: first, count: last - first + 1)
        event.type = EventType.eventsOmitted.rawValue
        event.subject = AgentEvent.agentSubject
        event.content = .eventsOmitted(omitted)
        return JSONWriter.text(of: event) + [UInt8(ascii: "\n")]
    }
}
