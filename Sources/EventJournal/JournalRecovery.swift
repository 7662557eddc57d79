internal import AgentEvents
internal import Glibc

/// The contents of a journal's directory when it is opened, after the repair of crash damage.
struct JournalRecovery: Sendable {
    /// All segments, from the oldest on.
    private(set) var segments: [JournalSegment] = []
    /// The newest segment's index, unless it is compressed.
    private(set) var newestIndex = SegmentIndex()
    /// The time from which its age counts.
    private var newestFirstTime: Timestamp?
    /// The newest segment, open for writing; `nil` if the next event must start another one.
    private(set) var newestFile: OpenFile?
    /// The newest valid number.
    private(set) var newest: UInt64?
    /// The lowest number that no segment uses, not even in its name; without segments, that no copy of one uses.
    private(set) var next: UInt64 = 1
    private(set) var corruptLines = 0
    private(set) var repairs: [String] = []
    /// The error of a failed repair.
    private(set) var trouble: JournalError?

    /// Scans the directory and, with `isWritable`, repairs it.
    ///
    /// - Throws: When the directory cannot be read.
    init(of directory: JournalDirectory, isWritable: Bool) throws(JournalError) {
        var listing = try directory.list()
        if isWritable { removeLeftovers(&listing, in: directory) }
        segments = listing.segments.map { name in
            let isCompressed = !listing.plain.contains(name)
            let size = directory.status(of: isCompressed ? name.compressed : name.plain)?.size ?? 0
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
        // Copies of deleted segments outlast a manual deletion of the others: readers merge both by their numbers.
        if segments.isEmpty, let copied = JournalHistory.newestSequence(of: directory) { next = copied + 1 }
        if isWritable { openNewest(in: directory) }
    }

    /// Removes incomplete files of a crashed agent, and superseded ones.
    private mutating func removeLeftovers(_ listing: inout JournalDirectory.Listing, in directory: JournalDirectory) {
        for name in listing.leftovers {
            directory.remove(name)
            repairs.append("removed \(name), which was being written")
        }
        // The plain one is removed last: while it exists, it is complete, and its index fits it or is rebuilt.
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

    /// Searches for the newest valid number, from the newest segment backwards.
    ///
    /// - Throws: When a segment cannot be read: its numbers would be reused.
    private mutating func findNewest(in directory: JournalDirectory, isWritable: Bool) throws(JournalError) {
        for (position, segment) in segments.enumerated().reversed() {
            let isNewest = position == segments.count - 1
            if !isNewest || segment.isCompressed, let index = segment.readIndex(in: directory),
                let last = index.lastSequence, (1...JournalRecord.maximumSequence).contains(last)
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
                newestFirstTime = scan.firstTime
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

    /// Returns the segment to continue; `nil` if the next event starts a new one.
    func activeSegment(openedAt instant: ContinuousClock.Instant) -> ActiveSegment? {
        guard let newestFile, let segment = segments.last else { return nil }
        return ActiveSegment(
            name: segment.name,
            file: newestFile,
            bytes: UInt64(segment.bytes),
            firstTime: newestFirstTime,
            openedAt: instant
        )
    }

    /// Returns the ranges of a lease's numbers that no line has.
    ///
    /// The agent that wrote the lease may have recorded some of them, and so may later agents that ended before they
    /// had reported the others.
    func missing(of leased: ClosedRange<UInt64>, in directory: JournalDirectory) -> [ClosedRange<UInt64>] {
        var missing = MissingRanges()
        var next = leased.lowerBound == 0 ? (newest ?? 0) + 1 : leased.lowerBound
        guard next <= leased.upperBound else { return [] }
        var cursor = JournalCursor(
            SegmentSource(directory: directory.path),
            after: next - 1,
            through: min(newest ?? 0, leased.upperBound)
        )
        do throws(JournalError) {
            // A damaged block is skipped, and its numbers are missing.
            while let chunk = try cursor.nextRecorded(atMost: 1 << 20) {
                for line in chunk.lines where line.sequence >= next {
                    if line.sequence > next { missing.add(next...line.sequence - 1) }
                    next = line.sequence + 1
                }
            }
        } catch {
            // Numbers in an unreadable file are not reported.
            next = max(next, (newest ?? 0) + 1)
        }
        if next <= leased.upperBound { missing.add(next...leased.upperBound) }
        return missing.ranges
    }

    /// Opens the newest segment for appending, or removes it when it is empty and its name does not fit.
    private mutating func openNewest(in directory: JournalDirectory) {
        guard trouble == nil, let segment = segments.last, !segment.isCompressed else { return }
        if segment.bytes == 0, segment.name.firstSequence != next {
            directory.remove(segment.name.plain)
            directory.remove(segment.name.index)
            segments.removeLast()
            repairs.append("removed \(segment.name.plain), which was empty")
            return
        }
        // The index of a segment that became the newest by a deletion is dropped before it grows.
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

/// A segment with the facts that retention needs.
struct JournalSegment: Sendable, Hashable {
    let name: SegmentName
    var bytes = 0
    var isCompressed = false
    var hasIndex = false
    /// The time at which this process wrote its last line, independent of changes of the wall clock.
    var closedAt: ContinuousClock.Instant?
    /// The time of its newest event, once determined.
    var newestTime: Timestamp?

    /// The name of the file with the events.
    var fileName: String { isCompressed ? name.compressed : name.plain }

    /// Reads the segment's index file.
    func readIndex(in directory: JournalDirectory) -> SegmentIndex? {
        guard hasIndex, let content = directory.read(name.index, atMost: 16 << 20) else { return nil }
        return SegmentIndex(decoding: content)
    }

    /// Returns the time of the newest event by the index, or by all lines without one; `nil` without events.
    func readNewestTime(in directory: JournalDirectory) -> Timestamp? {
        if let time = readIndex(in: directory)?.newestTime { return time }
        guard let file = try? directory.open(fileName, O_RDONLY) else { return nil }
        let scan = isCompressed ? try? SegmentScan(compressed: file) : try? SegmentScan(plain: file)
        return scan?.index.newestTime
    }
}

/// The file with the stream's name, which identifies the stream of numbers.
enum StreamName {
    private static let file = "stream"

    /// Reads the name in the directory; `nil` if it is missing or invalid.
    static func read(in directory: JournalDirectory) -> String? {
        guard let content = directory.read(file, atMost: 33), content.last == UInt8(ascii: "\n") else { return nil }
        return parse(content.dropLast())
    }

    /// Returns the name in a line; `nil` unless it is 32 hexadecimal digits.
    static func parse(_ line: ArraySlice<UInt8>) -> String? {
        let isName = line.allSatisfy { byte in byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "a") < 6 }
        return line.count == 32 && isName ? String(decoding: line, as: UTF8.self) : nil
    }

    /// Returns a new name: 32 random hexadecimal digits.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return [generator.next(), generator.next()].map { (half: UInt64) in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Writes the name into the directory if it is missing.
    static func keep(_ name: String, in directory: JournalDirectory) throws(JournalError) {
        if read(in: directory) != name { try directory.replace(file, with: Array("\(name)\n".utf8), syncs: true) }
    }
}
