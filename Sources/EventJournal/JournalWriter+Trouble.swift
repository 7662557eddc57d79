internal import EventEnvelope
internal import Glibc

extension JournalWriter {
    // MARK: While nothing can be written

    /// Notes that writing failed.
    mutating func degrade(_ error: JournalError, at instant: ContinuousClock.Instant) {
        isDegraded = true
        lastAttempt = instant
        retryDelay = Self.retryInterval
        missingOfOutage = nil
        fail(error)
    }

    private func fail(_ error: JournalError) {
        let detail = "\(error.operation) \(error.path): events wait in memory until it works again"
        board.fail(JournalCondition(code: .writeFailed, detail: detail, error: error.reason))
    }

    /// Keeps records in memory, and says in the lease that their numbers are used.
    mutating func wait(_ records: some Sequence<JournalRecord>) {
        if let dropped = backlog.append(records) {
            board.note(missing: dropped)
            extendMissing(dropped)
        }
        noteWaiting()
        guard let lease, leased < lastAccepted else { return }
        let ahead = min(lastAccepted + JournalLease.step, JournalRecord.mostSequence)
        if lease.write(ahead, syncs: configuration.sync != .never) { leased = ahead }
    }

    mutating func extendMissing(_ range: ClosedRange<UInt64>) {
        let known = missingOfOutage ?? range
        missingOfOutage = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }

    private func noteWaiting() {
        board.withState { state in
            state.status.waiting = backlog.records.count
            state.status.nextSequence = max(state.status.nextSequence, lastAccepted + 1)
        }
    }

    /// Tries to write again when that is due, although no event came.
    ///
    /// - Returns: The time until the next attempt; `nil` while nothing is wrong.
    mutating func retry() -> Duration? {
        guard isDegraded else { return nil }
        let now = directory.system.now()
        if now >= lastAttempt.advanced(by: retryDelay) { resume(at: now) }
        return isDegraded ? now.duration(to: lastAttempt.advanced(by: retryDelay)) : nil
    }

    /// Tries to write again: what waits first.
    mutating func resume(at instant: ContinuousClock.Instant) {
        lastAttempt = instant
        retryDelay = min(retryDelay * 2, Self.longestRetryInterval)
        do throws(JournalError) {
            try makeWritable(at: instant)
        } catch {
            return fail(error)
        }
        let (rest, error) = write(backlog.takeAll()[...], at: instant)
        if let error {
            wait(rest)
            return fail(error)
        }
        isDegraded = false
        noteWaiting()
        clearLease()
        board.recover(missing: missingOfOutage)
        missingOfOutage = nil
    }

    /// Says that every number that was used is in the journal, once that is so even after a power failure.
    mutating func clearLease() {
        guard leased > 0, let lease, let active else { return }
        let syncs = configuration.sync != .never
        if syncs, directory.system.sync(active.file.descriptor) != 0 { return }
        if lease.write(0, syncs: syncs) { leased = 0 }
    }

    /// Writes what can still be written, and leaves the lease at the last number that was used and not recorded.
    mutating func finish(usedThrough last: UInt64) {
        if isDegraded { resume(at: directory.system.now()) }
        let isBehind = last > lastAccepted && last <= JournalRecord.mostSequence
        if isBehind {
            board.note(missing: lastAccepted + 1...last)
            lastAccepted = last
        }
        guard isDegraded || isBehind else { return }
        if let first = backlog.records.first, let last = backlog.records.last {
            board.note(missing: first.sequence...last.sequence)
        }
        noteWaiting()
        _ = lease?.write(lastAccepted, syncs: configuration.sync != .never)
    }

    // MARK: When somebody else was here

    /// Makes sure that all that writing needs is there: the directory, the lock, the name of the stream, the lease.
    mutating func makeWritable(at instant: ContinuousClock.Instant) throws(JournalError) {
        try directory.make()
        if lock?.isCurrent(in: directory) != true {
            lock = nil
            lock = try JournalLock.take(in: directory)
        }
        try StreamName.keep(streamID, in: directory)
        if lease?.isCurrent(in: directory) != true { lease = try JournalLease.open(in: directory, saying: leased) }
        if active != nil { noticeLoss(at: instant) }
        try active?.cutTornLine()
    }

    /// Looks whether the active segment is still there, and as long as it should be.
    mutating func look(at instant: ContinuousClock.Instant) {
        lastLook = instant
        guard noticeLoss(at: instant) else { return }
        do throws(JournalError) {
            try makeWritable(at: instant)
        } catch {
            degrade(error, at: instant)
        }
    }

    /// Gives the active segment up when somebody deleted or changed it; `false` when it is as it should be.
    @discardableResult
    private mutating func noticeLoss(at instant: ContinuousClock.Instant) -> Bool {
        guard let segment = active else { return false }
        let identity = directory.identity(of: segment.name.plain)
        if let identity, identity.isSameFile(as: segment.file.identity()) {
            if identity.size == segment.bytes || segment.isTorn { return false }
            giveUpChanged(segment, at: instant)
        } else {
            giveUpDeleted()
        }
        return true
    }

    /// Goes on without segments that are no longer there.
    private mutating func giveUpDeleted() {
        let files = directory
        let (lost, newest) = board.withState { state in
            let all = state.segments
            state.segments.removeAll { files.identity(of: $0.fileName) == nil }
            if let active { state.segments.removeAll { $0.name == active.name } }
            state.hasActive = false
            let kept = Set(state.segments.map(\.name))
            // A segment ends where the next one begins.
            let ends = all.dropFirst().map { $0.name.firstSequence - 1 } + [state.status.newestSequence ?? 0]
            let lost = zip(all, ends).filter { !kept.contains($0.0.name) && $0.0.name.firstSequence <= $0.1 }
            return (lost.map { $0.0.name.firstSequence...$0.1 }, state.status.newestSequence ?? 0)
        }
        active = nil
        for range in lost { board.note(missing: range) }
        let missing = lost.first.map { $0.lowerBound...max($0.lowerBound, newest) }
        board.tell(
            JournalCondition(code: .deleted, detail: "segments of the journal were deleted", missing: missing)
        )
    }

    /// Goes on behind a segment that somebody has cut or written to.
    private mutating func giveUpChanged(_ segment: ActiveSegment, at instant: ContinuousClock.Instant) {
        let scan = try? SegmentScan(plain: segment.file)
        if let scan, scan.tornBytes > 0 { try? segment.file.truncate(to: scan.goodEnd) }
        let first = max(segment.name.firstSequence, (scan?.newest ?? 0) + 1)
        let missing = board.withState { state -> ClosedRange<UInt64>? in
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
        if let missing { board.note(missing: missing) }
        upkeep.enqueue(.close(segment.name, segment.file, scan?.index))
        board.tell(
            JournalCondition(
                code: .deleted,
                detail: "the segment \(segment.name.plain) was changed by somebody else",
                missing: missing
            )
        )
    }
}
