internal import CheckResults
public import NetlinkMonitor

/// The connectivity beyond the first hop, according to the probes.
public enum Connectivity: String, Sendable, Hashable, CaseIterable, Codable {
    /// No probe is configured, or the verdicts do not decide the connectivity (yet).
    case unknown
    /// There is no path.
    case none
    /// The gateway, or internal targets, are reachable, but nothing beyond.
    case local
    /// A captive portal answers.
    case portal
    /// Some required probes, or one family, fail.
    case partial
    /// All required probes are up, or as many as the quorum requires; those that this machine cannot check do not count.
    case full
}

/// The connectivity of each family.
public struct FamilyConnectivity: Sendable, Hashable {
    /// The connectivity over IPv4.
    public var ipv4: Connectivity
    /// The connectivity over IPv6.
    public var ipv6: Connectivity

    /// Creates the connectivity of both families.
    public init(ipv4: Connectivity = .unknown, ipv6: Connectivity = .unknown) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }
}

/// The reachability of the machine: its default path in both families, and the connectivity.
public struct ReachabilityState: Sendable, Hashable {
    /// The default path of IPv4.
    public let ipv4: Path
    /// The default path of IPv6.
    public let ipv6: Path
    /// The connectivity, according to the probes.
    public let connectivity: Connectivity
    /// The connectivity of each family; `unknown` if no probe distinguishes families.
    public let familyConnectivity: FamilyConnectivity
    /// The reason the connectivity is not `full`; nil for `unknown` without probes.
    public let connectivityReason: ConnectivityReason?
    /// `true` if the state changes too often to be reliable.
    public let isFlapping: Bool
    /// The uplink that works while the path that the kernel prefers is dead.
    public internal(set) var alternative: PathAlternative?

    /// Creates a state.
    ///
    /// Without a verdict of the probes the connectivity is unknown, or `none` without a path.
    public init(
        ipv4: Path,
        ipv6: Path,
        connectivity: Connectivity? = nil,
        familyConnectivity: FamilyConnectivity = FamilyConnectivity(),
        connectivityReason: ConnectivityReason? = nil,
        isFlapping: Bool = false,
        alternative: PathAlternative? = nil
    ) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
        self.familyConnectivity = familyConnectivity
        self.connectivityReason = connectivityReason
        self.isFlapping = isFlapping
        self.alternative = alternative
        let hasNoPath = ipv4.via == .none && ipv6.via == .none
        self.connectivity = connectivity ?? (hasNoPath ? .none : .unknown)
    }

    /// Creates the state of a snapshot.
    public init(_ snapshot: NetworkSnapshot, connectivity: Connectivity? = nil) {
        let (ipv4, ipv6) = (PathDerivation(.ipv4, in: snapshot), PathDerivation(.ipv6, in: snapshot))
        self.init(ipv4: ipv4.path, ipv6: ipv6.path, connectivity: connectivity)
    }

    /// The initial state.
    public static let unknown = ReachabilityState(ipv4: .unknown, ipv6: .unknown)

    /// The path that represents both families.
    ///
    /// It is the IPv4 path if that is usable, else the IPv6 path if that is usable, else the one with the more specific
    /// reason; a family without an address has no say beside one that has an address and lost its path.
    public var path: Path {
        if ipv4.via.isReachable { return ipv4 }
        if ipv6.via.isReachable { return ipv6 }
        return ipv6.specificity(beside: ipv4) > ipv4.specificity(beside: ipv6) ? ipv6 : ipv4
    }

    /// The medium of the path.
    public var via: Via { path.via }
}

extension ReachabilityState {
    /// Returns the default path of a family.
    func path(of family: AddressFamily) -> Path { family == .ipv4 ? ipv4 : ipv6 }

    /// Returns the family whose path decides the change from another state.
    ///
    /// Of two changed ones it is that with another medium or interface, and if both have one, that of the overall path.
    func decidingFamily(since old: ReachabilityState) -> AddressFamily {
        func weight(_ family: AddressFamily) -> Int {
            let (before, after) = (old.path(of: family), path(of: family))
            guard after != before else { return 0 }
            guard !after.isPublished(like: before) else { return 1 }
            return after.grade == before.grade ? 2 : 3
        }
        let (first, second) = (weight(.ipv4), weight(.ipv6))
        guard first == second else { return first > second ? .ipv4 : .ipv6 }
        return path == ipv4 ? .ipv4 : .ipv6
    }

    /// Returns whether the paths of another state look the same in events, the overall one among them.
    package func hasPathsPublished(like other: ReachabilityState) -> Bool {
        ipv4.isPublished(like: other.ipv4) && ipv6.isPublished(like: other.ipv6) && path.isPublished(like: other.path)
    }

    /// Returns whether another state looks the same in events, which show of an alternative the names of its interfaces.
    func isPublished(like other: ReachabilityState) -> Bool {
        hasPathsPublished(like: other) && connectivity == other.connectivity
            && familyConnectivity == other.familyConnectivity && connectivityReason == other.connectivityReason
            && isFlapping == other.isFlapping && alternative?.preferred.name == other.alternative?.preferred.name
            && alternative?.interface.name == other.alternative?.interface.name
    }
}

extension Path {
    /// Returns the specificity of the reason beside the path of the other family, neither of which is usable.
    ///
    /// An address that is missing in one family is no reason where the other family has one.
    fileprivate func specificity(beside other: Path) -> Int {
        guard let reason else { return 0 }
        let otherHasAddress = other.reason != .noAddress && other.source?.reachesBeyondLink == true
        return reason == .noAddress && (isFamilyUnused || otherHasAddress) ? -1 : reason.specificity
    }
}

extension IPAddress {
    fileprivate var reachesBeyondLink: Bool { !isUnspecified && !isLinkLocal && !isLoopback }
}

/// The reachability of one target.
public struct TargetState: Sendable, Hashable {
    /// The target's address.
    public let address: IPAddress
    /// The path to it.
    public let path: Path

    /// Creates a state.
    public init(address: IPAddress, path: Path) {
        self.address = address
        self.path = path
    }

    /// The medium of the path.
    public var via: Via { path.via }
}

/// The reason connectivity is not full.
public struct ConnectivityReason: Sendable, Hashable {
    /// The code: of a check (`FindingCode`) or of several combined (``ReasonCode``).
    public var code: String
    /// The probe with this code, if it is a single one.
    public var probe: String?
    /// The login page of a portal, if known.
    public var portalURL: String?

    /// Creates a reason.
    public init(code: String, probe: String? = nil, portalURL: String? = nil) {
        self.code = code
        self.probe = probe
        self.portalURL = portalURL
    }
}

/// An uplink that works while the path that the kernel prefers is dead.
///
/// The agent changes no route; docs/operations.md explains how to make the system prefer the other uplink.
public struct PathAlternative: Sendable, Hashable {
    /// The interface that the kernel prefers.
    ///
    /// If that is a tunnel without an obstacle of its own, it is the interface that carries it, unless the tunnel is
    /// only silent and the probes bound to that interface prove that it works.
    public let preferred: PathInterface
    /// The interface of the uplink that works.
    public let interface: PathInterface

    /// Creates an alternative.
    public init(preferred: PathInterface, interface: PathInterface) {
        self.preferred = preferred
        self.interface = interface
    }

    /// The code of every alternative.
    public var code: ReasonCode { .preferredPathDead }
}

extension PathAlternative {
    /// Finds the alternative to a state's path; `nil` if the path works or no other uplink does.
    ///
    /// If the kernel's state makes the path unusable, another uplink works according to the probes bound to it, or
    /// without a verdict according to the kernel, which proves nothing about a tunnel without a certain underlay, nor
    /// about an uplink that the kernel would not change to (``Path/unreachedUplinks``). If only the probes report the
    /// path as dead, they must also report that the other uplink works, and a check over it must have succeeded since: an
    /// older verdict may be from before a fault of both. Neither a tunnel's own underlay nor anything that the dead
    /// interface carries is an alternative, whatever older verdicts say.
    ///
    /// - Parameter proven: The names of the uplinks over which a check has succeeded since the path fell silent.
    init?(to state: ReachabilityState, among uplinks: [Uplink], proven: Set<String>) {
        let path = state.path
        // A default route into a dummy device is meant to lead nowhere.
        let isUnusable = path.via == .none && path.reason != .leadsNowhere
        guard isUnusable || (path.via.isReachable && state.connectivity == .local), let used = path.interface else {
            return nil
        }
        let below = path.underlay?.interface
        let carrier = path.reason == nil || path.reason == .underlayDown ? below ?? used : used
        let known = isUnusable ? uplinks : uplinks.filter { proven.contains($0.interface.name) }
        // A tunnel without an answer is dead itself if there are answers over its underlay; else both are suspect.
        let preferred = path.reason == nil && known.prove(carrier) ? used : carrier
        let others = known.filter { uplink in
            !uplink.isBoundOnly && ![used.index, below?.index].contains(uplink.interface.index)
                && uplink.underlay?.interface?.index != carrier.index
        }
        let working = others.first { $0.connectivity == .full } ?? others.first { $0.connectivity == .partial }
        let open = others.lazy.filter { !path.unreachedUplinks.contains($0.interface.index) }
        let unproven = isUnusable ? open.first(where: \.isUsableForCertain) : nil
        guard let uplink = working ?? unproven else { return nil }
        self.init(preferred: preferred, interface: uplink.interface)
    }
}

extension [Uplink] {
    /// Returns whether the probes bound to an interface prove that something beyond it answers.
    fileprivate func prove(_ interface: PathInterface) -> Bool {
        contains { uplink in
            uplink.interface.index == interface.index
                && (uplink.connectivity == .full || uplink.connectivity == .partial)
        }
    }
}

extension Uplink {
    /// `true` if packets can leave through the interface according to the kernel, and no probe contradicts it.
    fileprivate var isUsableForCertain: Bool {
        connectivity == .unknown
            && reason.map { FindingCode(rawValue: $0.code)?.leavesPathOpen == true } ?? true
            && (interface.kind != .tunnel || underlay?.evidence.isCertain == true)
    }
}
