internal import CheckResults
internal import LinuxSupport

/// The state that a scheduler's threads share; accessed only with the lock held.
struct ScheduleState {
    /// A report that has not been handled yet.
    struct Arrival {
        let job: UInt64
        let account: String?
        let report: CheckReport
    }

    /// A piece of work to do without the lock.
    enum Work {
        case cancel([@Sendable () -> Void])
        case judge(job: UInt64, CompletedCheck)
        case begin(ProbeSchedule.Step)
    }

    var schedule: ProbeSchedule
    /// The cancellation handlers of the running checks, by job.
    var cancellations: [UInt64: @Sendable () -> Void] = [:]
    var arrivals: [Arrival] = []
    /// The cancellation handlers of abandoned checks.
    var givenUp: [@Sendable () -> Void] = []
    /// The checks still to be judged, the next one last.
    var judgements: [(job: UInt64, check: CompletedCheck)] = []
    /// The thread that starts and judges checks.
    var worker: ThreadIdentity?
    /// The thread that sleeps until something is due.
    var sleeper: ThreadIdentity?
    var isStarted = false
    var isStopped = false
    /// The sleeper's wake-up time, if it is asleep: an instant, or never.
    var isAsleep = false
    var sleepsUntil: ContinuousClock.Instant?
    /// The closures to call once the sleeper is idle.
    var calls: [@Sendable () -> Void] = []
    /// `true` if there is work for the sleeper although nothing is due.
    var isWorkWanted = false

    /// Returns whether the sleeper would wake up too late by itself.
    ///
    /// It sleeps by a clock that stops while the machine is suspended, so it is late after a resume.
    func mustWake(now: ContinuousClock.Instant) -> Bool {
        guard isAsleep else { return false }
        guard !isWorkWanted else { return true }
        guard let deadline = schedule.deadline else { return false }
        return sleepsUntil.map { deadline < $0 || $0 < now } ?? true
    }

    /// Returns the next piece of work; nil when there is none.
    mutating func takeWork(now: ContinuousClock.Instant, seconds: Int64) -> Work? {
        guard !isStopped else { return nil }
        guard givenUp.isEmpty else {
            defer { givenUp = [] }
            return .cancel(givenUp)
        }
        while true {
            while let (job, check) = judgements.popLast() {
                if schedule.isAwaited(check.point, job: job) { return .judge(job: job, check) }
                schedule.settle(check.point, job: job, cadence: nil, now: now)
            }
            if arrivals.isEmpty { return schedule.takeStep(now: now, seconds: seconds).map { .begin($0) } }
            for arrival in arrivals.reversed() {
                cancellations[arrival.job] = nil
                let checks = schedule.finish(
                    arrival.job,
                    report: arrival.report,
                    account: arrival.account,
                    seconds: seconds
                )
                judgements += checks.reversed().map { (arrival.job, $0) }
            }
            arrivals.removeAll(keepingCapacity: true)
        }
    }
}
