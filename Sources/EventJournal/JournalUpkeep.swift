internal import DetachedThread
internal import Dispatch
internal import EventEnvelope
internal import Synchronization

/// The journal's second thread: it forces onto the disk, indexes, compresses and deletes, so that the writer need not wait.
///
/// It sleeps without a time-out while nothing is to be done.
final class JournalUpkeep: Sendable {
    /// What has to be done with closed segments.
    enum Job: Sendable {
        /// A segment was closed: it is forced onto the disk, gets its index, and is compressed if so configured.
        case close(SegmentName, OpenFile?, SegmentIndex?)
        /// Segments that are too old or too many are deleted.
        case retain
    }

    private struct Work {
        /// Files with bytes that were not forced onto the disk.
        var unsynced: [OpenFile] = []
        var isDirectoryUnsynced = false
        /// When the files have to be forced.
        var due: ContinuousClock.Instant?
        var jobs: [Job] = []
        /// Who waits until nothing is left to do.
        var waiters: [DispatchSemaphore] = []
        var isStopping = false
    }

    private enum Step {
        case sleep(until: ContinuousClock.Instant?)
        case sync([OpenFile], directory: Bool)
        case job(Job)
        case stop
    }

    private let configuration: JournalConfiguration
    private let directory: JournalDirectory
    private let board: JournalBoard
    private let wallClock: @Sendable () -> Timestamp
    private let isClockTrusted: @Sendable () -> Bool
    private let work = Mutex(Work())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(
        _ configuration: JournalConfiguration,
        _ directory: JournalDirectory,
        _ board: JournalBoard,
        wallClock: @escaping @Sendable () -> Timestamp,
        isClockTrusted: @escaping @Sendable () -> Bool
    ) {
        self.configuration = configuration
        self.directory = directory
        self.board = board
        self.wallClock = wallClock
        self.isClockTrusted = isClockTrusted
    }

    /// Starts the thread; it keeps the object until ``stop()``.
    func start() throws(JournalError) { try DetachedThread.startOrThrow { self.run() } }

    // MARK: On any thread

    /// Notes that bytes were written that are to be forced onto the disk after the interval, or now.
    func noteWritten(_ file: OpenFile?, interval: Duration, isUrgent: Bool, at instant: ContinuousClock.Instant) {
        let isSooner = work.withLock { work in
            if let file, work.unsynced.last !== file { work.unsynced.append(file) }
            if file == nil { work.isDirectoryUnsynced = true }
            let due = isUrgent ? instant : instant.advanced(by: interval)
            guard work.due.map({ due < $0 }) ?? true else { return false }
            work.due = due
            return true
        }
        if isSooner { wakeUp.signal() }
    }

    func enqueue(_ job: Job) {
        work.withLock { $0.jobs.append(job) }
        wakeUp.signal()
    }

    /// Does everything now that is to be done, and waits for it; `false` when that took too long.
    func finishWork(within limit: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        work.withLock { $0.waiters.append(done) }
        wakeUp.signal()
        return done.wait(timeout: .now() + limit.dispatchInterval) == .success
    }

    /// Ends the thread when everything is done; does not wait.
    func stop() {
        work.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    // MARK: On the thread

    private func run() {
        while true {
            switch nextStep() {
            case .sleep(until: nil): wakeUp.wait()
            case .sleep(until: let due?):
                let remaining = directory.system.now().duration(to: due)
                _ = wakeUp.wait(timeout: .now() + remaining.dispatchInterval)
            case .sync(let files, let withDirectory): sync(files, withDirectory)
            case .job(.close(let name, let file, let index)): close(name, file, index)
            case .job(.retain): retain()
            case .stop: return
            }
        }
    }

    private func nextStep() -> Step {
        work.withLock { work in
            if let due = work.due {
                let isHurried = work.isStopping || !work.waiters.isEmpty
                if isHurried || due <= directory.system.now() {
                    defer {
                        work.unsynced = []
                        work.isDirectoryUnsynced = false
                        work.due = nil
                    }
                    return .sync(work.unsynced, directory: work.isDirectoryUnsynced)
                }
            }
            if !work.jobs.isEmpty { return .job(work.jobs.removeFirst()) }
            if let due = work.due { return .sleep(until: due) }
            for waiter in work.waiters { waiter.signal() }
            work.waiters = []
            return work.isStopping ? .stop : .sleep(until: nil)
        }
    }

    private func sync(_ files: [OpenFile], _ withDirectory: Bool) {
        var isDone = true
        for file in files where !sync(file) { isDone = false }
        if withDirectory {
            do throws(JournalError) {
                try directory.sync()
            } catch {
                board.syncFailed(error)
                isDone = false
            }
        }
        if isDone { board.synced(at: wallClock()) }
    }

    private func sync(_ file: OpenFile) -> Bool {
        let error = directory.system.sync(file.descriptor)
        if error != 0 { board.syncFailed(JournalError(operation: "sync", path: file.path, cause: .errno(error))) }
        return error == 0
    }

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
            // The events are safe in the plain file; only finding them takes longer.
            board.note(repair: error.description)
        }
    }

    private func indexOfFile(_ name: SegmentName) throws(JournalError) -> SegmentIndex {
        try SegmentScan(plain: try directory.open(name.plain, 0)).index
    }

    private func update(_ name: SegmentName, _ change: (inout JournalSegment) -> Void) {
        board.withState { state in
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
        var segments = board.withState { $0.segments }
        for position in segments.indices where segments[position].newestTime == nil {
            segments[position].newestTime = segments[position].readIndex(in: directory)?.newestTime
        }
        let expired = retention.expired(segments)
        guard !expired.isEmpty else { return }
        board.withState { state in state.segments.removeAll { expired.contains($0.name) } }
        for name in expired {
            directory.remove(name.plain)
            directory.remove(name.compressed)
            directory.remove(name.index)
        }
    }
}

extension Duration {
    /// The same for Dispatch, not negative, and not more than a year.
    var dispatchInterval: DispatchTimeInterval {
        let limited = min(max(self, .zero), .seconds(365 * 86_400))
        return .nanoseconds(Int(limited / .nanoseconds(1)))
    }
}
