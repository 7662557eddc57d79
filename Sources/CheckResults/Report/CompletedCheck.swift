/// What came of one turn of a probe.
public struct CompletedCheck: Sendable {
    /// Which probe, and from where.
    public var point: ProbePoint
    /// What was seen; without a check (no budget, no cellular link allowed) a report of an `unknown` verdict.
    public var report: CheckReport
    /// When the check was due.
    public var due: ContinuousClock.Instant
    /// When it was begun.
    public var started: ContinuousClock.Instant
    /// Whether another point's check served this one too.
    public var isShared: Bool

    /// A completed check.
    public init(
        point: ProbePoint,
        report: CheckReport,
        due: ContinuousClock.Instant,
        started: ContinuousClock.Instant,
        isShared: Bool = false
    ) {
        self.point = point
        self.report = report
        self.due = due
        self.started = started
        self.isShared = isShared
    }
}
