/// An interface with a default route or the route to the Internet, active or standby, or one that only a probe is bound
/// to.
///
/// The parts into which a VPN splits the default route count as one.
public struct Uplink: Codable, Sendable, Hashable {
    /// The interface's name.
    public var interface: String
    /// The interface's index.
    public var interfaceIndex: UInt32?
    /// The interface's kind.
    public var kind: String
    /// True if the kind is a guess.
    @OptionalFlag public var kindIsGuess: Bool
    /// The connectivity, according to the verdicts of the probes bound to it.
    public var connectivity: Connectivity
    /// The reason if the connectivity is not `full`.
    public var reason: Reason?
    /// True if the default path of a family leads through it, false for a standby uplink.
    public var isUsed: Bool
    /// True for an interface that is no uplink by its routes, to which a probe is bound.
    @OptionalFlag public var isBoundOnly: Bool

    private enum CodingKeys: String, CodingKey {
        case interface
        case interfaceIndex = "ifindex"
        case kind
        case kindIsGuess = "kind_is_guess"
        case connectivity, reason
        case isUsed = "used"
        case isBoundOnly = "bound_only"
    }

    /// Creates an uplink.
    public init(
        interface: String,
        interfaceIndex: UInt32,
        kind: String,
        kindIsGuess: Bool = false,
        connectivity: Connectivity,
        reason: Reason? = nil,
        isUsed: Bool,
        isBoundOnly: Bool = false
    ) {
        self.interface = interface
        self.interfaceIndex = interfaceIndex
        self.kind = kind
        self.kindIsGuess = kindIsGuess
        self.connectivity = connectivity
        self.reason = reason
        self.isUsed = isUsed
        self.isBoundOnly = isBoundOnly
    }

    /// The reason for a connectivity other than `full`.
    public struct Reason: Codable, Sendable, Hashable {
        /// The code: of one check, or of several together.
        public var code: String
        /// The probe whose check has the code.
        public var probe: String?
        /// The address of the login page, while a portal answers.
        public var portalURL: String?

        private enum CodingKeys: String, CodingKey {
            case code, probe
            case portalURL = "portal_url"
        }

        /// Creates a reason.
        public init(code: String, probe: String? = nil, portalURL: String? = nil) {
            self.code = code
            self.probe = probe
            self.portalURL = portalURL
        }
    }
}

/// A settled change of an uplink.
public struct UplinkChange: Codable, Sendable, Hashable {
    /// The uplink before.
    public var from: Uplink
    /// The uplink after.
    public var to: Uplink
    /// The cause.
    public var cause: ChangeCause
    /// The moment at which the agent saw the change.
    public var observed: Timestamp
    /// The settle time for which it has held, in milliseconds.
    public var settledMilliseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case from, to, cause, observed
        case settledMilliseconds = "settled_ms"
    }

    /// Creates a change.
    public init(from: Uplink, to: Uplink, cause: ChangeCause, observed: Timestamp, settledMilliseconds: Int64) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settledMilliseconds = settledMilliseconds
    }
}
