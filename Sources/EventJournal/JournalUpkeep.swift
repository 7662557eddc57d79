internal import AgentEvents
internal import LinuxSupport
internal import Synchronization

/// The journal's second thread: it flushes to the disk, indexes, compresses and deletes, so that the writer need not
/// wait.
///
/// It sleeps without a timeout while idle.
final class JournalUpkeep: Sendable {
    /// The work on closed segments.
    enum Job: Sendable {
        /// Flush a closed segment to the disk, index it, and compress it if configured.
        case close(SegmentName, OpenFile?, SegmentIndex?)
        /// Delete segments that are too old or too many.
        case retain
        /// Flush files, and clear the lease of the stall of this generation.
        case settle(StallLease, Int, [OpenFile])
        /// Call the closure of removals.
        case noteRemovals
    }

    private struct Work {
        /// Files with unflushed bytes.
        var unsynced: [OpenFile] = []
        var isDirectoryUnsynced = false
        /// The time at which they must be flushed.
        var due: ContinuousClock.Instant?
        /// `true` if the thread does not know that time yet.
        var isDueUnknown = false
        var jobs: [Job] = []
        /// The number of times that the completion of all work was requested.
        var requests = 0
        /// The number of those that were fulfilled.
        var completed = 0
        var isStopping = false

        /// `true` if files are flushed at once.
        var isHurried: Bool { isStopping || completed < requests }
    }

    private enum Step {
        case sync([OpenFile], directory: Bool)
        case job(Job)
        /// Wake the threads that wait for the completion of all work.
        case complete
        case stop
    }

    private let configuration: JournalConfiguration
    private let directory: JournalDirectory
    private let statusStore: JournalStatusStore
    private let wallClock: @Sendable () -> Timestamp
    private let isClockTrusted: @Sendable () -> Bool
    private let work = Monitor(Work())
    /// `true` once the history has been checked since the start.
    private let retained = Atomic(false)

    init(
        _ configuration: JournalConfiguration,
        _ directory: JournalDirectory,
        _ statusStore: JournalStatusStore,
        wallClock: @escaping @Sendable () -> Timestamp,
        isClockTrusted: @escaping @Sendable () -> Bool
    ) {
        self.configuration = configuration
        self.directory = directory
        self.statusStore = statusStore
        self.wallClock = wallClock
        self.isClockTrusted = isClockTrusted
    }

    /// Starts the thread, which retains the object until ``stop()``.
    func start() throws(JournalError) { try NamedThread.startOrThrow("journal-upkeep") { self.run() } }

    // MARK: On any thread

    /// Records that bytes were written that must be flushed after the interval, or now; ``wakeToFlush()`` must follow.
    func noteWritten(_ file: OpenFile?, interval: Duration, isUrgent: Bool, at instant: ContinuousClock.Instant) {
        work.withLock { work in
            if let file, work.unsynced.last !== file { work.unsynced.append(file) }
            if file == nil { work.isDirectoryUnsynced = true }
            let due = isUrgent ? instant : instant.advanced(by: interval)
            // Of an overdue one the thread may not know either: it sleeps by a clock that stops during suspend.
            guard work.due.map({ due < $0 || $0 <= instant }) ?? true else { return }
            work.due = min(due, work.due ?? due)
            work.isDueUnknown = true
        }
    }

    /// Wakes the thread if it sleeps beyond the time of the next flush.
    ///
    /// Apart from ``noteWritten(_:interval:isUrgent:at:)``: subscribers wait for a written event, and come first.
    func wakeToFlush() {
        let isDueUnknown = work.withLock { work in
            defer { work.isDueUnknown = false }
            return work.isDueUnknown
        }
        if isDueUnknown { work.wakeAll() }
    }

    func enqueue(_ job: Job) {
        work.withLock { $0.jobs.append(job) }
        work.wakeAll()
    }

    /// Does all pending work now, and waits for it; `false` on timeout.
    func finishWork(within limit: Duration) -> Bool {
        let request = work.withLock { work in
            work.requests += 1
            return work.requests
        }
        work.wakeAll()
        return work.wait(within: limit) { $0.completed >= request }
    }

    /// Ends the thread after all pending work; does not wait.
    func stop() {
        work.withLock { $0.isStopping = true }
        work.wakeAll()
    }

    // MARK: On the thread

    private func run() {
        while true {
            switch nextStep() {
            case .sync(let files, let withDirectory): sync(files, withDirectory)
            case .job(.close(let name, let file, let index)): close(name, file, index)
            case .job(.retain): retain()
            case .job(.settle(let lease, let generation, let files)):
                lease.settle(generation, ifFlushed: files.allSatisfy { sync($0) && !$0.hasFailedSync })
            case .job(.noteRemovals): statusStore.withState { $0.whenRemoved }?()
            case .complete: work.wakeAll()
            case .stop: return
            }
        }
    }

    /// Sleeps until there is something to do.
    private func nextStep() -> Step {
        work.wait { work -> Wait<Step> in
            var pause: Duration?
            if let due = work.due {
                let now = directory.system.now()
                if work.isHurried || due <= now {
                    defer {
                        work.unsynced = []
                        work.isDirectoryUnsynced = false
                        work.due = nil
                    }
                    return .done(.sync(work.unsynced, directory: work.isDirectoryUnsynced))
                }
                pause = now.duration(to: due)
            }
            if !work.jobs.isEmpty { return .done(.job(work.jobs.removeFirst())) }
            if let pause { return .sleep(pause) }
            if work.completed < work.requests {
                work.completed = work.requests
                return .done(.complete)
            }
            return work.isStopping ? .done(.stop) : .sleep(nil)
        }
    }

    private func sync(_ files: [OpenFile], _ withDirectory: Bool) {
        var isDone = true
        for file in files where !sync(file) { isDone = false }
        if withDirectory {
            do throws(JournalError) {
                try directory.sync()
            } catch {
                statusStore.syncFailed(error)
                isDone = false
            }
        }
        if isDone { statusStore.synced(at: wallClock()) }
    }

    private func sync(_ file: OpenFile) -> Bool { file.sync(with: directory.system, reportingTo: statusStore) }

    private func close(_ name: SegmentName, _ file: OpenFile?, _ index: SegmentIndex?) {
        let syncs = configuration.sync != .never
        if let file, configuration.sync != .always, syncs { _ = sync(file) }
        do throws(JournalError) {
            let index = if let index { index } else { try indexOfFile(name) }
            try directory.replace(name.index, with: index.encoded(), syncs: syncs)
            update(name) {
                $0.hasIndex = true
                $0.newestTime = index.newestTime
            }
            if configuration.compressesClosedSegments {
                let size = try SegmentCompressor.compress(name, in: directory.path)
                update(name) {
                    $0.isCompressed = true
                    $0.bytes = size
                }
            }
        } catch {
            // The events are safe in the plain file; only lookups are slower.
            statusStore.noticed(error)
        }
    }

    private func indexOfFile(_ name: SegmentName) throws(JournalError) -> SegmentIndex {
        try SegmentScan(plain: try directory.open(name.plain, 0)).index
    }

    private func update(_ name: SegmentName, _ change: (inout JournalSegment) -> Void) {
        statusStore.withState { state in
            guard let position = state.segments.firstIndex(where: { $0.name == name }) else { return }
            change(&state.segments[position])
        }
    }

    private func retain() {
        let retention = JournalRetention(
            configuration,
            wallClock: wallClock(),
            isClockTrusted: isClockTrusted(),
            instant: directory.system.now()
        )
        let segments = statusStore.withState { $0.segments }
        let expired = retention.expired(segments, newestTime: newestTime(of:))
        // Only from the oldest one on, never one in the middle.
        let removed = expired.prefix { keepLasting(of: $0, among: segments) }
        if !removed.isEmpty {
            let notify = statusStore.withState { state in
                state.segments.removeAll { removed.contains($0.name) }
                return state.whenRemoved
            }
            notify?()
            for name in removed {
                directory.remove(name.plain)
                directory.remove(name.compressed)
                directory.remove(name.index)
            }
        }
        guard !removed.isEmpty || !retained.load(ordering: .relaxed) else { return }
        retained.store(true, ordering: .relaxed)
        do throws(JournalError) {
            try JournalHistory(configuration, of: directory)
                .retain(now: wallClock(), isClockTrusted: isClockTrusted())
        } catch {
            statusStore.noticed(error)
        }
    }

    private func newestTime(of segment: JournalSegment) -> Timestamp? {
        let time = segment.newestTime ?? segment.readNewestTime(in: directory)
        // Without an index all of the segment was read.
        update(segment.name) { $0.newestTime = time }
        return time
    }

    /// Copies the lasting events of a segment to the history.
    ///
    /// - Returns: `true` if the segment can be deleted; also if the copy failed, but newer events need the space.
    private func keepLasting(of name: SegmentName, among segments: [JournalSegment]) -> Bool {
        guard configuration.historyAge > .zero, let next = segments.first(where: { $0.name > name })?.name else {
            return true
        }
        do throws(JournalError) {
            try JournalHistory(configuration, of: directory).keep(name, before: next.firstSequence)
            return true
        } catch {
            statusStore.noticed(error)
            return segments.lazy.filter { $0.name >= name }.reduce(0) { $0 &+ $1.bytes } > configuration.totalBytes
        }
    }
}
