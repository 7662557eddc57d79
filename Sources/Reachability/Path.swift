public import NetlinkMonitor

/// An interface as part of a path.
public struct PathInterface: Sendable, Hashable {
    /// The interface's index.
    public let index: UInt32
    /// The interface's name.
    public let name: String
    /// The interface's kind.
    public let kind: InterfaceKind
    /// Whether another kind could hide behind the same evidence.
    public let kindIsGuess: Bool

    /// An interface.
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

/// What carries a path's tunnel.
public struct PathUnderlay: Sendable, Hashable {
    /// The interface below; `nil` where the tunnel's packets have no way out.
    public let interface: PathInterface?
    /// How the underlay was found.
    public let evidence: Underlay.Evidence

    /// An underlay.
    public init(interface: PathInterface?, evidence: Underlay.Evidence) {
        self.interface = interface
        self.evidence = evidence
    }
}

/// Another way than the path's own: a leg of several, or that of sockets which are not connected.
public struct PathBranch: Sendable, Hashable {
    /// The interface that packets leave through.
    public let interface: PathInterface?
    /// The router.
    public let gateway: IPAddress?
    /// Why packets cannot leave this way; `nil` where they can.
    public let reason: ReasonCode?

    /// A branch.
    public init(interface: PathInterface?, gateway: IPAddress? = nil, reason: ReasonCode? = nil) {
        self.interface = interface
        self.gateway = gateway
        self.reason = reason
    }
}

/// How packets of one family leave for one destination.
public struct Path: Sendable, Hashable {
    /// Through what.
    public var via: Via
    /// The interface that the kernel's route uses, also when the path is not usable.
    public var interface: PathInterface?
    /// The router.
    public var gateway: IPAddress?
    /// The source address that the kernel would choose.
    public var source: IPAddress?
    /// The prefix of the routing table's entry that decides; `/0` is the default route.
    public var prefix: IPPrefix?
    /// The table that the entry is in.
    public var table: UInt32?
    /// The entry's metric.
    public var metric: UInt32?
    /// What carries the tunnel, when the interface is one and that can be told.
    public var underlay: PathUnderlay?
    /// The legs of a route with several next hops that packets cannot leave through, in the order of the route.
    ///
    /// The path is usable as long as one leg is.
    public var deadLegs: [PathBranch]
    /// What sockets that are not connected get, where a policy rule on the source address sends them elsewhere.
    public var unconnected: PathBranch?
    /// Why the path is not usable; `nil` when it is.
    public var reason: ReasonCode?

    /// A path.
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
        self.via = via
        self.interface = interface
        self.gateway = gateway
        self.source = source
        self.prefix = prefix
        self.table = table
        self.metric = metric
        self.underlay = underlay
        self.deadLegs = deadLegs
        self.unconnected = unconnected
        self.reason = reason
    }

    /// The kernel has not answered yet.
    public static let unknown = Path(via: .unknown)
}
