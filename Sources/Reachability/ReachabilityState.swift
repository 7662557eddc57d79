public import NetlinkMonitor

/// What the probes say about the way beyond the first hop.
public enum Connectivity: String, Sendable, Hashable, CaseIterable, Codable {
    /// No probe is configured, or none has come to a verdict.
    case unknown
    /// No path.
    case none
    /// The gateway, or targets inside, and no further.
    case local
    /// A captive portal answers.
    case portal
    /// Some required probes, or one family, fail.
    case partial
    /// Everything that is required answers.
    case full
}

/// What the probes say of each family.
public struct FamilyConnectivity: Sendable, Hashable {
    /// Of IPv4.
    public var ipv4: Connectivity
    /// Of IPv6.
    public var ipv6: Connectivity

    /// What is known of each.
    public init(ipv4: Connectivity = .unknown, ipv6: Connectivity = .unknown) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }
}

/// How the machine is reachable: its default path in both families, and what the probes say.
public struct ReachabilityState: Sendable, Hashable {
    /// The default path of IPv4.
    public let ipv4: Path
    /// The default path of IPv6.
    public let ipv6: Path
    /// What the probes say.
    public let connectivity: Connectivity
    /// What the probes say of each family; `unknown` where none tells families apart.
    public let familyConnectivity: FamilyConnectivity
    /// Why the connectivity is neither `full` nor `unknown` for want of probes.
    public let connectivityReason: ConnectivityReason?
    /// Whether the state changes too often to be relied on.
    public let isFlapping: Bool

    /// A state.
    ///
    /// Without a verdict of the probes nothing is known about connectivity, but that there is none without a path.
    public init(
        ipv4: Path,
        ipv6: Path,
        connectivity: Connectivity? = nil,
        familyConnectivity: FamilyConnectivity = FamilyConnectivity(),
        connectivityReason: ConnectivityReason? = nil,
        isFlapping: Bool = false
    ) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
        self.familyConnectivity = familyConnectivity
        self.connectivityReason = connectivityReason
        self.isFlapping = isFlapping
        let hasNoPath = ipv4.via == .none && ipv6.via == .none
        self.connectivity = connectivity ?? (hasNoPath ? .none : .unknown)
    }

    /// The state that a snapshot shows.
    public init(_ snapshot: NetworkSnapshot, connectivity: Connectivity? = nil) {
        func path(_ family: AddressFamily) -> Path {
            snapshot.internetLookup(family).map { Path($0, in: snapshot) } ?? Path(via: .none, reason: .noRoute)
        }
        self.init(ipv4: path(.ipv4), ipv6: path(.ipv6), connectivity: connectivity)
    }

    /// Nothing is known yet.
    public static let unknown = ReachabilityState(ipv4: .unknown, ipv6: .unknown)

    /// The path that stands for both families.
    ///
    /// IPv4's when it is usable, else IPv6's when that is; when neither is, the one whose reason tells more.
    public var path: Path {
        if ipv4.via.isReachable { return ipv4 }
        if ipv6.via.isReachable { return ipv6 }
        let (first, second) = (ipv4.reason?.specificity ?? 0, ipv6.reason?.specificity ?? 0)
        return second > first ? ipv6 : ipv4
    }

    /// Through what the machine is reachable.
    public var via: Via { path.via }
}

/// How one target is reachable.
public struct TargetState: Sendable, Hashable {
    /// The target's address.
    public let address: IPAddress
    /// The path to it.
    public let path: Path

    /// A state.
    public init(address: IPAddress, path: Path) {
        self.address = address
        self.path = path
    }

    /// Through what the target is reachable.
    public var via: Via { path.via }
}

/// Somebody that the operator wants to reach.
public struct Target: Sendable, Hashable, Codable {
    /// The name under which its events are published.
    ///
    /// Not `default`, which is the default path's.
    public let name: String
    /// The address.
    public let address: IPAddress

    /// A target.
    public init(name: String, address: IPAddress) {
        self.name = name
        self.address = address
    }
}
