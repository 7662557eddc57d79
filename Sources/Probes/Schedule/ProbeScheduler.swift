public import CheckResults
internal import FoundationEssentials
internal import Glibc
internal import LinuxSupport

/// Runs probes when they are due.
///
/// A scheduler owns one thread, which sleeps until the next check is due and never wakes up in between: without probes
/// it sleeps forever. Every function may be called on any thread, including from the judge.
public final class ProbeScheduler: Sendable {
    /// Judges a completed check, and returns the cadence of the probe.
    ///
    /// Called on one of the transport's threads or on the scheduler's, never concurrently; it must not block.
    public typealias Judge = @Sendable (CompletedCheck) -> Cadence

    /// Returns the present cost of a point's checks, by the same rules as that of ``ScheduledProbe/cost``; nil without a
    /// path.
    ///
    /// Called on one of the transport's threads while a transfer is resumed; it must not block.
    public typealias PresentCost = @Sendable (ProbePoint) -> LinkCost?

    private let engine: ScheduleEngine

    /// Creates a scheduler without probes; nothing runs before ``start()``.
    ///
    /// - Parameters:
    ///   - transport: Runs the checks.
    ///   - limits: The concurrency limits.
    ///   - usage: The budgets used by an earlier process; they count on their day.
    ///   - whenUsed: Called with the usage of the accounts: after a check on one of the transport's threads or on the
    ///     scheduler's, and by ``charge(_:to:)`` on its caller's, possibly at the same time. It must not block.
    ///   - presentCost: The cost of the link over which a resumed transfer continues; without it, that of the link at its
    ///     start.
    ///   - wallClock: Returns the seconds since 1970, which determine the day of the budgets, on any thread; by default
    ///     those of the system's clock.
    ///   - judge: Called with each completed check, on one of the transport's threads or on the scheduler's.
    public convenience init(
        transport: any CheckTransport,
        limits: ScheduleLimits = ScheduleLimits(),
        usage: DataUsage? = nil,
        whenUsed: (@Sendable (DataUsage) -> Void)? = nil,
        presentCost: PresentCost? = nil,
        wallClock: (@Sendable () -> Int64)? = nil,
        judge: @escaping Judge
    ) {
        self.init(
            transport: transport,
            limits: limits,
            usage: usage,
            whenUsed: whenUsed,
            presentCost: presentCost,
            seed: .random(in: .min ... .max),
            wallClock: wallClock ?? { Int64(Date().timeIntervalSince1970) },
            judge: judge
        )
    }

    /// Creates a scheduler with a given jitter seed.
    init(
        transport: any CheckTransport,
        limits: ScheduleLimits = ScheduleLimits(),
        usage: DataUsage? = nil,
        whenUsed: (@Sendable (DataUsage) -> Void)? = nil,
        presentCost: PresentCost? = nil,
        seed: UInt64,
        wallClock: @escaping @Sendable () -> Int64,
        judge: @escaping Judge
    ) {
        engine = ScheduleEngine(
            transport: transport,
            schedule: ProbeSchedule(epoch: Self.boot, seed: seed, limits: limits, usage: usage),
            wallClock: wallClock,
            whenUsed: whenUsed,
            presentCost: presentCost,
            judge: judge
        )
    }

    deinit { engine.stop() }

    /// Starts the scheduler's thread, which sleeps until a probe is due.
    ///
    /// Does nothing when it is started already, and after ``stop()``.
    ///
    /// - Returns: False when the system cannot create a thread, and the call may be retried.
    @discardableResult
    public func start() -> Bool { engine.start() }

    /// Ends the thread and cancels running checks; the judge is not called after this returns.
    ///
    /// It waits for a running call of the judge, unless it is called from there. A scheduler cannot be restarted.
    public func stop() { engine.stop() }

    /// Replaces the scheduled probes.
    ///
    /// A point that is kept with the same identity keeps its phase, its cadence and a running check; a new point, or
    /// one whose probe changed, is due at once, staggered in the given order. Checks of removed points are cancelled,
    /// and their late reports dropped. Of two probes with the same point the last one counts.
    ///
    /// A new transfer is due 30 to 90 seconds later.
    /// - Parameters:
    ///   - probes: All probes that are to be scheduled.
    ///   - transfers: The identities of the configured transfers by the names of their probes. These are not cancelled
    ///     when their points are removed, because those have only lost their path: the transport ends such a transfer, or
    ///     continues it over the next path, and its report is judged.
    public func setProbes(_ probes: [ScheduledProbe], keeping transfers: [String: String] = [:]) {
        engine.renewLookups()
        engine.change { $0.setProbes(probes, keeping: transfers, now: $1) }
    }

    /// Makes these points due at once, staggered over a short time; running checks are cancelled and restarted.
    ///
    /// For a changed path, other name servers, and a resumed machine. The checks are spread over 10 ms each, up to a
    /// second; more than 2000 take half a millisecond each, up to 5 s. Points that are not scheduled are ignored.
    /// Transfers are due 30 to 90 seconds later, and a running one continues.
    public func recheck(_ points: [ProbePoint]) {
        engine.renewLookups()
        engine.change { $0.recheck(points, now: $1) }
    }

    /// Makes these points due at once, staggered as in ``recheck(_:)``; a check that waits, is running or is being judged
    /// is joined instead.
    ///
    /// For checks that the result of another check asks for: however often it does, each of them completes. Not for
    /// transfers.
    public func trigger(_ points: [ProbePoint]) {
        engine.change { schedule, now in
            schedule.trigger(points, now: now)
            return []
        }
    }

    /// Makes these points due at once, staggered as in ``recheck(_:)``, without cancelling anything.
    ///
    /// For requests by users: a check that is running or about to start counts as the answer. A requested check of a
    /// point starts no earlier than a second after the previous one, so any number of requests causes at most one check
    /// a second, and each of them is judged. Over a link with a budget, requests use at most a quarter of it in a day.
    public func request(_ points: [ProbePoint]) -> RequestedChecks { engine.request(points) }

    /// Allows or blocks the start of transfers; blocked transfers wait, and delay no other check.
    ///
    /// Transfers are blocked initially. At most one runs at a time; a running one continues.
    public func allowTransfers(_ isAllowed: Bool) { engine.allowTransfers(isAllowed) }

    /// Sets the concurrency limits; running checks continue.
    public func setLimits(_ limits: ScheduleLimits) { engine.setLimits(limits) }

    /// Counts bytes that another program used over a link, in the same way as those of checks.
    ///
    /// Calls the `whenUsed` of the scheduler before it returns.
    ///
    /// - Returns: The bytes left for today; `nil` for a link without a budget.
    public func charge(_ bytes: Int, to cost: LinkCost) -> Int? { engine.charge(bytes, to: cost) }

    /// Calls a closure on the scheduler's thread as soon as it is idle, which proves that it is not stuck.
    ///
    /// Safe to call from any thread. Before the start and after the end it is called at once, by the caller.
    package func whenFree(_ body: @escaping @Sendable () -> Void) { engine.whenFree(body) }

    /// The counters.
    public var statistics: ScheduleStatistics { engine.statistics }

    /// The time between two scheduled checks of each point: longer over a metered link, shorter while the verdict is in
    /// doubt.
    public var intervals: [ProbePoint: Duration] { engine.intervals }

    /// The time at which the thread must act next; nil while nothing is scheduled.
    package var deadlineOfNext: ContinuousClock.Instant? { engine.deadline }

    /// The origin of the clock that counts suspended time, to which the phases of all processes of this boot are
    /// relative.
    private static var boot: ContinuousClock.Instant { .now - KernelClock.time(CLOCK_BOOTTIME) }
}

extension Prober: CheckTransport {}

/// Runs the checks of a scheduler: a ``Prober``, or a stand-in.
public protocol CheckTransport: Sendable {
    /// Starts a check, and returns at once.
    ///
    /// - Parameters:
    ///   - probe: The check to run.
    ///   - completion: Called once, from any thread.
    /// - Returns: A closure that cancels the check at once; it may be called from any thread, and any number of times.
    func start(
        _ probe: Probe,
        completion: @escaping @Sendable (CheckReport) -> Void
    ) -> @Sendable () -> Void

    /// Looks up the names of checks that start later by new queries, not by ones that are running.
    ///
    /// Called on any thread when points are rechecked or added, because their network may be a new one; it must return
    /// at once.
    func renewLookups()
}

extension CheckTransport {
    /// Does nothing, for a transport that shares no lookups.
    public func renewLookups() {}
}
