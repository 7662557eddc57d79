/// Everything of a scheduler's that its threads share; it is only touched with the lock held.
struct ScheduleState {
    /// A report that has come and was not looked at yet.
    struct Arrival {
        let turn: UInt64
        let account: String?
        let report: CheckReport
    }

    /// One thing to do without the lock.
    enum Work {
        case cancel([@Sendable () -> Void])
        case judge(turn: UInt64, CompletedCheck)
        case begin(ProbeSchedule.Step)
    }

    var schedule: ProbeSchedule
    /// What ends the checks under way, by turn.
    var cancellations: [UInt64: @Sendable () -> Void] = [:]
    var arrivals: [Arrival] = []
    /// What ends the checks that were given up.
    var givenUp: [@Sendable () -> Void] = []
    /// What is still to be judged, the next one last.
    var judgements: [(turn: UInt64, check: CompletedCheck)] = []
    /// The thread that begins and judges checks.
    var worker: ThreadIdentity?
    /// The thread that waits for what is due.
    var sleeper: ThreadIdentity?
    var isStarted = false
    var isStopped = false
    /// Whether the sleeper sleeps, and for how long: until an instant, or for ever.
    var isAsleep = false
    var sleepsUntil: ContinuousClock.Instant?
    /// What the sleeper is to call as soon as it is free.
    var calls: [@Sendable () -> Void] = []
    /// Whether there is something to do for the sleeper although nothing is due.
    var isWorkWanted = false

    /// Whether the sleeper would wake up too late by itself.
    ///
    /// It sleeps by a clock that stands still while the machine is suspended, so after a resume it is late.
    func mustWake(now: ContinuousClock.Instant) -> Bool {
        guard isAsleep else { return false }
        guard !isWorkWanted else { return true }
        guard let deadline = schedule.deadline else { return false }
        return sleepsUntil.map { deadline < $0 || $0 < now } ?? true
    }

    /// The next thing to do; nil when there is none.
    mutating func takeWork(now: ContinuousClock.Instant, seconds: Int64) -> Work? {
        guard !isStopped else { return nil }
        guard givenUp.isEmpty else {
            defer { givenUp = [] }
            return .cancel(givenUp)
        }
        while true {
            while let (turn, check) = judgements.popLast() {
                if schedule.isAwaited(check.point, turn: turn) { return .judge(turn: turn, check) }
                schedule.settle(check.point, turn: turn, cadence: nil, now: now)
            }
            if arrivals.isEmpty { return schedule.takeStep(now: now, seconds: seconds).map { .begin($0) } }
            for arrival in arrivals.reversed() {
                cancellations[arrival.turn] = nil
                let checks = schedule.finish(
                    arrival.turn,
                    report: arrival.report,
                    account: arrival.account,
                    seconds: seconds
                )
                judgements += checks.reversed().map { (arrival.turn, $0) }
            }
            arrivals.removeAll(keepingCapacity: true)
        }
    }
}
