/// Which check is due when, which may begin, and whom a finished one serves: everything that needs neither a clock nor a
/// thread.
///
/// A point waits for its round; when that has come, it has a turn, alone or together with the points whose check is the
/// same. A turn waits for a place among the checks that may be under way, in the order in which turns were due; targets
/// that have no place left hold up nobody else. When the check is over, each of its points is judged, and then waits for
/// the next round.
struct ProbeSchedule {
    /// A point and where it stands.
    struct Entry {
        var scheduled: ScheduledProbe
        let key: CheckKey
        let hash: UInt64
        /// The last answer of the judge; until there is one, the verdict is in doubt.
        var cadence = Cadence.doubtful
        /// The place of the round that is waited for, or of the present turn; the next one is measured from it.
        var base: ContinuousClock.Instant
        /// The place of the round before, from which ``base`` was measured.
        var previous: ContinuousClock.Instant
        /// When the present or the last turn was due.
        var due: ContinuousClock.Instant
        /// The turn that the point waits for, or whose outcome is being judged.
        var turn: UInt64?
        /// Whether the turn is over and the judge has the word.
        var isJudged = false
        /// When a look is due that was asked for while the judge had the word.
        var look: ContinuousClock.Instant?
        /// When the last turn began that is over.
        var started: ContinuousClock.Instant?
        /// Whether the round that is waited for was requested.
        var isRequested = false
    }

    /// A check that waits or is under way, and the points that it serves.
    struct Turn {
        let key: CheckKey
        let destination: String
        let due: ContinuousClock.Instant
        var points: [ProbePoint]
        var started: ContinuousClock.Instant?
        /// Whether it counts among the checks under way.
        var hasPlace = false
        /// Whether it began because of a request: its bytes are counted as such too.
        var isRequested = false
    }

    /// The checks towards one host and port.
    struct Destination {
        var underWay = 0
        var waiting = DueHeap<UInt64>()
    }

    /// Rounds that are due within this time are taken together, so that the thread wakes up less often.
    static let batch: Duration = .milliseconds(5)

    let rhythm: Rhythm
    private(set) var limits: ScheduleLimits
    var entries: [ProbePoint: Entry] = [:]
    /// Every point by its next round; while it has a turn, by the round that comes next if all goes well.
    ///
    /// The thread then sleeps until the right time already, and need not be woken when a check is over.
    var rounds = DueHeap<ProbePoint>()
    var turns: [UInt64: Turn] = [:]
    /// The turn that further points with the same check join.
    var joinable: [CheckKey: UInt64] = [:]
    var destinations: [String: Destination] = [:]
    /// The destinations that have a place left and a turn waiting, by its due time.
    var ready = DueHeap<String>()
    var underWay = 0
    var lastTurn: UInt64 = 0
    var budget: ByteBudget
    var counted = ProbeScheduler.Statistics()

    /// A schedule of nothing.
    ///
    /// - Parameters:
    ///   - epoch: Where the phases are counted from; the same for every process of this boot.
    ///   - seed: What makes the jitter.
    ///   - usage: What an earlier process has used of a day's budgets.
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

    /// When ``takeDue(now:)`` has something to do; nil while nothing is scheduled.
    var deadline: ContinuousClock.Instant? { rounds.first?.due }

    /// What was counted; `seconds` is the wall clock's, since 1970.
    mutating func statistics(seconds: Int64) -> ProbeScheduler.Statistics {
        budget.update(seconds: seconds)
        counted.bytes = budget.used
        return counted
    }

    /// Gives a turn to every point whose round has come.
    mutating func takeDue(now: ContinuousClock.Instant) {
        let horizon = now + Self.batch
        while let (point, due) = rounds.first, due <= horizon {
            guard var entry = entries[point] else {
                rounds.removeFirst()
                continue
            }
            // The rounds of a point whose turn is not over yet are counted as missed when it is.
            if entry.turn == nil {
                entry.due = catchUp(&entry, due: due, now: now)
                join(point, &entry)
                entries[point] = entry
            }
            var round = next(after: entry.base, entry, now: horizon)
            if round.due <= horizon { round = next(after: round.base, entry, now: horizon) }
            rounds.set(point, due: round.due)
        }
    }

    /// Leaves out the rounds that a long delay has passed over, so that only the latest one is made up for.
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
        if let turn = joinable[entry.key] {
            entry.turn = turn
            turns[turn]?.points.append(point)
            return
        }
        lastTurn &+= 1
        let destination = entry.scheduled.probe.destination
        entry.turn = lastTurn
        joinable[entry.key] = lastTurn
        turns[lastTurn] = Turn(
            key: entry.key,
            destination: destination,
            due: entry.due,
            points: [point],
            isRequested: isRequested
        )
        destinations[destination, default: Destination()].waiting.set(lastTurn, due: entry.due)
        refresh(destination)
    }

    /// The first round after a place in an entry's rhythm that is later than `now`.
    func next(after base: ContinuousClock.Instant, _ entry: Entry, now: ContinuousClock.Instant) -> Rhythm.Round {
        rhythm.next(
            after: base,
            pace: entry.scheduled.pace,
            cost: entry.scheduled.cost,
            cadence: entry.cadence,
            hash: entry.hash,
            now: now
        )
    }

    /// Puts a destination among those that are ready, or takes it away, after something about it has changed.
    mutating func refresh(_ name: String) {
        guard let destination = destinations[name] else { return }
        if let first = destination.waiting.first, destination.underWay < limits.checksPerTarget {
            ready.set(name, due: first.due)
            return
        }
        ready.remove(name)
        if destination.waiting.isEmpty, destination.underWay == 0 { destinations[name] = nil }
    }

    /// Sets how much is done at the same time; what is under way goes on.
    mutating func setLimits(_ limits: ScheduleLimits) {
        self.limits = limits
        for name in Array(destinations.keys) { refresh(name) }
    }

    mutating func countSkipped(_ count: Int) { counted.skipped &+= UInt64(max(0, count)) }
}
