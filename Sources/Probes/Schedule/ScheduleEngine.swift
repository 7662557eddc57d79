internal import CheckResults
internal import LinuxSupport

/// The thread that wakes up when a check is due, and the handling of completed checks.
///
/// Checks are started and judged by one thread at a time, the scheduler's or one of the transport's, with no lock held:
/// so a transport may complete a check before its `start` returns, and the judge may call the scheduler.
final class ScheduleEngine: Sendable {
    private let transport: any CheckTransport
    private let judge: ProbeScheduler.Judge
    /// The wall clock, in seconds since 1970.
    private let wallClock: @Sendable () -> Int64
    private let whenUsed: (@Sendable (DataUsage) -> Void)?
    private let presentCost: ProbeScheduler.PresentCost?
    private let monitor: Monitor<ScheduleState>

    init(
        transport: any CheckTransport,
        schedule: ProbeSchedule,
        wallClock: @escaping @Sendable () -> Int64,
        whenUsed: (@Sendable (DataUsage) -> Void)? = nil,
        presentCost: ProbeScheduler.PresentCost? = nil,
        judge: @escaping ProbeScheduler.Judge
    ) {
        self.transport = transport
        self.judge = judge
        self.wallClock = wallClock
        self.whenUsed = whenUsed
        self.presentCost = presentCost
        monitor = Monitor(ScheduleState(schedule: schedule))
    }

    /// Starts the thread; false when the system cannot create one.
    func start() -> Bool {
        let isFirst = monitor.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopped
        }
        guard isFirst else { return true }
        do throws(SystemError) {
            try NamedThread.start("probe-schedule") { self.run() }
            return true
        } catch {
            monitor.withLock { $0.isStarted = false }
            return false
        }
    }

    /// Stops the engine; returns when the thread has ended and the judge has returned for the last time.
    ///
    /// Called from the judge, it does not wait for that call.
    func stop() {
        let cancellations = monitor.withLock { state -> [@Sendable () -> Void] in
            state.isStopped = true
            state.arrivals = []
            state.judgements = []
            _ = state.schedule.removeAll()
            defer { (state.cancellations, state.givenUp) = ([:], []) }
            return Array(state.cancellations.values) + state.givenUp
        }
        monitor.wakeAll()
        for cancel in cancellations { cancel() }
        let caller = ThreadIdentity.current
        monitor.wait { state in
            let isOver = [state.sleeper, state.worker].allSatisfy { $0 == nil || $0 == caller }
            return isOver ? .done(()) : .sleep(nil)
        }
    }

    /// Changes the schedule, and cancels the checks that are no longer needed.
    ///
    /// Nothing is cancelled, started or judged on the caller's thread, which may hold locks of its own.
    func change(_ body: (inout ProbeSchedule, ContinuousClock.Instant) -> [UInt64]) {
        let mustWake = monitor.withLock { state in
            guard !state.isStopped else { return false }
            let now = ContinuousClock.now
            let jobs = body(&state.schedule, now)
            state.givenUp += jobs.compactMap { state.cancellations.removeValue(forKey: $0) }
            // An active worker notices the change by itself.
            if state.worker == nil, !jobs.isEmpty { state.isWorkWanted = true }
            return state.mustWake(now: now)
        }
        if mustWake { monitor.wakeAll() }
    }

    /// Keeps the checks that start from now on from sharing lookups with those that are running.
    func renewLookups() { transport.renewLookups() }

    /// Makes points due on request.
    func request(_ points: [ProbePoint]) -> RequestedChecks {
        let seconds = wallClock()
        let (answer, mustWake) = monitor.withLock { state in
            guard !state.isStopped else { return (RequestedChecks(), false) }
            let now = ContinuousClock.now
            return (state.schedule.request(points, now: now, seconds: seconds), state.mustWake(now: now))
        }
        if mustWake { monitor.wakeAll() }
        return answer
    }

    /// Counts bytes that were not used by a check, and returns those left for today.
    func charge(_ bytes: Int, to cost: LinkCost) -> Int? {
        let seconds = wallClock()
        let (left, usage) = monitor.withLock { state in
            state.schedule.budget.charge(bytes, to: cost, seconds: seconds)
        }
        if let usage { whenUsed?(usage) }
        return left
    }

    /// Sets the limits; queued jobs may start at once.
    func setLimits(_ limits: ScheduleLimits) {
        let mustWake = monitor.withLock { state in
            guard !state.isStopped else { return false }
            state.schedule.setLimits(limits)
            if state.worker == nil { state.isWorkWanted = true }
            return state.mustWake(now: .now)
        }
        if mustWake { monitor.wakeAll() }
    }

    /// Opens or closes the queue of transfers; queued ones may start at once.
    func allowTransfers(_ isAllowed: Bool) {
        let mustWake = monitor.withLock { state in
            guard !state.isStopped, state.schedule.transfers.isOpen != isAllowed else { return false }
            state.schedule.allowTransfers(isAllowed)
            if state.worker == nil, state.schedule.transfers.next != nil { state.isWorkWanted = true }
            return state.mustWake(now: .now)
        }
        if mustWake { monitor.wakeAll() }
    }

    /// Calls a closure on the thread as soon as it is idle.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        let isAwaited = monitor.withLock { state in
            guard state.isStarted, !state.isStopped else { return false }
            state.calls.append(body)
            state.isWorkWanted = true
            return true
        }
        if isAwaited { monitor.wakeAll() } else { body() }
    }

    var statistics: ScheduleStatistics {
        let seconds = wallClock()
        return monitor.withLock { $0.schedule.statistics(seconds: seconds) }
    }

    var intervals: [ProbePoint: Duration] { monitor.withLock { $0.schedule.intervals } }

    var deadline: ContinuousClock.Instant? { monitor.withLock { $0.schedule.deadline } }

    // MARK: The thread

    private func run() {
        monitor.withLock { $0.sleeper = ThreadIdentity.current }
        while sleep() {
            let calls = monitor.withLock { state in
                defer { state.calls = [] }
                return state.calls
            }
            for call in calls { call() }
            work()
        }
        monitor.withLock { $0.sleeper = nil }
        monitor.wakeAll()
    }

    /// Sleeps until something is due, and takes it; false when the scheduler has stopped.
    private func sleep() -> Bool {
        monitor.wait { state in
            state.isAsleep = false
            guard !state.isStopped else { return .done(false) }
            if state.isWorkWanted {
                state.isWorkWanted = false
                return .done(true)
            }
            guard let deadline = state.schedule.deadline else {
                (state.isAsleep, state.sleepsUntil) = (true, nil)
                return .sleep(nil)
            }
            let now = ContinuousClock.now
            guard deadline > now else {
                state.schedule.takeDue(now: now)
                return .done(true)
            }
            (state.isAsleep, state.sleepsUntil) = (true, deadline)
            return .sleep(deadline - now)
        }
    }

    // MARK: Work without the lock

    /// Does all pending work, unless another thread is already doing it.
    private func work() {
        let caller = ThreadIdentity.current
        let isFree = monitor.withLock { state in
            guard state.worker == nil else { return false }
            state.worker = caller
            return true
        }
        guard isFree else { return }
        while let work = nextWork() {
            switch work {
            case .cancel(let cancellations):
                for cancel in cancellations { cancel() }
            case .judge(let job, let check):
                let cadence = judge(check)
                let now = ContinuousClock.now
                monitor.withLock { $0.schedule.settle(check.point, job: job, cadence: cadence, now: now) }
            case .begin(.check(let job, let probe, let account)): begin(job, probe, account)
            case .begin(.refuse(let job, let probe, let finding)):
                arrive(.init(job: job, account: nil, report: CheckReport(refusing: probe, because: finding)))
            }
        }
    }

    /// Returns the next piece of work; nil when there is none, and the caller is no longer the worker.
    private func nextWork() -> ScheduleState.Work? {
        let now = ContinuousClock.now
        let seconds = wallClock()
        let (work, usage, mustWake) = monitor.withLock { state -> (ScheduleState.Work?, DataUsage?, Bool) in
            let work = state.takeWork(now: now, seconds: seconds)
            let usage = state.schedule.budget.takeChange()
            if work == nil { state.worker = nil }
            return (work, usage, work == nil && (state.isStopped || state.mustWake(now: now)))
        }
        if mustWake { monitor.wakeAll() }
        if let usage { whenUsed?(usage) }
        return work
    }

    private func begin(_ job: UInt64, _ probe: Probe, _ account: String?) {
        let cancel = transport.start(admitted(probe, of: job)) { [weak self] report in
            guard let self else { return }
            arrive(.init(job: job, account: account, report: report))
            work()
        }
        let isWanted = monitor.withLock { state in
            guard state.schedule.jobs[job] != nil else { return false }
            // If the report has already arrived there is nothing to cancel; the entry is removed with it.
            state.cancellations[job] = cancel
            return true
        }
        // The job was abandoned while its check was being started.
        if !isWanted { cancel() }
    }

    /// Returns the probe, whose transfer continues over another link only as far as that link's cost allows.
    private func admitted(_ probe: Probe, of job: UInt64) -> Probe {
        guard probe.transfer?.resumes == true, let presentCost else { return probe }
        let point = monitor.withLock { $0.schedule.transfers.running?.scheduled.point }
        var probe = probe
        probe.transfer?.admission = { [weak self] continuation in
            // Without a path there is nothing to decide.
            guard let self, let point, let cost = presentCost(point) else { return .unchanged }
            return admit(job, over: cost, continuation)
        }
        return probe
    }

    private func admit(_ job: UInt64, over cost: LinkCost, _ continuation: TransferContinuation) -> TransferAdmission {
        let seconds = wallClock()
        let (admission, usage) = monitor.withLock { state in
            let admission = state.schedule.admit(job, over: cost, continuation, seconds: seconds)
            return (admission, state.schedule.budget.takeChange())
        }
        if let usage { whenUsed?(usage) }
        return admission
    }

    private func arrive(_ arrival: ScheduleState.Arrival) {
        monitor.withLock { state in
            guard !state.isStopped else { return }
            state.arrivals.append(arrival)
        }
    }
}
