/// The reachability of the machine, or of a target.
public struct ReachabilityState: Codable, Sendable, Hashable {
    /// The medium.
    public var via: Via
    /// The value of AFNetworking's `AFNetworkReachabilityStatus`: -1, 0, 1 or 2.
    public var afStatus: Int
    /// The connectivity; `nil` for a target.
    public var connectivity: Connectivity?
    /// The code that says why the connectivity is not `full`.
    public var connectivityReason: String?
    /// The probe whose result has that code.
    public var connectivityProbe: String?
    /// The address of the login page, while a portal answers.
    public var portalURL: String?
    /// The connectivity of each family, where the probes distinguish them.
    public var connectivityByFamily: ByFamily?
    /// True while the state flaps.
    @Flag public var isFlapping: Bool
    /// The code of what makes the path unusable.
    public var reason: String?
    /// The target's address; `nil` for the machine.
    public var address: String?
    /// The path, and for the machine that of each family.
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
        case reason, address, path
    }

    /// A state.
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
        self.address = address
        self.path = path
    }

    /// True when packets can leave.
    public var isReachable: Bool { via.isReachable }

    /// The connectivity of each family.
    public struct ByFamily: Codable, Sendable, Hashable {
        /// IPv4.
        public var ipv4: Connectivity
        /// IPv6.
        public var ipv6: Connectivity

        /// The connectivity of both.
        public init(ipv4: Connectivity, ipv6: Connectivity) {
            self.ipv4 = ipv4
            self.ipv6 = ipv6
        }
    }

    /// The path that stands for all, and that of each family.
    @dynamicMemberLookup
    public struct Paths: Codable, Sendable, Hashable {
        /// The path that stands for all: one of the two families', where there are two.
        public var overall: Path
        /// The path of IPv4; `nil` for a target.
        public var ipv4: Path?
        /// The path of IPv6; `nil` for a target.
        public var ipv6: Path?

        private enum CodingKeys: String, CodingKey {
            case ipv4, ipv6
        }

        /// The paths.
        public init(_ overall: Path, ipv4: Path? = nil, ipv6: Path? = nil) {
            self.overall = overall
            self.ipv4 = ipv4
            self.ipv6 = ipv6
        }

        /// Reads the members of the overall path, and the families' beside them.
        public init(from decoder: any Decoder) throws {
            overall = try Path(from: decoder)
            let families = try decoder.container(keyedBy: CodingKeys.self)
            ipv4 = try families.decodeIfPresent(Path.self, forKey: .ipv4)
            ipv6 = try families.decodeIfPresent(Path.self, forKey: .ipv6)
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
