public import CheckResults

/// The status of one probe at one vantage.
public struct ProbeStanding: Sendable, Hashable {
    /// The verdict on the last checks.
    public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
        /// No verdict yet, or a fault of this machine.
        case unknown
        /// The target answers as expected.
        case up
        /// The target does not answer as expected.
        case down
        /// A captive portal answers in its place.
        case portal
    }

    /// The verdict on the last checks.
    public var verdict: Verdict
    /// The reason the verdict is not `up`; nil before the first check.
    public var code: FindingCode?
    /// The login page, if the verdict is `portal` and the page is known.
    public var portalURL: String?
    /// `true` if the verdict changes too often to be reliable.
    public var isFlapping: Bool
    /// `true` if the check failed after the handshake, in case the code does not tell.
    var wasAnswered = false

    /// Creates a status.
    public init(_ verdict: Verdict, code: FindingCode? = nil, portalURL: String? = nil, isFlapping: Bool = false) {
        self.verdict = verdict
        self.code = code
        self.portalURL = portalURL
        self.isFlapping = isFlapping
    }

    /// The initial status.
    public static let unknown = ProbeStanding(.unknown)
}

/// The status of one probe at one vantage, with its history, for `status`.
public struct ProbeRecord: Sendable, Hashable {
    /// The probe and its vantage.
    public var point: ProbePoint
    /// The status.
    public var standing: ProbeStanding
    /// The start of the current verdict; nil before the first check.
    public var since: Observed?
    /// The last check; nil before the first one.
    public var last: ProbeSample?
    /// The number of consecutive checks with the last outcome.
    public var streak: Int
    /// `true` if the path has changed since the last check.
    public var isStale: Bool

    /// Creates a record.
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

/// The status of an interface with a default route, used or standby.
public struct Uplink: Sendable, Hashable {
    /// The interface.
    public var interface: PathInterface
    /// The connectivity according to the probes bound to the interface; `unknown` without such probes.
    public var connectivity: Connectivity
    /// The reason the connectivity is not `full`.
    public var reason: ConnectivityReason?
    /// `true` if the default path of a family uses the interface.
    public var isUsed: Bool
    /// `true` if it has no default route, and is an uplink because a probe is bound to it.
    public var isBoundOnly: Bool

    /// Creates an uplink.
    public init(
        interface: PathInterface,
        connectivity: Connectivity,
        reason: ConnectivityReason? = nil,
        isUsed: Bool,
        isBoundOnly: Bool = false
    ) {
        self.interface = interface
        self.connectivity = connectivity
        self.reason = reason
        self.isUsed = isUsed
        self.isBoundOnly = isBoundOnly
    }
}
