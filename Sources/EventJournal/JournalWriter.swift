internal import AgentEvents
internal import Glibc

/// Writes records to the newest segment; used by one thread at a time.
struct JournalWriter {
    /// The time until the first retry after a failure; each failed retry doubles it.
    static let retryInterval: Duration = .seconds(1)
    /// The maximum time between two retries: queued records are lost with the process.
    static let longestRetryInterval: Duration = .seconds(8)
    /// The minimum time between two segments that begin because a flush has failed: while every flush fails, events are no
    /// safer in another file, and each such segment doubles it.
    static let replacementInterval: Duration = .seconds(60)
    /// The maximum of that time.
    static let longestReplacementInterval: Duration = .seconds(3600)
    /// The minimum time between two checks of the active segment, which are made with the next event.
    static let inspectionInterval: Duration = .seconds(1)
    /// The minimum time between two searches for expired segments, which are made with the next event.
    static let retentionInterval: Duration = .seconds(3600)
    /// The maximum number of bytes of one write(2).
    private static let chunk = 1 << 20

    let configuration: JournalConfiguration
    let directory: JournalDirectory
    let statusStore: JournalStatusStore
    let upkeep: JournalUpkeep
    let presence: JournalPresence
    let wallClock: @Sendable () -> Timestamp
    let streamID: String

    var lock: JournalLock?
    var lease: JournalLease?
    /// The numbers in the lease's file.
    var leased: ClosedRange<UInt64>?
    /// A range of numbers, some of which are missing without an event in the journal that reports it.
    var unnamed: ClosedRange<UInt64>?
    /// The number of the event that reports them, once it has been published.
    var namingSequence: UInt64?
    var active: ActiveSegment?
    /// The newest accepted number, written or not.
    var lastAccepted: UInt64
    /// `true` after a failed write; new records are queued.
    var isDegraded = false
    var backlog = JournalBacklog()
    /// The numbers dropped or skipped since the failure.
    var missingOfOutage: ClosedRange<UInt64>?
    var lastAttempt: ContinuousClock.Instant
    /// The time until the next retry without an event.
    var retryDelay = Self.retryInterval
    var lastInspection: ContinuousClock.Instant
    /// The time at which a segment last began because a flush had failed.
    var lastReplacement: ContinuousClock.Instant?
    private var lastRetention: ContinuousClock.Instant
    private var buffer: [UInt8] = []

    init(
        _ configuration: JournalConfiguration,
        _ directory: JournalDirectory,
        _ statusStore: JournalStatusStore,
        _ upkeep: JournalUpkeep,
        _ presence: JournalPresence,
        streamID: String,
        lastAccepted: UInt64,
        wallClock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.directory = directory
        self.statusStore = statusStore
        self.upkeep = upkeep
        self.presence = presence
        self.wallClock = wallClock
        self.streamID = streamID
        self.lastAccepted = lastAccepted
        lastAttempt = directory.system.now()
        lastInspection = lastAttempt
        lastRetention = lastAttempt
    }

    /// Records a batch, or queues it in memory.
    mutating func append(_ records: [JournalRecord]) {
        let instant = directory.system.now()
        let accepted = accept(records)
        guard !accepted.isEmpty else { return }
        if isDegraded {
            wait(accepted)
            if lastAttempt.duration(to: instant) >= Self.retryInterval { resume(at: instant) }
        } else {
            if lastInspection.duration(to: instant) >= Self.inspectionInterval { inspect(at: instant) }
            let (rest, error) = isDegraded ? (accepted, nil) : write(accepted, at: instant)
            if let error { degrade(error, at: instant) }
            if isDegraded { wait(rest) } else { settleLease() }
        }
        if lastRetention.duration(to: instant) >= Self.retentionInterval {
            lastRetention = instant
            upkeep.enqueue(.retain)
        }
    }

    /// Filters out records that must not be written: those with numbers out of order, and lines that are too long to
    /// read.
    private mutating func accept(_ records: [JournalRecord]) -> ArraySlice<JournalRecord> {
        var expected = lastAccepted &+ 1
        let isInOrder = records.allSatisfy { record in
            defer { expected &+= 1 }
            return record.sequence == expected && record.line.count < ScannedLine.maximumBytes
        }
        if isInOrder {
            lastAccepted = expected &- 1
            return records[...]
        }
        var accepted: [JournalRecord] = []
        var refused = 0
        for record in records {
            guard record.sequence > lastAccepted, record.sequence <= JournalRecord.maximumSequence else {
                refused += 1
                continue
            }
            let isTooLong = record.line.count >= ScannedLine.maximumBytes
            let first = lastAccepted + 1
            let last = isTooLong ? record.sequence : record.sequence - 1
            if first <= last { noteGap(first...last) }
            lastAccepted = record.sequence
            if isTooLong { refused += 1 } else { accepted.append(record) }
        }
        statusStore.withState { $0.status.refused += refused }
        return accepted[...]
    }

    /// Records that numbers were never appended.
    private mutating func noteGap(_ range: ClosedRange<UInt64>) {
        statusStore.note(missing: range)
        if isDegraded {
            extendMissing(range)
        } else {
            oweName(of: range)
            statusStore.report(JournalCondition(code: .resumed, detail: "events were not recorded", missing: range))
        }
    }

    // MARK: Writing

    /// Writes records in order.
    ///
    /// - Returns: Those that could not be written, and the reason.
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

    /// Writes as many records as fit into one call and into the segment.
    ///
    /// - Returns: The number of complete records; an incomplete one is truncated again.
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
            // After the first torn line no record is complete, however short it is.
            guard end + record.line.count < bytes else { break }
            end += record.line.count + 1
            whole += 1
        }
        if end < bytes {
            segment.isTorn = true
            do throws(JournalError) {
                try segment.file.truncate(to: segment.bytes + UInt64(end))
                segment.isTorn = false
            } catch { statusStore.noticed(error) }
        }
        return whole
    }

    /// Updates the accounting after a write.
    private func commit(
        _ records: ArraySlice<JournalRecord>,
        to segment: inout ActiveSegment,
        at instant: ContinuousClock.Instant
    ) {
        let start = segment.bytes
        let end = statusStore.withState { state -> UInt64 in
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

    /// Flushes a file to the disk, and records the result; returns `false` on failure.
    @discardableResult
    func sync(_ file: OpenFile) -> Bool {
        let isDone = file.sync(with: directory.system, reportingTo: statusStore)
        if isDone { statusStore.synced(at: wallClock()) }
        return isDone
    }
}
