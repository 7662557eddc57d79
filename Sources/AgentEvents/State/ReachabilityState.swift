/// The reachability of the machine, or of a target.
public struct ReachabilityState: Codable, Sendable, Hashable {
    /// The medium.
    public var via: Via
    /// The value of AFNetworking's `AFNetworkReachabilityStatus`: -1, 0, 1 or 2.
    public var afStatus: Int
    /// The connectivity; `nil` for a target.
    public var connectivity: Connectivity?
    /// The code of the reason that the connectivity is not `full`.
    public var connectivityReason: String?
    /// The probe with that code.
    public var connectivityProbe: String?
    /// The address of the login page, while a portal answers.
    public var portalURL: String?
    /// The connectivity of each family, if the probes distinguish them.
    public var connectivityByFamily: ByFamily?
    /// True while the state flaps.
    @OptionalFlag public var isFlapping: Bool
    /// The code of the reason that the path is unusable.
    public var reason: String?
    /// The uplink that works while the path that the kernel prefers is dead.
    public var alternative: Alternative?
    /// The target's address; `nil` for the machine.
    public var address: String?
    /// The path, and for the machine also that of each family.
    public var path: Paths

    private enum CodingKeys: String, CodingKey {
        case via
        case afStatus = "af_status"
        case connectivity
        case connectivityReason = "connectivity_reason"
        case connectivityProbe = "connectivity_probe"
        case portalURL = "portal_url"
        case connectivityByFamily = "connectivity_by_family"
        case isFlapping = "flapping"
        case reason, alternative, address, path
    }

    /// Creates a state.
    public init(
        via: Via,
        afStatus: Int,
        connectivity: Connectivity? = nil,
        connectivityReason: String? = nil,
        connectivityProbe: String? = nil,
        portalURL: String? = nil,
        connectivityByFamily: ByFamily? = nil,
        isFlapping: Bool = false,
        reason: String? = nil,
        alternative: Alternative? = nil,
        address: String? = nil,
        path: Paths
    ) {
        self.via = via
        self.afStatus = afStatus
        self.connectivity = connectivity
        self.connectivityReason = connectivityReason
        self.connectivityProbe = connectivityProbe
        self.portalURL = portalURL
        self.connectivityByFamily = connectivityByFamily
        self.isFlapping = isFlapping
        self.reason = reason
        self.alternative = alternative
        self.address = address
        self.path = path
    }

    /// Reads a state; a path without a medium gets that of the state.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        via = try members.decode(Via.self, forKey: .via)
        afStatus = try members.decodeIfPresent(Int.self, forKey: .afStatus) ?? -1
        connectivity = try members.decodeIfPresent(Connectivity.self, forKey: .connectivity)
        connectivityReason = try members.decodeIfPresent(String.self, forKey: .connectivityReason)
        connectivityProbe = try members.decodeIfPresent(String.self, forKey: .connectivityProbe)
        portalURL = try members.decodeIfPresent(String.self, forKey: .portalURL)
        connectivityByFamily = try members.decodeIfPresent(ByFamily.self, forKey: .connectivityByFamily)
        isFlapping = try members.decode(OptionalFlag.self, forKey: .isFlapping).wrappedValue
        reason = try members.decodeIfPresent(String.self, forKey: .reason)
        alternative = try members.decodeIfPresent(Alternative.self, forKey: .alternative)
        address = try members.decodeIfPresent(String.self, forKey: .address)
        path = try members.decodeIfPresent(Paths.self, forKey: .path) ?? Paths(Path(via: via, reason: reason))
        if path.overall.via == .unknown { path.overall.via = via }
    }

    /// True if packets can leave.
    public var isReachable: Bool { via.isReachable }

    /// An uplink that works while the path that the kernel prefers is dead.
    public struct Alternative: Codable, Sendable, Hashable {
        /// The code: `preferred_path_dead`.
        public var code: String
        /// The name of the interface that the kernel prefers.
        public var preferred: String
        /// The name of the interface that works.
        public var interface: String

        /// Creates an alternative.
        public init(code: String, preferred: String, interface: String) {
            self.code = code
            self.preferred = preferred
            self.interface = interface
        }
    }

    /// The connectivity of each family.
    public struct ByFamily: Codable, Sendable, Hashable {
        /// IPv4.
        public var ipv4: Connectivity
        /// IPv6.
        public var ipv6: Connectivity

        /// Creates the connectivity of both families.
        public init(ipv4: Connectivity, ipv6: Connectivity) {
            self.ipv4 = ipv4
            self.ipv6 = ipv6
        }
    }

    /// The overall path, and that of each family.
    ///
    /// They are kept in one place: a state is copied many times on its way to the consumers of an event.
    @dynamicMemberLookup
    public struct Paths: Codable, Sendable {
        private struct Members: Sendable, Hashable {
            var overall: Path
            var ipv4: Path?
            var ipv6: Path?
        }

        private final class Storage: Sendable {
            let members: Members

            init(_ members: Members) { self.members = members }
        }

        private var storage: Storage

        /// The overall path: one of the two families' paths, if there are two.
        public var overall: Path {
            get { storage.members.overall }
            set { change { $0.overall = newValue } }
        }
        /// The path of IPv4; `nil` for a target.
        public var ipv4: Path? {
            get { storage.members.ipv4 }
            set { change { $0.ipv4 = newValue } }
        }
        /// The path of IPv6; `nil` for a target.
        public var ipv6: Path? {
            get { storage.members.ipv6 }
            set { change { $0.ipv6 = newValue } }
        }

        private mutating func change(_ body: (inout Members) -> Void) {
            var members = storage.members
            body(&members)
            storage = Storage(members)
        }

        private enum CodingKeys: String, CodingKey {
            case ipv4, ipv6
        }

        /// Creates the paths.
        public init(_ overall: Path, ipv4: Path? = nil, ipv6: Path? = nil) {
            storage = Storage(Members(overall: overall, ipv4: ipv4, ipv6: ipv6))
        }

        /// Reads the members of the overall path, and the families' beside them.
        public init(from decoder: any Decoder) throws {
            let families = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try Path(from: decoder),
                ipv4: try families.decodeIfPresent(Path.self, forKey: .ipv4),
                ipv6: try families.decodeIfPresent(Path.self, forKey: .ipv6)
            )
        }

        /// Writes the members of the overall path, and the families' beside them.
        public func encode(to encoder: any Encoder) throws {
            try overall.encode(to: encoder)
            var families = encoder.container(keyedBy: CodingKeys.self)
            try families.encodeIfPresent(ipv4, forKey: .ipv4)
            try families.encodeIfPresent(ipv6, forKey: .ipv6)
        }

        /// A member of the overall path.
        public subscript<Value>(dynamicMember member: KeyPath<Path, Value>) -> Value { overall[keyPath: member] }
    }
}

extension ReachabilityState.Paths: Hashable {
    /// Returns whether all paths are equal.
    public static func == (first: Self, second: Self) -> Bool {
        first.storage === second.storage || first.storage.members == second.storage.members
    }

    /// Hashes all paths.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.members) }
}
