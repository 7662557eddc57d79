/// A probe at one vantage, with everything that its schedule needs.
public struct ScheduledProbe: Sendable {
    /// Which probe, and from where.
    public var point: ProbePoint
    /// The check to make, with the vantage's interface and families in it.
    public var probe: Probe
    /// What tells checks apart: two points whose identity and vantage are equal are served by one check.
    ///
    /// It stands for everything in ``probe``; a changed identity is a changed probe.
    public var identity: String
    /// The intervals.
    public var pace: ProbePace
    /// What the vantage's link costs.
    public var cost: LinkCost

    /// A scheduled probe.
    public init(point: ProbePoint, probe: Probe, identity: String, pace: ProbePace, cost: LinkCost = .free) {
        self.point = point
        self.probe = probe
        self.identity = identity
        self.pace = pace
        self.cost = cost
    }
}

/// What checks over a link cost, and how much of it is allowed.
public struct LinkCost: Sendable, Hashable, Codable {
    /// Whose budget is used: the kind of link, or an interface's name; nil when bytes are not counted.
    public var account: String?
    /// How many times longer the steady interval is.
    public var intervalFactor: Int
    /// How many bytes the account may use in a day; nil for any number.
    public var bytesPerDay: Int?
    /// Whether the link is a cellular one, which a probe may refuse to use.
    public var isCellular: Bool

    /// A cost; a factor below 1 counts as 1.
    public init(account: String? = nil, intervalFactor: Int = 1, bytesPerDay: Int? = nil, isCellular: Bool = false) {
        self.account = account
        self.intervalFactor = max(1, intervalFactor)
        self.bytesPerDay = bytesPerDay
        self.isCellular = isCellular
    }

    /// Nothing is counted, and nothing is slower.
    public static let free = LinkCost()
}

/// How much a scheduler does at the same time.
public struct ScheduleLimits: Sendable, Hashable {
    /// The most checks that are under way at one moment.
    public var checks: Int
    /// The most checks that are under way towards one host and port.
    public var checksPerTarget: Int

    /// Limits, at least one each.
    public init(checks: Int = 64, checksPerTarget: Int = 4) {
        self.checks = max(1, checks)
        self.checksPerTarget = max(1, checksPerTarget)
    }
}
