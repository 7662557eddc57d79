/// The counters of a scheduler since it was made.
public struct ScheduleStatistics: Sendable, Hashable {
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
    /// The budgets of a day, by account.
    public var bytesPerDay: [String: Int] = [:]

    /// Nothing counted yet.
    public init() {}
}
