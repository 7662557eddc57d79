/// The path of packets to the Internet, or to a target, in one address family.
public struct Path: Codable, Sendable, Hashable {
    /// The medium.
    public var via: Via
    /// The code of the reason that the path is unusable; `nil` if it is usable.
    public var reason: String?
    /// The name of the egress interface.
    public var interface: String?
    /// The index of that interface.
    public var interfaceIndex: UInt32?
    /// Its kind, such as `wifi` or `tunnel`.
    public var kind: String?
    /// True if the kind is a guess.
    @OptionalFlag public var kindIsGuess: Bool
    /// The next hop.
    public var gateway: String?
    /// The source address that the kernel chose.
    public var source: String?
    /// The prefix of the route.
    public var prefix: String?
    /// The routing table.
    public var table: UInt32?
    /// The metric of the route.
    public var metric: UInt32?
    /// The interface that carries a tunnel.
    public var underlay: Underlay?
    /// The next hops of a route with several of them that cannot pass packets.
    @OptionalList public var deadLegs: [Leg]
    /// The answer for an unconnected socket, if it differs.
    public var unconnected: Leg?

    private enum CodingKeys: String, CodingKey {
        case via, reason, interface
        case interfaceIndex = "ifindex"
        case kind
        case kindIsGuess = "kind_is_guess"
        case gateway, source, prefix, table, metric, underlay
        case deadLegs = "dead_legs"
        case unconnected
    }

    /// Creates a path.
    public init(
        via: Via,
        reason: String? = nil,
        interface: String? = nil,
        interfaceIndex: UInt32? = nil,
        kind: String? = nil,
        kindIsGuess: Bool = false,
        gateway: String? = nil,
        source: String? = nil,
        prefix: String? = nil,
        table: UInt32? = nil,
        metric: UInt32? = nil,
        underlay: Underlay? = nil,
        deadLegs: [Leg] = [],
        unconnected: Leg? = nil
    ) {
        self.via = via
        self.reason = reason
        self.interface = interface
        self.interfaceIndex = interfaceIndex
        self.kind = kind
        self.kindIsGuess = kindIsGuess
        self.gateway = gateway
        self.source = source
        self.prefix = prefix
        self.table = table
        self.metric = metric
        self.underlay = underlay
        self.deadLegs = deadLegs
        self.unconnected = unconnected
    }

    /// The interface that carries a tunnel.
    public struct Underlay: Codable, Sendable, Hashable {
        /// Its name; `nil` if there is none.
        public var interface: String?
        /// Its kind.
        public var kind: String?
        /// The code of the evidence.
        public var evidence: String?
        /// True if the evidence is a guess.
        @OptionalFlag public var isGuess: Bool

        private enum CodingKeys: String, CodingKey {
            case interface, kind, evidence
            case isGuess = "is_guess"
        }

        /// Creates an underlay.
        public init(interface: String?, kind: String?, evidence: String, isGuess: Bool = false) {
            self.interface = interface
            self.kind = kind
            self.evidence = evidence
            self.isGuess = isGuess
        }
    }

    /// One next hop of a route.
    public struct Leg: Codable, Sendable, Hashable {
        /// The interface's name.
        public var interface: String?
        /// The next hop's address.
        public var gateway: String?
        /// The code of the reason that it is unusable.
        public var reason: String?

        /// Creates a next hop.
        public init(interface: String? = nil, gateway: String? = nil, reason: String? = nil) {
            self.interface = interface
            self.gateway = gateway
            self.reason = reason
        }
    }
}
