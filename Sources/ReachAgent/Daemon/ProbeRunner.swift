internal import Logging
internal import Probes
internal import Synchronization

internal import struct AgentEvents.Timestamp

/// The threads that make checks, started for the first probe: an agent without probes has none of them.
final class ProbeRunner: Sendable {
    private struct Running {
        let transport: TransferTransport
        let scheduler: ProbeScheduler
    }

    private enum State {
        case idle
        case running(Running)
        case stopped
    }

    private let limits: Mutex<ScheduleLimits>
    private let usageStore: DataUsageStore?
    private let transfers: TransferSurroundings
    private let resolverWatch: ResolverWatch?
    private let judge: ProbeScheduler.Judge
    private let logger = AgentLogger.make()
    private let state = Mutex(State.idle)
    private let allowsTransfers = Mutex(false)
    /// The bytes that are not those of checks, until there is a probe.
    private let budget = Mutex<ByteBudget?>(nil)

    /// - Parameters:
    ///   - usageStore: Keeps the usage of the day's budgets; without it they start over with each process.
    ///   - transfers: The surroundings of transfers.
    ///   - resolverWatch: The watch of the resolver's configuration, which runs from the first probe on that looks a name
    ///     up; `nil` for none.
    ///   - judge: Judges each completed check; called on other threads.
    init(
        limits: ScheduleLimits,
        usageStore: DataUsageStore?,
        transfers: TransferSurroundings = TransferSurroundings(),
        resolverWatch: ResolverWatch? = nil,
        judge: @escaping ProbeScheduler.Judge
    ) {
        self.limits = Mutex(limits)
        self.usageStore = usageStore
        self.transfers = transfers
        self.resolverWatch = resolverWatch
        self.judge = judge
    }

    /// Sets the scheduled probes; the threads are started for the first one.
    ///
    /// - Parameter transfers: The identities of the transfers that are not cancelled with their points, by the names of
    ///   their probes.
    /// - Returns: `false` if no check is made for now: the system has no thread for them.
    @discardableResult func setProbes(_ probes: [ScheduledProbe], keeping transfers: [String: String] = [:]) -> Bool {
        let limits = limits.withLock { $0 }
        let scheduler = state.withLock { state -> ProbeScheduler? in
            switch state {
            case .running(let running): return running.scheduler
            case .stopped: return nil
            case .idle:
                guard !probes.isEmpty else { return nil }
                let transport = TransferTransport(Prober(), self.transfers)
                let usageStore = usageStore
                let scheduler = ProbeScheduler(
                    transport: transport,
                    limits: limits,
                    usage: budget.withLock { $0?.usage } ?? usageStore?.usage,
                    whenUsed: { usageStore?.note($0) },
                    presentCost: self.transfers.cost,
                    wallClock: { Self.seconds(usageStore) },
                    judge: judge
                )
                scheduler.allowTransfers(allowsTransfers.withLock { $0 })
                state = .running(Running(transport: transport, scheduler: scheduler))
                return scheduler
            }
        }
        // Before the first lookup, which must not read what changes before the watch begins.
        if probes.contains(where: \.probe.looksUpName) { resolverWatch?.start() }
        let isStarted = start(scheduler)
        scheduler?.setProbes(probes, keeping: transfers)
        return isStarted
    }

    /// Starts the scheduler's thread unless it runs: the system may have had none to spare before.
    @discardableResult private func start(_ scheduler: ProbeScheduler?) -> Bool {
        guard let scheduler, !scheduler.start() else { return true }
        logger.error("no checks are made: the system has no thread for them; the next change of the network retries")
        return false
    }

    /// Sets whether transfers may start.
    func allowTransfers(_ isAllowed: Bool) {
        allowsTransfers.withLock { $0 = isAllowed }
        scheduler?.allowTransfers(isAllowed)
    }

    /// Ends the transfer in progress if its path has changed, or resumes it over the next path.
    ///
    /// - Parameter vantages: The vantages whose path has changed, each with only the families whose path has.
    func pathChanged(of vantages: Set<Vantage>) { running?.transport.pathChanged(of: vantages) }

    /// Sets the limits of the schedule.
    func setLimits(_ limits: ScheduleLimits) {
        self.limits.withLock { $0 = limits }
        scheduler?.setLimits(limits)
    }

    /// Makes these points due at once.
    func recheck(_ points: [ProbePoint]) {
        let scheduler = scheduler
        start(scheduler)
        scheduler?.recheck(points)
    }

    /// Makes these points due at once, or joins the checks under way.
    func trigger(_ points: [ProbePoint]) {
        let scheduler = scheduler
        start(scheduler)
        scheduler?.trigger(points)
    }

    /// Makes these points due at once without cancelling anything; does nothing before the first probe.
    func request(_ points: [ProbePoint]) -> RequestedChecks {
        let scheduler = scheduler
        start(scheduler)
        return scheduler?.request(points) ?? RequestedChecks()
    }

    /// Counts bytes that a sink used over a link, as those of checks are counted.
    ///
    /// - Returns: The bytes left for today; `nil` for a link without a budget.
    func charge(_ bytes: Int, to cost: LinkCost) -> Int? {
        if let scheduler { return scheduler.charge(bytes, to: cost) }
        let (left, usage) = budget.withLock { budget in
            var present = budget ?? ByteBudget(continuing: usageStore?.usage)
            defer { budget = present }
            return present.charge(bytes, to: cost, seconds: Self.seconds(usageStore))
        }
        if let usage { usageStore?.note(usage) }
        return left
    }

    /// The time of the budgets, in seconds since 1970.
    private static func seconds(_ usageStore: DataUsageStore?) -> Int64 {
        let now = Timestamp.now.microsecondsSince1970 / 1_000_000
        return usageStore?.seconds(wallClock: now) ?? now
    }

    /// The scheduler's counters; `nil` before the first probe.
    var statistics: ScheduleStatistics? { scheduler?.statistics }

    /// The present interval of each point; empty before the first probe.
    var intervals: [ProbePoint: Duration] { scheduler?.intervals ?? [:] }

    /// Calls a closure once the threads that make checks have all been free; immediately if there are none.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        guard let running else { return body() }
        running.scheduler.whenFree { running.transport.whenFree(body) }
    }

    private var scheduler: ProbeScheduler? { running?.scheduler }

    private var running: Running? {
        state.withLock { state in
            guard case .running(let running) = state else { return nil }
            return running
        }
    }

    /// Cancels all checks and ends the threads; no check is judged after this returns.
    ///
    /// - Parameter whenCancelled: Called when checks no longer open descriptors, before the threads end.
    func stop(whenCancelled: () -> Void = {}) {
        let running = state.withLock { state -> Running? in
            defer { state = .stopped }
            guard case .running(let running) = state else { return nil }
            return running
        }
        running?.scheduler.stop()
        whenCancelled()
        running?.transport.shutDownAndWait()
        usageStore?.finish(within: .seconds(1))
        resolverWatch?.stop()
    }
}
