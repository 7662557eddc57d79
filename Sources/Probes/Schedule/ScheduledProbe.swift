public import CheckResults

/// A probe at one vantage, with its schedule settings.
public struct ScheduledProbe: Sendable {
    /// The probe and its vantage.
    public var point: ProbePoint
    /// The check to run, including the vantage's interface and families.
    public var probe: Probe
    /// The identity of the check: points with equal identity and vantage share one check.
    ///
    /// It represents everything in ``probe``; a changed identity is a changed probe.
    public var identity: String
    /// The intervals.
    public var pace: ProbePace
    /// The cost of the vantage's link.
    public var cost: LinkCost

    /// Creates a scheduled probe.
    public init(point: ProbePoint, probe: Probe, identity: String, pace: ProbePace, cost: LinkCost = .free) {
        self.point = point
        self.probe = probe
        self.identity = identity
        self.pace = pace
        self.cost = cost
    }
}

/// The cost of checks over a link, and their budget.
public struct LinkCost: Sendable, Hashable, Codable {
    /// The account to charge: the type of link, or an interface's name; nil when bytes are not counted.
    public var account: String?
    /// The factor by which the steady interval is extended.
    public var intervalFactor: Int
    /// The maximum number of bytes of the account in a day; nil for no limit.
    public var bytesPerDay: Int?
    /// `true` for a cellular link, which a probe may refuse to use.
    public var isCellular: Bool
    /// `true` for a link billed by volume, over which transfers must be allowed explicitly.
    public var isMetered: Bool

    /// Creates a cost; a factor below 1 counts as 1.
    public init(
        account: String? = nil,
        intervalFactor: Int = 1,
        bytesPerDay: Int? = nil,
        isCellular: Bool = false,
        isMetered: Bool = false
    ) {
        self.account = account
        self.intervalFactor = max(1, intervalFactor)
        self.bytesPerDay = bytesPerDay
        self.isCellular = isCellular
        self.isMetered = isMetered
    }

    /// No accounting, and no longer intervals.
    public static let free = LinkCost()
}

/// The concurrency limits of a scheduler, at least one each.
public struct ScheduleLimits: Sendable, Hashable {
    /// The maximum number of concurrent checks.
    public var checks: Int { didSet { checks = max(1, checks) } }
    /// The maximum number of concurrent checks of one host and port.
    public var checksPerTarget: Int { didSet { checksPerTarget = max(1, checksPerTarget) } }

    /// Creates limits.
    public init(checks: Int = 64, checksPerTarget: Int = 4) {
        self.checks = max(1, checks)
        self.checksPerTarget = max(1, checksPerTarget)
    }
}

/// The key of a check, shared by every point with this identity and vantage.
struct CheckKey: Hashable {
    let identity: String
    let vantage: Vantage

    init(_ scheduled: ScheduledProbe) {
        identity = scheduled.identity
        vantage = scheduled.point.vantage
    }
}

extension Probe {
    /// The host and port that a check connects to first, to which the limit per target applies.
    var destination: String {
        let (host, port) = firstEndpoint
        return "\(host.withoutTrailingDot) \(port.map { "\($0)" } ?? "icmp")"
    }

    /// `true` if a check begins with a lookup by the system's resolver.
    package var looksUpName: Bool {
        if case .name = firstEndpoint.host { true } else { false }
    }

    private var firstEndpoint: (host: ServerIdentity, port: Int?) {
        switch (target, connectTo) {
        case (.http, .some(let place)), (.tcp, .some(let place)): (place.host, Int(place.port))
        case (.http(let url), .none): (url.host, url.port)
        case (.tcp(let host, let port), .none): (host, Int(port))
        case (.icmp(let host), _): (host, nil)
        case (.dns(let resolver, let port, _, _), _): (resolver, Int(port))
        }
    }

    /// `true` if the check may leave through a cellular interface, by both its request and its serializer.
    var allowsCellularAccess: Bool { request.allowsCellularAccess && serializer.allowsCellularAccess ?? true }
}
