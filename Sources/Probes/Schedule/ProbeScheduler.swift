internal import FoundationEssentials
internal import Glibc

/// Makes probes when they are due.
///
/// A scheduler owns one thread, which sleeps until the next check is due and does not wake up in between: without probes
/// it sleeps for ever. Every function may be called on any thread, the judge's included.
public final class ProbeScheduler: Sendable {
    /// Takes a completed check, and says how soon the probe is due again.
    ///
    /// Called on one of the transport's threads or on the scheduler's, one call at a time; it must not block.
    public typealias Judge = @Sendable (CompletedCheck) -> Cadence

    /// What a scheduler counted since it was made.
    public struct Statistics: Sendable, Hashable {
        /// Checks that were begun.
        public var checks: UInt64 = 0
        /// Turns that another point's check served.
        public var shared: UInt64 = 0
        /// Turns that were left out because the one before was still under way or waiting.
        public var skipped: UInt64 = 0
        /// Turns without a check: the budget was used up, or the link is cellular and the probe may not use such.
        public var refused: UInt64 = 0
        /// The longest time that a check began after it was due.
        public var longestDelay: Duration = .zero
        /// The bytes of today (UTC), by account.
        public var bytes: [String: Int] = [:]

        /// Nothing counted yet.
        public init() {}
    }

    private let engine: ScheduleEngine

    /// A scheduler without probes; nothing runs before ``start()``.
    ///
    /// - Parameters:
    ///   - transport: Makes the checks.
    ///   - limits: Bounds on what is under way at a time.
    ///   - usage: What an earlier process has used of a day's budgets; it counts on that day.
    ///   - whenUsed: Called with what the accounts have used after a check, on one of the transport's threads or on the
    ///     scheduler's; it must not block.
    ///   - judge: Called with each check that is over, on the scheduler's thread.
    public convenience init(
        transport: any CheckTransport,
        limits: ScheduleLimits = ScheduleLimits(),
        usage: DataUsage? = nil,
        whenUsed: (@Sendable (DataUsage) -> Void)? = nil,
        judge: @escaping Judge
    ) {
        self.init(
            transport: transport,
            limits: limits,
            usage: usage,
            whenUsed: whenUsed,
            seed: .random(in: .min ... .max),
            wallClock: { Int64(Date().timeIntervalSince1970) },
            judge: judge
        )
    }

    /// A scheduler whose jitter and days are the caller's.
    ///
    /// - Parameter wallClock: Gives the seconds since 1970.
    init(
        transport: any CheckTransport,
        limits: ScheduleLimits = ScheduleLimits(),
        usage: DataUsage? = nil,
        whenUsed: (@Sendable (DataUsage) -> Void)? = nil,
        seed: UInt64,
        wallClock: @escaping @Sendable () -> Int64,
        judge: @escaping Judge
    ) {
        engine = ScheduleEngine(
            transport: transport,
            schedule: ProbeSchedule(epoch: Self.boot, seed: seed, limits: limits, usage: usage),
            wallClock: wallClock,
            whenUsed: whenUsed,
            judge: judge
        )
    }

    deinit { engine.stop() }

    /// Starts the scheduler's thread, which sleeps until a probe is due.
    ///
    /// - Returns: False when the system has no thread left; then nothing is made, and it may be tried again.
    @discardableResult
    public func start() -> Bool { engine.start() }

    /// Ends the thread and cancels the checks that are under way; the judge is called no more when this returns.
    ///
    /// It waits for a judge that has the word, unless that is the caller. A scheduler is not started a second time.
    public func stop() { engine.stop() }

    /// Sets what is to be made.
    ///
    /// A point that was there before with the same identity keeps its phase, its cadence and a check that is under way;
    /// one that is new, or whose probe changed, is due at once, staggered in the order given. Checks of points that are
    /// gone are cancelled, and what they still report is dropped. Of two probes with the same point the last one counts.
    public func setProbes(_ probes: [ScheduledProbe]) { engine.change { $0.setProbes(probes, now: $1) } }

    /// Makes these points due at once, staggered over a short time; what is under way is cancelled and begun anew.
    ///
    /// For a path that changed, and for a machine that was suspended. They are spread over 10 ms each, up to a second;
    /// more than 2000 take half a millisecond each, up to 5 s. Points that are not scheduled are passed over.
    public func look(at points: [ProbePoint]) { engine.change { $0.look(at: points, now: $1) } }

    /// Makes these points due at once, staggered as ``look(at:)`` does it, without cancelling anything.
    ///
    /// For people who ask: a check that is under way or about to begin is the answer. A point's check on request begins at
    /// the earliest a second after the one before, so any number of requests makes at most one check a second, and each of
    /// them is judged. Over a link with a budget, requests use at most a quarter of it in a day.
    public func request(_ points: [ProbePoint]) -> RequestedChecks { engine.request(points) }

    /// Sets how much is done at the same time; what is under way goes on.
    public func setLimits(_ limits: ScheduleLimits) { engine.setLimits(limits) }

    /// Has the scheduler's thread call a closure as soon as it is free: a proof that it is not stuck.
    ///
    /// Safe from any thread. Before the start and after the end it is called at once, by the caller.
    public func whenFree(_ body: @escaping @Sendable () -> Void) { engine.whenFree(body) }

    /// What was counted.
    public var statistics: Statistics { engine.statistics }

    /// When the thread has something to do next; nil while nothing is scheduled.
    public var deadlineOfNext: ContinuousClock.Instant? { engine.deadline }

    /// Where the clock that counts suspended time began: the phases of all processes of this boot are counted from there.
    private static var boot: ContinuousClock.Instant {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { times in
            let now = ContinuousClock.now
            guard let time = times.baseAddress, clock_gettime(CLOCK_BOOTTIME, time) == 0 else { return now }
            return now - .seconds(time.pointee.tv_sec) - .nanoseconds(time.pointee.tv_nsec)
        }
    }
}

extension Prober: CheckTransport {}
