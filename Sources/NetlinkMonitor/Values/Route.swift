/// One next hop of a route.
public struct NextHop: Sendable, Hashable, Codable {
    /// The interface that packets leave through; `nil` for a next hop without one (a nexthop object not yet resolved).
    public let interfaceIndex: UInt32?
    /// The router's address, possibly of the other family (`RTA_VIA`, RFC 5549); `nil` on a directly connected link.
    public let gateway: IPAddress?
    /// The share of traffic in a multipath route, from 1.
    public let weight: Int

    /// A next hop.
    public init(interfaceIndex: UInt32?, gateway: IPAddress? = nil, weight: Int = 1) {
        self.interfaceIndex = interfaceIndex
        self.gateway = gateway
        self.weight = weight
    }
}

/// What a route does with a packet (`rtm_type`).
public enum RouteType: UInt8, Sendable, Hashable, CustomStringConvertible, Codable {
    /// A real route to somewhere else.
    case unicast = 1
    /// The machine's own address.
    case local = 2
    /// A broadcast address of a link.
    case broadcast = 3
    /// A local anycast address.
    case anycast = 4
    /// A multicast group.
    case multicast = 5
    /// Dropped without a word.
    case blackhole = 6
    /// Refused with "host unreachable".
    case unreachable = 7
    /// Refused with "administratively prohibited".
    case prohibit = 8
    /// "Not in this table": the next policy rule decides.
    case `throw` = 9
    /// Anything that this list does not know.
    case other = 0

    /// The name that `ip route` prints.
    public var description: String {
        switch self {
        case .unicast: "unicast"
        case .local: "local"
        case .broadcast: "broadcast"
        case .anycast: "anycast"
        case .multicast: "multicast"
        case .blackhole: "blackhole"
        case .unreachable: "unreachable"
        case .prohibit: "prohibit"
        case .throw: "throw"
        case .other: "other"
        }
    }
}

/// One entry of a routing table (`RTM_NEWROUTE`).
public struct Route: Sendable, Hashable, Codable {
    /// Where the route leads.
    public let destination: IPPrefix
    /// The routing table: 254 main, 255 local, 253 default, or any other number.
    public let table: UInt32
    /// Who made the route (`RTPROT_…`): 2 kernel, 3 boot, 4 static, 9 router advertisement, 16 DHCP and so on.
    public let `protocol`: UInt8
    /// What the route does.
    public let type: RouteType
    /// The metric (`RTA_PRIORITY`): the lower one wins.
    ///
    /// 0 where the kernel gives none.
    public let metric: UInt32
    /// The source address that the route prefers.
    public let preferredSource: IPAddress?
    /// Where packets go: one next hop, several for a multipath route, none for `blackhole` and its like.
    public let nextHops: [NextHop]
    /// The nexthop object that the route refers to (`RTA_NH_ID`).
    public let nextHopObject: UInt32?

    /// The source addresses that the route is for (`default from PREFIX`, RFC 8028); `nil` for all.
    public let sourcePrefix: IPPrefix?

    /// The address family.
    public var family: AddressFamily { destination.address.family }

    /// The route names a nexthop object and not its next hops, as with `net.ipv4.nexthop_compat_mode=0`.
    var hasUnresolvedNextHops: Bool { type == .unicast && nextHops.isEmpty && nextHopObject != nil }

    /// A route with these properties.
    public init(
        destination: IPPrefix,
        table: UInt32 = Route.mainTable,
        protocol: UInt8 = 3,
        type: RouteType = .unicast,
        metric: UInt32 = 0,
        preferredSource: IPAddress? = nil,
        nextHops: [NextHop] = [],
        nextHopObject: UInt32? = nil,
        sourcePrefix: IPPrefix? = nil
    ) {
        self.destination = destination
        self.table = table
        self.protocol = `protocol`
        self.type = type
        self.metric = metric
        self.preferredSource = preferredSource
        self.nextHops = nextHops
        self.nextHopObject = nextHopObject
        self.sourcePrefix = sourcePrefix
    }

    /// The number of the main table (`RT_TABLE_MAIN`).
    public static let mainTable: UInt32 = 254
    /// The number of the local table (`RT_TABLE_LOCAL`), which holds no default route.
    public static let localTable: UInt32 = 255
}
