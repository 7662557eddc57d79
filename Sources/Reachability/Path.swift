public import NetlinkMonitor

/// An interface as part of a path.
public struct PathInterface: Sendable, Hashable {
    /// The interface's index.
    public let index: UInt32
    /// The interface's name.
    public let name: String
    /// The interface's kind.
    public let kind: InterfaceKind
    /// `true` if the evidence fits another kind as well.
    public let kindIsGuess: Bool

    /// Creates an interface.
    public init(index: UInt32, name: String, kind: InterfaceKind, kindIsGuess: Bool = false) {
        self.index = index
        self.name = name
        self.kind = kind
        self.kindIsGuess = kindIsGuess
    }

    init(_ link: Link) {
        self.init(index: link.index, name: link.name, kind: link.kind, kindIsGuess: link.classification.isGuess)
    }
}

/// The underlay of a path's tunnel.
public struct PathUnderlay: Sendable, Hashable {
    /// The lower interface; `nil` if the tunnel's packets have no route.
    public let interface: PathInterface?
    /// The source of the underlay.
    public let evidence: Underlay.Evidence

    /// Creates an underlay.
    public init(interface: PathInterface?, evidence: Underlay.Evidence) {
        self.interface = interface
        self.evidence = evidence
    }

    /// Returns whether another underlay looks the same in events, which do not show the interface's index.
    fileprivate func isPublished(like other: PathUnderlay?) -> Bool {
        guard let other else { return false }
        return evidence == other.evidence && interface?.name == other.interface?.name
            && interface?.kind == other.interface?.kind
    }
}

/// A path besides the main one: a leg of a multipath route, or the path of unconnected sockets.
public struct PathBranch: Sendable, Hashable {
    /// The name of the egress interface.
    public let interface: String?
    /// The router.
    public let gateway: IPAddress?
    /// The reason the branch is not usable; `nil` when it is.
    public let reason: ReasonCode?

    /// Creates a branch.
    public init(interface: String?, gateway: IPAddress? = nil, reason: ReasonCode? = nil) {
        self.interface = interface
        self.gateway = gateway
        self.reason = reason
    }
}

/// The path of packets of one family to one destination.
///
/// Its members are immutable and stored in one shared object: a path is compared and copied dozens of times before it
/// reaches an event.
public struct Path: Sendable {
    private struct Members: Sendable, Hashable {
        let via: Via
        let interface: PathInterface?
        let gateway: IPAddress?
        let source: IPAddress?
        let prefix: IPPrefix?
        let table: UInt32?
        let metric: UInt32?
        var underlay: PathUnderlay?
        let deadLegs: [PathBranch]
        let unconnected: PathBranch?
        let reason: ReasonCode?
        var isFamilyUnused = false
        var unreachedUplinks: Set<UInt32> = []
    }

    private final class Storage: Sendable {
        let members: Members

        init(_ members: Members) { self.members = members }
    }

    private let storage: Storage

    /// The medium of the path.
    public var via: Via { storage.members.via }
    /// The interface of the route that the kernel selects, even if the path is not usable.
    public var interface: PathInterface? { storage.members.interface }
    /// The router.
    public var gateway: IPAddress? { storage.members.gateway }
    /// The source address that the kernel selects.
    public var source: IPAddress? { storage.members.source }
    /// The prefix of the deciding route; `/0` is the default route.
    public var prefix: IPPrefix? { storage.members.prefix }
    /// The table of the route.
    public var table: UInt32? { storage.members.table }
    /// The route's metric.
    public var metric: UInt32? { storage.members.metric }
    /// The underlay, if the interface is a tunnel with a known one.
    public var underlay: PathUnderlay? { storage.members.underlay }
    /// The unusable legs of a multipath route, in the order of the route.
    ///
    /// The path is usable as long as one leg is.
    public var deadLegs: [PathBranch] { storage.members.deadLegs }
    /// The path of unconnected sockets, if a policy rule on the source address diverts them.
    public var unconnected: PathBranch? { storage.members.unconnected }
    /// The reason the path is not usable; `nil` when it is.
    public var reason: ReasonCode? { storage.members.reason }
    /// `true` if a default path lacks only an address, and its interface has one of the other family.
    ///
    /// A router that announces itself without a prefix makes such a path beside IPv4. The path says nothing about an
    /// outage of the other family; events do not show it.
    var isFamilyUnused: Bool { storage.members.isFamilyUnused }
    /// The indexes of the uplinks to which the kernel would not change from this path, which is not usable.
    ///
    /// No rule leads packets to their default routes, or a route or rule refuses them first. Events do not show it.
    var unreachedUplinks: Set<UInt32> { storage.members.unreachedUplinks }

    /// Creates a path.
    public init(
        via: Via,
        interface: PathInterface? = nil,
        gateway: IPAddress? = nil,
        source: IPAddress? = nil,
        prefix: IPPrefix? = nil,
        table: UInt32? = nil,
        metric: UInt32? = nil,
        underlay: PathUnderlay? = nil,
        deadLegs: [PathBranch] = [],
        unconnected: PathBranch? = nil,
        reason: ReasonCode? = nil
    ) {
        storage = Storage(
            Members(
                via: via,
                interface: interface,
                gateway: gateway,
                source: source,
                prefix: prefix,
                table: table,
                metric: metric,
                underlay: underlay,
                deadLegs: deadLegs,
                unconnected: unconnected,
                reason: reason
            )
        )
    }

    private init(_ members: Members) { storage = Storage(members) }

    /// The kernel has not answered yet, or its answer is not certain.
    public static let unknown = Path(via: .unknown)

    /// Returns the same path, of a family that its interface uses or not, with the uplinks that it cannot change to.
    func marking(isFamilyUnused: Bool, unreachedUplinks: Set<UInt32>) -> Path {
        guard isFamilyUnused != self.isFamilyUnused || unreachedUplinks != self.unreachedUplinks else { return self }
        var members = storage.members
        members.isFamilyUnused = isFamilyUnused
        members.unreachedUplinks = unreachedUplinks
        return Path(members)
    }

    /// Returns whether another path looks the same in events.
    func isPublished(like other: Path) -> Bool {
        if self == other { return true }
        var members = other.storage.members
        members.isFamilyUnused = isFamilyUnused
        members.unreachedUplinks = unreachedUplinks
        if underlay?.isPublished(like: other.underlay) == true { members.underlay = underlay }
        return storage.members == members
    }
}

extension Path: Hashable {
    /// Returns whether two paths have the same members.
    public static func == (first: Path, second: Path) -> Bool {
        first.storage === second.storage || first.storage.members == second.storage.members
    }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.members) }
}

/// The medium through which the machine is reachable.
public enum Via: String, Sendable, Hashable, CaseIterable, Codable {
    /// The kernel has not answered yet, or its answer is not certain. Never published as a loss.
    case unknown
    /// No usable path.
    case none
    /// A cellular interface.
    case wwan
    /// A wireless LAN.
    case wifi
    /// Ethernet.
    case wired
    /// An unknown medium: a tunnel without a known underlay, Bluetooth, a virtual device.
    case other

    /// The value of AFNetworking's `AFNetworkReachabilityStatus`: -1 unknown, 0 not reachable, 1 WWAN, 2 WiFi, where
    /// "WiFi" is everything that is not cellular.
    public var afStatus: Int {
        switch self {
        case .unknown: -1
        case .none: 0
        case .wwan: 1
        case .wifi, .wired, .other: 2
        }
    }

    /// `true` if packets can leave.
    public var isReachable: Bool { self != .unknown && self != .none }

    /// Creates the medium of a path through an interface of this kind.
    public init(kind: InterfaceKind) {
        switch kind {
        case .wifi: self = .wifi
        case .wwan: self = .wwan
        case .wired: self = .wired
        case .bluetooth, .tunnel, .ppp, .bridge, .virtual, .loopback, .unknown: self = .other
        }
    }
}
