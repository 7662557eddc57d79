public import Probes

/// How one probe fares at one vantage.
public struct ProbeStanding: Sendable, Hashable {
    /// What its last checks come to.
    public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
        /// No verdict yet, or this machine is at fault.
        case unknown
        /// The target answers as expected.
        case up
        /// It does not.
        case down
        /// A captive portal answers in its place.
        case portal
    }

    /// What its last checks come to.
    public var verdict: Verdict
    /// Why the verdict is not `up`; nil before the first check.
    public var code: FindingCode?
    /// Where a person logs in, while the verdict is `portal` and that is known.
    public var portalURL: String?
    /// Whether the verdict changes too often to be relied on.
    public var isFlapping: Bool
    /// Whether the handshake was over when the check failed, where the code does not say so.
    var wasAnswered = false

    /// A standing.
    public init(_ verdict: Verdict, code: FindingCode? = nil, portalURL: String? = nil, isFlapping: Bool = false) {
        self.verdict = verdict
        self.code = code
        self.portalURL = portalURL
        self.isFlapping = isFlapping
    }

    /// Nothing is known yet.
    public static let unknown = ProbeStanding(.unknown)
}

/// How one probe fares at one vantage, with what led to it: for `status`.
public struct ProbeRecord: Sendable, Hashable {
    /// Which probe, and from where.
    public var point: ProbePoint
    /// How it fares.
    public var standing: ProbeStanding
    /// Since when the verdict is this one; nil before the first check.
    public var since: Observed?
    /// The last check; nil before the first one.
    public var last: ProbeSample?
    /// How many checks in a row had the outcome of the last one.
    public var streak: Int
    /// Whether the path has changed since the last check.
    public var isStale: Bool

    /// A record.
    public init(
        point: ProbePoint,
        standing: ProbeStanding,
        since: Observed? = nil,
        last: ProbeSample? = nil,
        streak: Int = 0,
        isStale: Bool = false
    ) {
        self.point = point
        self.standing = standing
        self.since = since
        self.last = last
        self.streak = streak
        self.isStale = isStale
    }
}

/// How an interface with a default route fares, whether it is used or stands by.
public struct Uplink: Sendable, Hashable {
    /// The interface.
    public var interface: PathInterface
    /// What the probes bound to it say; `unknown` without such probes.
    public var connectivity: Connectivity
    /// Why the connectivity is not `full`.
    public var reason: ConnectivityReason?
    /// Whether the default path of a family leads through it.
    public var isUsed: Bool

    /// An uplink.
    public init(
        interface: PathInterface,
        connectivity: Connectivity,
        reason: ConnectivityReason? = nil,
        isUsed: Bool
    ) {
        self.interface = interface
        self.connectivity = connectivity
        self.reason = reason
        self.isUsed = isUsed
    }
}
