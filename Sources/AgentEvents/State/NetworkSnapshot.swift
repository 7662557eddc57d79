/// The complete state at one moment: the second line on a socket.
public struct NetworkSnapshot: Codable, Sendable, Hashable {
    /// The reachability of the machine.
    public var state: ReachabilityState
    /// The moment at which the state was first observed; `nil` while no state has settled.
    public var since: Timestamp?
    /// The reachability of the targets.
    @List public var targets: [Target]
    /// The verdicts of the probes; those that are not up come first.
    @OptionalList public var probes: [ProbeVerdict]
    /// The number of probes that were omitted from the list.
    public var probesOmitted: Int?
    /// The uplinks.
    @OptionalList public var uplinks: [Uplink]
    /// The interfaces, by their index.
    @List public var interfaces: [Interface]
    /// The default routes.
    @List public var defaultRoutes: [DefaultRoute]
    /// False between a loss of kernel messages and the end of the resynchronization.
    public var isSynchronized: Bool

    private enum CodingKeys: String, CodingKey {
        case state, since, targets, probes
        case probesOmitted = "probes_omitted"
        case uplinks, interfaces
        case defaultRoutes = "default_routes"
        case isSynchronized = "synchronized"
    }

    /// Creates a snapshot.
    public init(
        state: ReachabilityState,
        since: Timestamp? = nil,
        targets: [Target],
        probes: [ProbeVerdict] = [],
        probesOmitted: Int? = nil,
        uplinks: [Uplink] = [],
        interfaces: [Interface],
        defaultRoutes: [DefaultRoute],
        isSynchronized: Bool
    ) {
        self.state = state
        self.since = since
        self.targets = targets
        self.probes = probes
        self.probesOmitted = probesOmitted
        self.uplinks = uplinks
        self.interfaces = interfaces
        self.defaultRoutes = defaultRoutes
        self.isSynchronized = isSynchronized
    }

    /// A target and its state.
    public struct Target: Codable, Sendable, Hashable {
        /// The target's name.
        public var name: String
        /// Its reachability.
        public var state: ReachabilityState

        /// Creates a target.
        public init(name: String, state: ReachabilityState) {
            self.name = name
            self.state = state
        }
    }

    /// The verdict of a probe from one vantage.
    public struct ProbeVerdict: Codable, Sendable, Hashable {
        /// The probe and its vantage point.
        public var point: ProbePoint
        /// The verdict.
        public var verdict: AgentEvents.ProbeVerdict
        /// True if the path has changed since the last check.
        public var isStale: Bool
        /// The moment at which the verdict became this one.
        public var since: Timestamp?

        private enum CodingKeys: String, CodingKey {
            case since, stale
        }

        /// Creates a probe verdict.
        public init(point: ProbePoint, verdict: AgentEvents.ProbeVerdict, isStale: Bool, since: Timestamp? = nil) {
            self.point = point
            self.verdict = verdict
            self.isStale = isStale
            self.since = since
        }

        /// Reads the members of all three from one object.
        public init(from decoder: any Decoder) throws {
            point = try ProbePoint(from: decoder)
            verdict = try AgentEvents.ProbeVerdict(from: decoder)
            let members = try decoder.container(keyedBy: CodingKeys.self)
            isStale = try members.decodeIfPresent(Bool.self, forKey: .stale) ?? false
            since = try members.decodeIfPresent(Timestamp.self, forKey: .since)
        }

        /// Writes the members of all three into one object.
        public func encode(to encoder: any Encoder) throws {
            try point.encode(to: encoder)
            try verdict.encode(to: encoder)
            var members = encoder.container(keyedBy: CodingKeys.self)
            if isStale { try members.encode(true, forKey: .stale) }
            try members.encodeIfPresent(since, forKey: .since)
        }
    }
}

/// An interface of the machine.
public struct Interface: Codable, Sendable, Hashable {
    /// The index.
    public var index: UInt32?
    /// The name.
    public var name: String
    /// The kind, such as `wifi`, `wwan` or `wired`.
    public var kind: String
    /// True if the kind is a guess.
    @OptionalFlag public var kindIsGuess: Bool = false
    /// The evidence for the kind; `nil` in a status, which omits it.
    public var evidence: [Evidence]?
    /// True if packets can pass.
    public var isUsable: Bool?
    /// `up`, or the obstacle, for people.
    public var state: String?
    /// The administrative state (`IFF_UP`).
    public var isUp: Bool?
    /// The state of the lower layer (`IFF_LOWER_UP`).
    public var isLowerUp: Bool?
    /// The operational state of RFC 2863.
    public var operationalState: String?
    /// The hardware type (`ARPHRD_…`).
    public var hardwareType: UInt16?
    /// The kind according to the driver (`IFLA_INFO_KIND`).
    public var driverKind: String?
    /// The interface below.
    public var lower: String?
    /// The bridge, bond or VRF that it is a port of.
    public var master: String?
    /// The device that it belongs to.
    public var parent: String?
    /// The far end of a tunnel.
    public var remote: String?
    /// The addresses.
    @List public var addresses: [Address]

    private enum CodingKeys: String, CodingKey {
        case index = "ifindex"
        case name, kind
        case kindIsGuess = "kind_is_guess"
        case evidence
        case isUsable = "usable"
        case state
        case isUp = "up"
        case isLowerUp = "lower_up"
        case operationalState = "operstate"
        case hardwareType = "arphrd"
        case driverKind = "info_kind"
        case lower, master, parent, remote, addresses
    }

    /// Creates an interface.
    public init(index: UInt32, name: String, kind: String, isUsable: Bool, state: String, addresses: [Address]) {
        self.index = index
        self.name = name
        self.kind = kind
        self.isUsable = isUsable
        self.state = state
        self.addresses = addresses
    }

    /// The evidence for a kind.
    public struct Evidence: Codable, Sendable, Hashable {
        /// The source, such as `devtype`.
        public var source: String
        /// The value of the source.
        public var value: String

        /// Creates evidence.
        public init(source: String, value: String) {
            self.source = source
            self.value = value
        }
    }

    /// An address of an interface.
    public struct Address: Codable, Sendable, Hashable {
        /// The address.
        public var address: String
        /// The prefix length of the network, in bits.
        public var prefixLength: Int?
        /// True if packets can be sent from it.
        public var isUsable: Bool?
        /// The far end of a point-to-point link.
        public var peer: String?
        /// The kernel's flags, such as `tentative`.
        @OptionalList public var flags: [String]

        private enum CodingKeys: String, CodingKey {
            case address
            case prefixLength = "prefix_length"
            case isUsable = "usable"
            case peer, flags
        }

        /// Creates an address.
        public init(address: String, prefixLength: Int, isUsable: Bool, peer: String? = nil, flags: [String] = []) {
            self.address = address
            self.prefixLength = prefixLength
            self.isUsable = isUsable
            self.peer = peer
            self.flags = flags
        }
    }
}

/// A default route.
public struct DefaultRoute: Codable, Sendable, Hashable {
    /// The family: `ipv4` or `ipv6`.
    public var family: String
    /// The destination prefix.
    public var destination: String
    /// The type, such as `unicast`.
    public var type: String
    /// The routing table.
    public var table: UInt32
    /// The protocol that installed it (`RTPROT_…`).
    public var `protocol`: UInt8
    /// The metric.
    public var metric: UInt32
    /// The source address that the route names; `nil` if the kernel selects it.
    public var source: String?
    /// The id of the nexthop object.
    public var nexthopObject: UInt32?
    /// The next hops.
    @List public var nexthops: [NextHop]

    private enum CodingKeys: String, CodingKey {
        case family, destination, type, table, `protocol`, metric, source
        case nexthopObject = "nexthop_object"
        case nexthops
    }

    /// Creates a default route.
    public init(
        family: String,
        destination: String,
        type: String,
        table: UInt32,
        `protocol`: UInt8,
        metric: UInt32,
        source: String? = nil,
        nexthopObject: UInt32? = nil,
        nexthops: [NextHop]
    ) {
        self.family = family
        self.destination = destination
        self.type = type
        self.table = table
        self.protocol = `protocol`
        self.metric = metric
        self.source = source
        self.nexthopObject = nexthopObject
        self.nexthops = nexthops
    }

    /// A next hop.
    public struct NextHop: Codable, Sendable, Hashable {
        /// The interface's name.
        public var interface: String?
        /// The router's address.
        public var gateway: String?
        /// The weight among several; `nil` for 1.
        public var weight: Int?
        /// True if the router counts as on the link, whatever the interface's prefixes.
        @OptionalFlag public var isOnLink: Bool

        private enum CodingKeys: String, CodingKey {
            case interface, gateway, weight
            case isOnLink = "onlink"
        }

        /// Creates a next hop.
        public init(
            interface: String? = nil,
            gateway: String? = nil,
            weight: Int? = nil,
            isOnLink: Bool = false
        ) {
            self.interface = interface
            self.gateway = gateway
            self.weight = weight
            self.isOnLink = isOnLink
        }
    }
}
