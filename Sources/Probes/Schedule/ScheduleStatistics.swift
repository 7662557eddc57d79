/// The counters of a scheduler since its creation.
public struct ScheduleStatistics: Sendable, Hashable {
    /// Checks started.
    public var checks: UInt64 = 0
    /// Rounds that another point's check served.
    public var shared: UInt64 = 0
    /// Rounds missed because the previous check was still running or queued, or the agent could not run.
    public var skipped: UInt64 = 0
    /// Rounds without a check: the budget is used up, or the link is cellular and the probe is not allowed on it.
    public var refused: UInt64 = 0
    /// The maximum delay of a check's start behind its round.
    public var longestDelay: Duration = .zero
    /// The bytes of today (UTC), by account.
    public var bytes: [String: Int] = [:]
    /// The daily budgets, by account.
    public var bytesPerDay: [String: Int] = [:]

    /// Creates counters that are all zero.
    public init() {}
}
