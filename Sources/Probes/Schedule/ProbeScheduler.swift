/// Makes probes when they are due.
public final class ProbeScheduler: Sendable {
    /// Takes a completed check, and says how soon the probe is due again.
    ///
    /// Called on one of the transport's threads, one call at a time for each point; it must not block.
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
        /// The bytes of today, by account.
        public var bytes: [String: Int] = [:]

        /// Nothing counted yet.
        public init() {}
    }

    /// A scheduler without probes; nothing runs before ``start()``.
    public init(transport: any CheckTransport, limits: ScheduleLimits = ScheduleLimits(), judge: @escaping Judge) {}

    /// Starts the scheduler's thread, which sleeps until a probe is due.
    public func start() {}

    /// Ends the thread and cancels the checks that are under way; the judge is called no more when this returns.
    public func stop() {}

    /// Sets what is to be made.
    ///
    /// A point that was there before with the same identity keeps its phase, its cadence and a check that is under way;
    /// one that is new, or whose probe changed, is due at once, staggered. Checks of points that are gone are cancelled.
    public func setProbes(_ probes: [ScheduledProbe]) {}

    /// Makes these points due at once, staggered over a short time; what is under way is cancelled and begun anew.
    ///
    /// For a path that changed, and for a machine that was suspended.
    public func look(at points: [ProbePoint]) {}

    /// What was counted.
    public var statistics: Statistics { Statistics() }
}

extension Prober: CheckTransport {}
