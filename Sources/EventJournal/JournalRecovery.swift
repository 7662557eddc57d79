internal import EventEnvelope
internal import Glibc

/// What a journal's directory holds when it is opened, after what a crash left behind was put right.
struct JournalRecovery: Sendable {
    /// All segments, from the oldest on.
    private(set) var segments: [JournalSegment] = []
    /// The newest segment's index, when it is plain.
    private(set) var newestIndex = SegmentIndex()
    /// The newest segment, open for writing; `nil` when the next event has to begin another one.
    private(set) var newestFile: OpenFile?
    /// The newest good number.
    private(set) var newest: UInt64?
    /// The lowest number that no segment claims, not even by its name.
    private(set) var next: UInt64 = 1
    private(set) var corruptLines = 0
    private(set) var repairs: [String] = []
    /// Why something could not be put right.
    private(set) var trouble: JournalError?

    /// Looks at the directory and, with `isWritable`, repairs it.
    ///
    /// - Throws: When the directory cannot be read.
    init(of directory: JournalDirectory, isWritable: Bool) throws(JournalError) {
        var listing = try directory.list()
        if isWritable { removeLeftovers(&listing, in: directory) }
        segments = listing.segments.map { name in
            let isCompressed = !listing.plain.contains(name)
            let size = directory.identity(of: isCompressed ? name.compressed : name.plain)?.size ?? 0
            return JournalSegment(
                name: name,
                bytes: Int(clamping: size),
                isCompressed: isCompressed,
                hasIndex: listing.indexes.contains(name)
            )
        }
        next = segments.last?.name.firstSequence ?? 1
        try findNewest(in: directory, isWritable: isWritable)
        if let newest { next = max(next, newest + 1) }
        if isWritable { openNewest(in: directory) }
    }

    /// Removes files that were being written, and those that are superseded, when the agent ended.
    private mutating func removeLeftovers(_ listing: inout JournalDirectory.Listing, in directory: JournalDirectory) {
        for name in listing.leftovers {
            directory.remove(name)
            repairs.append("removed \(name), which was being written")
        }
        // The plain one is removed last: while it is there, it is whole, and its index fits it or is made again.
        for name in listing.plain.intersection(listing.compressed).sorted() {
            directory.remove(name.compressed)
            directory.remove(name.index)
            listing.compressed.remove(name)
            listing.indexes.remove(name)
            repairs.append("removed \(name.compressed): \(name.plain) is still there")
        }
        for name in listing.indexes where !listing.plain.contains(name) && !listing.compressed.contains(name) {
            directory.remove(name.index)
        }
    }

    /// Looks for the newest good number, from the newest segment backwards.
    ///
    /// - Throws: When a segment cannot be read: numbers that it has would be used again.
    private mutating func findNewest(in directory: JournalDirectory, isWritable: Bool) throws(JournalError) {
        for (position, segment) in segments.enumerated().reversed() {
            let isNewest = position == segments.count - 1
            if !isNewest || segment.isCompressed, let index = segment.readIndex(in: directory),
                let last = index.lastSequence, (1...JournalRecord.mostSequence).contains(last)
            {
                newest = last
                return
            }
            let name = segment.fileName
            let file = try directory.open(name, O_RDONLY)
            let scan = segment.isCompressed ? try SegmentScan(compressed: file) : try SegmentScan(plain: file)
            corruptLines += scan.corruptLines
            newest = scan.newest
            if scan.corruptLines > 0 { repairs.append("skipped \(scan.corruptLines) corrupt lines in \(name)") }
            if isNewest, !segment.isCompressed {
                newestIndex = scan.index
                if isWritable { cut(name, scan, in: directory) }
            }
            if newest != nil { return }
        }
    }

    private mutating func cut(_ name: String, _ scan: SegmentScan, in directory: JournalDirectory) {
        guard scan.tornBytes > 0 else { return }
        do throws(JournalError) {
            try directory.open(name, O_RDWR).truncate(to: scan.goodEnd)
            segments[segments.count - 1].bytes = Int(clamping: scan.goodEnd)
            repairs.append("removed \(scan.tornBytes) bytes of a torn line at the end of \(name)")
        } catch {
            trouble = error
        }
    }

    /// Opens the newest segment for what comes next, or removes it when it is empty and has a name that does not fit.
    private mutating func openNewest(in directory: JournalDirectory) {
        guard trouble == nil, let segment = segments.last, !segment.isCompressed else { return }
        if segment.bytes == 0, segment.name.firstSequence != next {
            directory.remove(segment.name.plain)
            directory.remove(segment.name.index)
            segments.removeLast()
            repairs.append("removed \(segment.name.plain), which was empty")
            return
        }
        // What was the newest segment's index when a newer one was deleted is not kept while the segment grows.
        if segment.hasIndex {
            directory.remove(segment.name.index)
            segments[segments.count - 1].hasIndex = false
        }
        do throws(JournalError) {
            newestFile = try directory.open(segment.name.plain, O_RDWR | O_APPEND)
        } catch {
            trouble = error
        }
    }
}

/// A segment, as far as it has to be known in order to delete it at the right time.
struct JournalSegment: Sendable, Hashable {
    let name: SegmentName
    var bytes = 0
    var isCompressed = false
    var hasIndex = false
    /// When this process wrote its last line; a clock that is set does not make it older.
    var closedAt: ContinuousClock.Instant?
    /// The time of its newest event, once it was needed.
    var newestTime: Timestamp?

    /// The file that has the events.
    var fileName: String { isCompressed ? name.compressed : name.plain }

    /// What the segment's index file says.
    func readIndex(in directory: JournalDirectory) -> SegmentIndex? {
        guard hasIndex, let content = directory.read(name.index, atMost: 16 << 20) else { return nil }
        return SegmentIndex(decoding: content)
    }
}
