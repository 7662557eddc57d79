internal import EventEnvelope
internal import Glibc

/// Writes records to the newest segment; one thread at a time.
struct JournalWriter {
    /// How long after a failure writing is tried again; each attempt that fails doubles the time to the next one.
    static let retryInterval: Duration = .seconds(1)
    /// The longest time between two attempts: what waits in memory is lost with the process.
    static let longestRetryInterval: Duration = .seconds(8)
    /// How often it is looked whether the active segment is still where it was, with the next event.
    static let lookInterval: Duration = .seconds(1)
    /// How often segments are looked through for those that are too old, with the next event.
    static let retentionInterval: Duration = .seconds(3600)
    /// As many bytes are given to the kernel at once.
    private static let chunk = 1 << 20

    let configuration: JournalConfiguration
    let directory: JournalDirectory
    let board: JournalBoard
    let upkeep: JournalUpkeep
    let wallClock: @Sendable () -> Timestamp
    let streamID: String

    var lock: JournalLock?
    var lease: JournalLease?
    /// What the lease's file says.
    var leased: UInt64 = 0
    var active: ActiveSegment?
    /// The newest number that was taken over, written or not.
    var lastAccepted: UInt64
    /// Whether writing has failed; what comes then waits in the backlog.
    var isDegraded = false
    var backlog = JournalBacklog()
    /// What was dropped or skipped since writing failed.
    var missingOfOutage: ClosedRange<UInt64>?
    var lastAttempt: ContinuousClock.Instant
    /// The time from the last attempt to the next one that needs no event.
    var retryDelay = Self.retryInterval
    var lastLook: ContinuousClock.Instant
    private var lastRetention: ContinuousClock.Instant
    private var buffer: [UInt8] = []

    init(
        _ configuration: JournalConfiguration,
        _ directory: JournalDirectory,
        _ board: JournalBoard,
        _ upkeep: JournalUpkeep,
        streamID: String,
        lastAccepted: UInt64,
        wallClock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.directory = directory
        self.board = board
        self.upkeep = upkeep
        self.wallClock = wallClock
        self.streamID = streamID
        self.lastAccepted = lastAccepted
        lastAttempt = directory.system.now()
        lastLook = lastAttempt
        lastRetention = lastAttempt
    }

    /// Records a batch, or keeps it in memory.
    mutating func append(_ records: [JournalRecord]) {
        let instant = directory.system.now()
        let accepted = accept(records)
        guard !accepted.isEmpty else { return }
        if isDegraded {
            wait(accepted)
            if lastAttempt.duration(to: instant) >= Self.retryInterval { resume(at: instant) }
        } else {
            if lastLook.duration(to: instant) >= Self.lookInterval { look(at: instant) }
            let (rest, error) = isDegraded ? (accepted, nil) : write(accepted, at: instant)
            if let error { degrade(error, at: instant) }
            if isDegraded { wait(rest) } else if leased > 0 { clearLease() }
        }
        if lastRetention.duration(to: instant) >= Self.retentionInterval {
            lastRetention = instant
            upkeep.enqueue(.retain)
        }
    }

    /// Sorts out what must not be written: numbers that are not in order, and lines that nobody could read again.
    private mutating func accept(_ records: [JournalRecord]) -> ArraySlice<JournalRecord> {
        var expected = lastAccepted &+ 1
        let isInOrder = records.allSatisfy { record in
            defer { expected &+= 1 }
            return record.sequence == expected && record.line.count < ScannedLine.mostBytes
        }
        if isInOrder {
            lastAccepted = expected &- 1
            return records[...]
        }
        var accepted: [JournalRecord] = []
        var refused = 0
        for record in records {
            guard record.sequence > lastAccepted, record.sequence <= JournalRecord.mostSequence else {
                refused += 1
                continue
            }
            let isTooLong = record.line.count >= ScannedLine.mostBytes
            let first = lastAccepted + 1
            let last = isTooLong ? record.sequence : record.sequence - 1
            if first <= last { noteGap(first...last) }
            lastAccepted = record.sequence
            if isTooLong { refused += 1 } else { accepted.append(record) }
        }
        board.withState { $0.status.refused += refused }
        return accepted[...]
    }

    /// Notes that numbers were never given to the journal.
    private mutating func noteGap(_ range: ClosedRange<UInt64>) {
        board.note(missing: range)
        if isDegraded {
            extendMissing(range)
        } else {
            board.tell(JournalCondition(code: .resumed, detail: "events were not recorded", missing: range))
        }
    }

    // MARK: Writing

    /// Writes records in their order.
    ///
    /// - Returns: Those that could not be written, and why.
    mutating func write(
        _ records: ArraySlice<JournalRecord>,
        at instant: ContinuousClock.Instant
    ) -> (rest: ArraySlice<JournalRecord>, error: JournalError?) {
        var rest = records
        var failure: JournalError?
        do throws(JournalError) {
            while failure == nil, let first = rest.first {
                var segment = try segment(for: first, at: instant)
                let written: Int
                (written, failure) = writeChunk(rest, to: &segment)
                if written > 0 {
                    commit(rest.prefix(written), to: &segment, at: instant)
                    rest = rest.dropFirst(written)
                }
                active = segment
            }
        } catch {
            failure = error
        }
        if configuration.sync == .always, rest.count < records.count, let active { sync(active.file) }
        return (rest, failure)
    }

    /// Writes as many records as go into one call and into the segment.
    ///
    /// - Returns: How many were written whole; what was written of another one is cut off again.
    private mutating func writeChunk(
        _ records: ArraySlice<JournalRecord>,
        to segment: inout ActiveSegment
    ) -> (written: Int, error: JournalError?) {
        let room = max(0, configuration.segmentBytes - Int(clamping: segment.bytes))
        buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.chunk)
        var count = 0
        for record in records {
            if count > 0, buffer.count >= room || buffer.count >= Self.chunk { break }
            buffer.append(contentsOf: record.line)
            buffer.append(UInt8(ascii: "\n"))
            count += 1
        }
        var offset = 0
        while offset < buffer.count {
            let result = buffer.withUnsafeBytes {
                directory.system.write(segment.file.descriptor, UnsafeRawBufferPointer(rebasing: $0[offset...]))
            }
            if result == -Int(EINTR) { continue }
            guard result > 0 else {
                let reason = result < 0 ? Int32(clamping: -result) : ENOSPC
                let error = JournalError(operation: "write", path: segment.file.path, cause: .errno(reason))
                return (keepWholeLines(records.prefix(count), offset, of: &segment), error)
            }
            offset += result
        }
        return (count, nil)
    }

    private func keepWholeLines(
        _ records: ArraySlice<JournalRecord>,
        _ bytes: Int,
        of segment: inout ActiveSegment
    ) -> Int {
        var end = 0
        var whole = 0
        for record in records {
            // Behind the first torn line nothing is whole, however short it is.
            guard end + record.line.count < bytes else { break }
            end += record.line.count + 1
            whole += 1
        }
        if end < bytes {
            segment.isTorn = true
            do throws(JournalError) {
                try segment.file.truncate(to: segment.bytes + UInt64(end))
                segment.isTorn = false
            } catch { board.note(repair: error.description) }
        }
        return whole
    }

    /// Enters what was written into the books.
    private func commit(
        _ records: ArraySlice<JournalRecord>,
        to segment: inout ActiveSegment,
        at instant: ContinuousClock.Instant
    ) {
        let start = segment.bytes
        let end = board.withState { state -> UInt64 in
            var offset = start
            for record in records {
                let length = record.line.count + 1
                state.activeIndex.add(sequence: record.sequence, time: record.time, offset: offset, length: length)
                offset += UInt64(length)
            }
            if let last = records.last { state.status.newestSequence = last.sequence }
            if let last = state.segments.indices.last { state.segments[last].bytes = Int(clamping: offset) }
            state.status.nextSequence = max(state.status.nextSequence, lastAccepted + 1)
            return offset
        }
        segment.bytes = end
        if segment.firstTime == nil { segment.firstTime = records.first?.time }
        guard case .interval(let interval) = configuration.sync else { return }
        let isUrgent = records.contains { $0.isUrgent }
        upkeep.noteWritten(segment.file, interval: interval, isUrgent: isUrgent, at: instant)
    }

    /// Forces a file onto the disk, and notes how that went.
    func sync(_ file: OpenFile) {
        let error = directory.system.sync(file.descriptor)
        if error == 0 {
            board.synced(at: wallClock())
        } else {
            board.syncFailed(JournalError(operation: "sync", path: file.path, cause: .errno(error)))
        }
    }
}
