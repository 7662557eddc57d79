internal import AgentEvents
internal import Glibc
internal import Synchronization

extension JournalWriter {
    // MARK: While degraded

    /// Handles a failed write.
    mutating func degrade(_ error: JournalError, at instant: ContinuousClock.Instant) {
        isDegraded = true
        presence.note(isDegraded: true)
        lastAttempt = instant
        retryDelay = Self.retryInterval
        missingOfOutage = nil
        fail(error)
    }

    private func fail(_ error: JournalError) {
        let detail = "\(error.operation) \(error.path): events wait in memory until it works again"
        statusStore.fail(JournalCondition(code: .writeFailed, detail: detail, error: error.reason))
    }

    /// Queues records in memory, and records the use of their numbers in the lease.
    mutating func wait(_ records: some Sequence<JournalRecord>) {
        if let dropped = backlog.append(records) {
            statusStore.note(missing: dropped)
            extendMissing(dropped)
            // The event that reports the earlier missing numbers is missing itself: the next such event reports both.
            if let unnamed, let namingSequence, dropped.contains(namingSequence) { extendMissing(unnamed) }
        }
        if (leased?.upperBound ?? 0) < lastAccepted {
            writeLease(through: min(lastAccepted + JournalLease.step, JournalRecord.maximumSequence))
        }
        // Last: if the disk hangs at the end, the recorder leases the numbers from the journal's next one on.
        noteWaiting()
    }

    /// Writes to the lease that numbers up to `last` may have been used, from the first one that may be missing.
    private mutating func writeLease(through last: UInt64) {
        let firsts = [unnamed?.lowerBound, missingOfOutage?.lowerBound, backlog.records.first?.sequence]
        let numbers = min(firsts.compactMap(\.self).min() ?? last, last)...last
        if lease?.write(numbers, syncs: configuration.sync != .never) == true { leased = numbers }
    }

    mutating func extendMissing(_ range: ClosedRange<UInt64>) {
        let known = missingOfOutage ?? range
        missingOfOutage = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }

    private func noteWaiting() {
        statusStore.withState { state in
            state.status.waiting = backlog.records.count
            state.status.nextSequence = max(state.status.nextSequence, lastAccepted + 1)
        }
    }

    /// Retries writing if that is due, although there is no new event.
    ///
    /// - Returns: The time until the next retry; `nil` while nothing is wrong.
    mutating func retry() -> Duration? {
        guard isDegraded else { return nil }
        let now = directory.system.now()
        if now >= lastAttempt.advanced(by: retryDelay) { resume(at: now) }
        return isDegraded ? now.duration(to: lastAttempt.advanced(by: retryDelay)) : nil
    }

    /// Retries writing: queued records first.
    mutating func resume(at instant: ContinuousClock.Instant) {
        lastAttempt = instant
        retryDelay = min(retryDelay * 2, Self.longestRetryInterval)
        do throws(JournalError) {
            try makeWritable(at: instant)
        } catch {
            return fail(error)
        }
        let waiting = backlog.takeAll()
        let (rest, error) = write(waiting[...], at: instant)
        if let error {
            if rest.count < waiting.count { nameMissing(error) }
            wait(rest)
            return fail(error)
        }
        isDegraded = false
        presence.note(isDegraded: false)
        noteWaiting()
        if let missingOfOutage { oweName(of: missingOfOutage) } else { settleLease() }
        statusStore.recover(missing: missingOfOutage)
        missingOfOutage = nil
    }

    /// Reports the numbers that are missing before events that the disk has just taken, although it takes no more: what is
    /// dropped after these is another range.
    private mutating func nameMissing(_ error: JournalError) {
        guard let missing = missingOfOutage else { return }
        missingOfOutage = nil
        oweName(of: missing)
        let detail = "some of the waiting events are recorded, and the ones before them are not"
        statusStore.report(
            JournalCondition(code: .writeFailed, detail: detail, error: error.reason, missing: missing)
        )
    }

    /// Keeps missing numbers in the lease until an event that reports them is in the journal.
    ///
    /// An agent that ends before that leaves the lease, and the next one reports them.
    mutating func oweName(of range: ClosedRange<UInt64>) {
        let known = unnamed ?? range
        let numbers = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
        unnamed = numbers
        namingSequence = nil
        writeLease(through: numbers.upperBound)
    }

    /// Records the number of the event that reports the missing numbers.
    mutating func noteNamed(by sequence: UInt64) {
        guard unnamed != nil else { return }
        namingSequence = sequence
        if !isDegraded { settleLease() }
    }

    /// Clears the lease once every used number is in the journal, or reported there, even after a power failure.
    mutating func settleLease() {
        if unnamed != nil { guard let namingSequence, namingSequence <= lastAccepted else { return } }
        unnamed = nil
        namingSequence = nil
        guard leased != nil, let lease, active != nil else { return }
        guard let unflushedFiles, unflushedFiles.allSatisfy({ sync($0) }) else { return }
        if lease.write(nil, syncs: configuration.sync != .never) { leased = nil }
    }

    /// The files to flush before every accepted event is on the disk; `nil` if events wait in memory, or if a flush failed.
    var unflushedFiles: [OpenFile]? {
        guard !isDegraded else { return nil }
        guard configuration.sync != .never, let active else { return [] }
        // The kernel reports a failure once: a file that had one is never known to be on the disk.
        return statusStore.needsNewSegment.load(ordering: .relaxed) ? nil : [active.file]
    }

    /// Writes what can still be written, and leaves the lease at the last number that was used but not recorded.
    mutating func finish(usedThrough last: UInt64) {
        if isDegraded { resume(at: directory.system.now()) }
        let isBehind = last > lastAccepted && last <= JournalRecord.maximumSequence
        if isBehind {
            statusStore.note(missing: lastAccepted + 1...last)
            extendMissing(lastAccepted + 1...last)
            lastAccepted = last
        }
        guard isDegraded || isBehind else { return }
        if let first = backlog.records.first, let last = backlog.records.last {
            statusStore.note(missing: first.sequence...last.sequence)
        }
        noteWaiting()
        writeLease(through: lastAccepted)
    }

    // MARK: Changes from outside

    /// Ensures that everything needed for writing exists: the directory, the lock, the stream name, the lease.
    mutating func makeWritable(at instant: ContinuousClock.Instant) throws(JournalError) {
        try directory.make()
        if lock?.isCurrent(in: directory) != true {
            lock = nil
            lock = try JournalLock.take(in: directory)
        }
        presence.show(in: directory)
        try StreamName.keep(streamID, in: directory)
        if lease?.isCurrent(in: directory) != true { lease = try JournalLease.open(in: directory, saying: leased) }
        if active != nil { noticeLoss(at: instant) }
        try active?.cutTornLine()
    }

    /// Checks that the active segment still exists, with its expected size.
    mutating func inspect(at instant: ContinuousClock.Instant) {
        lastInspection = instant
        guard noticeLoss(at: instant) else { return }
        do throws(JournalError) {
            try makeWritable(at: instant)
        } catch {
            degrade(error, at: instant)
        }
    }

    /// Abandons the active segment if it was deleted or changed from outside; `false` if it is intact.
    @discardableResult
    mutating func noticeLoss(at instant: ContinuousClock.Instant) -> Bool {
        guard let segment = active else { return false }
        let status = directory.status(of: segment.name.plain)
        if let status, status.isSameFile(as: segment.file.status()) {
            if status.size == segment.bytes || segment.isTorn { return false }
            giveUpChanged(segment, at: instant)
        } else {
            giveUpDeleted()
        }
        return true
    }

    /// Continues without deleted segments.
    private mutating func giveUpDeleted() {
        let files = directory
        var gone = Set(
            statusStore.withState { $0.segments }.map(\.name).filter { name in
                // In this order: the upkeep may compress a segment at this moment, and the plain file goes last.
                files.status(of: name.plain) == nil && files.status(of: name.compressed) == nil
            }
        )
        if let active { gone.insert(active.name) }
        let (lost, newest) = statusStore.withState { [gone] state in
            let all = state.segments
            state.segments.removeAll { gone.contains($0.name) }
            state.hasActive = false
            let kept = Set(state.segments.map(\.name))
            // A segment ends where the next one begins.
            let ends = all.dropFirst().map { $0.name.firstSequence - 1 } + [state.status.newestSequence ?? 0]
            let lost = zip(all, ends).filter { !kept.contains($0.0.name) && $0.0.name.firstSequence <= $0.1 }
            return (lost.map { $0.0.name.firstSequence...$0.1 }, state.status.newestSequence ?? 0)
        }
        active = nil
        for range in lost { statusStore.note(missing: range) }
        let missing = lost.first.map { $0.lowerBound...max($0.lowerBound, newest) }
        statusStore.report(
            JournalCondition(code: .deleted, detail: "segments of the journal were deleted", missing: missing)
        )
    }

    /// Continues after a segment that was truncated or written from outside.
    private mutating func giveUpChanged(_ segment: ActiveSegment, at instant: ContinuousClock.Instant) {
        let scan = try? SegmentScan(plain: segment.file)
        if let scan, scan.tornBytes > 0 { try? segment.file.truncate(to: scan.goodEnd) }
        let first = max(segment.name.firstSequence, (scan?.newest ?? 0) + 1)
        let missing = statusStore.withState { state -> ClosedRange<UInt64>? in
            let size = Int(clamping: scan?.goodEnd ?? 0)
            if let last = state.segments.indices.last {
                state.segments[last].bytes = size
                state.segments[last].closedAt = instant
            }
            state.hasActive = false
            let newest = state.status.newestSequence ?? 0
            return first <= newest ? first...newest : nil
        }
        active = nil
        if let missing { statusStore.note(missing: missing) }
        upkeep.enqueue(.close(segment.name, segment.file, scan?.index))
        statusStore.report(
            JournalCondition(
                code: .deleted,
                detail: "the segment \(segment.name.plain) was changed by another program",
                missing: missing
            )
        )
    }
}
