/// The result of one turn of a probe.
public struct CompletedCheck: Sendable {
    /// The probe and its vantage.
    public var point: ProbePoint
    /// The report; without a check (no budget, no cellular link allowed) one of an `unknown` verdict.
    public var report: CheckReport
    /// The moment at which the check was due.
    public var due: ContinuousClock.Instant
    /// The moment at which it began.
    public var started: ContinuousClock.Instant
    /// `true` if another point's check served this one too.
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
