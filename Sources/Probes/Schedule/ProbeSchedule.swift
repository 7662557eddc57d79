internal import CheckResults

/// The state of the schedule, without a clock or a thread: the due times, the jobs that may start, and the points that
/// a completed check serves.
///
/// A point waits for its round; when that is due, it gets a job, alone or with the points that share its check. A job
/// waits for a free slot among the concurrent checks, in the order of due times; targets at their limit do not delay
/// others. When the check is complete, each of its points is judged, and then waits for the next round.
struct ProbeSchedule {
    /// A point and its state.
    struct Entry {
        var scheduled: ScheduledProbe
        let key: CheckKey
        let hash: UInt64
        /// The judge's last cadence; before the first one, the verdict is in doubt.
        var cadence = Cadence.doubtful
        /// The base of the pending round, or of the current job; the next round is relative to it.
        var base: ContinuousClock.Instant
        /// The base of the previous round, to which ``base`` is relative.
        var previous: ContinuousClock.Instant
        /// The due time of the current or the last job.
        var due: ContinuousClock.Instant
        /// The job that the point waits for, or whose result is being judged.
        var job: UInt64?
        /// `true` while the job is complete and being judged.
        var isJudged = false
        /// The due time of a recheck that was requested while the point was being judged.
        var recheck: ContinuousClock.Instant?
        /// The due time of a check that was requested while the point was being judged.
        var requested: ContinuousClock.Instant?
        /// The start of the last completed job.
        var started: ContinuousClock.Instant?
        /// `true` if the pending round was requested.
        var isRequested = false
        /// The due time of the transfer that follows one whose path changed while it was running.
        var retry: ContinuousClock.Instant?
        /// `true` if the point was removed, but stays until its transfer has ended.
        var isLeaving = false

        /// `true` for a point whose check is a transfer.
        var isTransfer: Bool { scheduled.probe.transfer != nil }
    }

    /// A queued or running check, and the points that it serves.
    struct Job {
        let key: CheckKey
        /// The host and port; nil for a transfer.
        let destination: String?
        let due: ContinuousClock.Instant
        var points: [ProbePoint]
        var started: ContinuousClock.Instant?
        /// `true` if the job occupies a slot.
        var hasSlot = false
        /// `true` if the check was started by a request: its bytes count against the requests' share.
        var isRequested = false
    }

    /// The checks of one host and port.
    struct Destination {
        var underWay = 0
        var waiting = DueHeap<UInt64>()
    }

    /// Rounds that are due within this time are taken together, to save wake-ups.
    static let batch: Duration = .milliseconds(5)

    let rhythm: Rhythm
    private(set) var limits: ScheduleLimits
    var entries: [ProbePoint: Entry] = [:]
    /// Every point by its next round; during a job, by the next round if the check succeeds.
    ///
    /// The thread then already sleeps until the right time, and need not be woken when a check completes.
    var rounds = DueHeap<ProbePoint>()
    var jobs: [UInt64: Job] = [:]
    /// The jobs that further points with the same check join.
    var joinable: [CheckKey: UInt64] = [:]
    var destinations: [String: Destination] = [:]
    /// The destinations with a free slot and a queued job, by its due time.
    var ready = DueHeap<String>()
    /// The number of running checks, transfers excluded.
    var underWay = 0
    var transfers = TransferQueue()
    var lastJob: UInt64 = 0
    var budget: ByteBudget
    var counted = ScheduleStatistics()

    /// Creates an empty schedule.
    ///
    /// - Parameters:
    ///   - epoch: The origin of the phases; the same for every process of this boot.
    ///   - seed: The seed of the jitter.
    ///   - usage: The budgets used by an earlier process.
    init(
        epoch: ContinuousClock.Instant,
        seed: UInt64,
        limits: ScheduleLimits = ScheduleLimits(),
        usage: DataUsage? = nil
    ) {
        rhythm = Rhythm(epoch: epoch, seed: seed)
        self.limits = limits
        budget = ByteBudget(continuing: usage)
    }

    /// The time at which ``takeDue(now:)`` must be called; nil while nothing is scheduled.
    var deadline: ContinuousClock.Instant? { rounds.firstDue }

    /// Returns the counters; `seconds` is the wall clock, in seconds since 1970.
    mutating func statistics(seconds: Int64) -> ScheduleStatistics {
        budget.update(seconds: seconds)
        counted.bytes = budget.used
        counted.bytesPerDay = [:]
        for entry in entries.values {
            guard let account = entry.scheduled.cost.account, let limit = entry.scheduled.cost.bytesPerDay else {
                continue
            }
            counted.bytesPerDay[account] = limit
        }
        return counted
    }

    /// The time between two rounds of each point, by its present cadence.
    var intervals: [ProbePoint: Duration] {
        entries.mapValues { .nanoseconds(Rhythm.interval($0.scheduled.pace, $0.scheduled.cost, $0.cadence)) }
    }

    /// Creates a job for every point whose round is due.
    mutating func takeDue(now: ContinuousClock.Instant) {
        let horizon = now + Self.batch
        while let due = rounds.firstDue, due <= horizon, let point = rounds.first {
            guard var entry = entries[point] else {
                rounds.removeFirst()
                continue
            }
            // Rounds during a job are counted as missed when it ends.
            if entry.job == nil {
                entry.due = catchUp(&entry, due: due, now: now)
                join(point, &entry)
                entries[point] = entry
            }
            var round = next(after: entry.base, entry, now: horizon)
            if round.due <= horizon { round = next(after: round.base, entry, now: horizon) }
            rounds.set(point, due: round.due)
        }
    }

    /// Skips the rounds that a long delay has passed over, except for the latest one.
    private mutating func catchUp(
        _ entry: inout Entry,
        due: ContinuousClock.Instant,
        now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        let interval = Rhythm.interval(entry.scheduled.pace, entry.scheduled.cost, entry.cadence)
        let missed = max(0, (now - max(entry.base, due)).clampedNanoseconds) / interval
        guard missed > 0 else { return due }
        countSkipped(Int(clamping: missed))
        let delay = Duration.nanoseconds(missed * interval)
        entry.base += delay
        return min(now, due + delay)
    }

    private mutating func join(_ point: ProbePoint, _ entry: inout Entry) {
        let isRequested = entry.isRequested
        entry.isRequested = false
        if let job = joinable[entry.key] {
            entry.job = job
            jobs[job]?.points.append(point)
            return
        }
        lastJob &+= 1
        let destination = entry.isTransfer ? nil : entry.scheduled.probe.destination
        entry.job = lastJob
        joinable[entry.key] = lastJob
        jobs[lastJob] = Job(
            key: entry.key,
            destination: destination,
            due: entry.due,
            points: [point],
            isRequested: isRequested
        )
        guard let destination else { return transfers.waiting.set(lastJob, due: entry.due) }
        destinations[destination, default: Destination()].waiting.set(lastJob, due: entry.due)
        refresh(destination)
    }

    /// Returns the first round after a base in an entry's rhythm that is later than `now`.
    func next(after base: ContinuousClock.Instant, _ entry: Entry, now: ContinuousClock.Instant) -> Rhythm.Occurrence {
        rhythm.next(
            after: base,
            pace: entry.scheduled.pace,
            cost: entry.scheduled.cost,
            cadence: entry.cadence,
            hash: entry.hash,
            now: now
        )
    }

    /// Adds a destination to those that are ready, or removes it, after a change.
    mutating func refresh(_ name: String) {
        guard let destination = destinations[name] else { return }
        if let due = destination.waiting.firstDue, destination.underWay < limits.checksPerTarget {
            ready.set(name, due: due)
            return
        }
        ready.remove(name)
        if destination.waiting.isEmpty, destination.underWay == 0 { destinations[name] = nil }
    }

    /// Sets the concurrency limits; running checks continue.
    mutating func setLimits(_ limits: ScheduleLimits) {
        self.limits = limits
        for name in Array(destinations.keys) { refresh(name) }
    }

    mutating func countSkipped(_ count: Int) { counted.skipped &+= UInt64(max(0, count)) }
}
