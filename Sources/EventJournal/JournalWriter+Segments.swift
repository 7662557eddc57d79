internal import AgentEvents
internal import Glibc
internal import Synchronization

extension JournalWriter {
    /// Returns the segment for a record: the active one, or a new one.
    mutating func segment(
        for record: JournalRecord,
        at instant: ContinuousClock.Instant
    ) throws(JournalError) -> ActiveSegment {
        if let segment = active {
            let isReplaced = mustReplaceActive(at: instant)
            if isReplaced { noteReplacement(at: instant) }
            if segment.bytes == 0 {
                if segment.name.firstSequence == record.sequence, !isReplaced { return segment }
                forgetActive()
                directory.remove(segment.name.plain)
            } else {
                guard isReplaced || segment.isFull(for: record.time, at: instant, configuration) else {
                    return segment
                }
                // Nobody looks at it again.
                if !noticeLoss(at: instant) { close(segment, at: instant) }
            }
        }
        // After the start of the segment, so that it is counted.
        defer { upkeep.enqueue(.retain) }
        let segment = try begin(SegmentName(firstSequence: record.sequence), at: instant)
        statusStore.needsNewSegment.store(false, ordering: .relaxed)
        active = segment
        return segment
    }

    /// Returns whether a flush has failed, and no segment has begun for that reason shortly before.
    private func mustReplaceActive(at instant: ContinuousClock.Instant) -> Bool {
        guard statusStore.needsNewSegment.load(ordering: .relaxed) else { return false }
        guard let lastReplacement else { return true }
        let former = statusStore.vainReplacements.load(ordering: .relaxed) - 1
        let interval = Self.replacementInterval * (1 << min(max(0, former), 16))
        return lastReplacement.duration(to: instant) >= min(interval, Self.longestReplacementInterval)
    }

    private mutating func noteReplacement(at instant: ContinuousClock.Instant) {
        lastReplacement = instant
        statusStore.vainReplacements.add(1, ordering: .relaxed)
    }

    private mutating func begin(
        _ name: SegmentName,
        at instant: ContinuousClock.Instant
    ) throws(JournalError) -> ActiveSegment {
        let file = try directory.open(name.plain, O_RDWR | O_CREAT | O_APPEND)
        let status = file.status()
        // A named pipe takes events that nothing reads.
        guard status?.isRegular == true else {
            throw JournalError(operation: "begin", path: file.path, cause: .malformed("it is not a regular file"))
        }
        if let size = status?.size, size > 0 {
            // Only unreadable content may be overwritten.
            guard try SegmentScan(plain: file).newest == nil else {
                throw JournalError(operation: "begin", path: file.path, cause: .malformed("it has events already"))
            }
            try file.truncate(to: 0)
        }
        if configuration.sync == .always { try directory.sync() }
        if case .interval(let interval) = configuration.sync {
            upkeep.noteWritten(nil, interval: interval, isUrgent: false, at: instant)
        }
        statusStore.withState { state in
            state.segments.removeAll { $0.name == name }
            state.segments.append(JournalSegment(name: name))
            state.hasActive = true
            state.activeIndex = SegmentIndex()
        }
        return ActiveSegment(name: name, file: file, bytes: 0, openedAt: instant)
    }

    private mutating func close(_ segment: ActiveSegment, at instant: ContinuousClock.Instant) {
        if configuration.sync == .always { sync(segment.file) }
        let index = statusStore.withState { state in
            if let last = state.segments.indices.last {
                state.segments[last].closedAt = instant
                state.segments[last].newestTime = state.activeIndex.newestTime
            }
            state.hasActive = false
            return state.activeIndex
        }
        active = nil
        upkeep.enqueue(.close(segment.name, segment.file, index))
    }

    /// Removes the active segment from the accounting.
    private mutating func forgetActive() {
        guard let name = active?.name else { return }
        active = nil
        statusStore.withState { state in
            state.segments.removeAll { $0.name == name }
            state.hasActive = false
        }
    }
}
