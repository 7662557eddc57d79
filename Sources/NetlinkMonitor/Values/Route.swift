/// One next hop of a route.
public struct NextHop: Sendable, Hashable, Codable {
    /// The egress interface; `nil` for a next hop without one (a nexthop object not yet resolved).
    public let interfaceIndex: UInt32?
    /// The router's address, possibly of the other family (`RTA_VIA`, RFC 5549); `nil` on a directly connected link.
    public let gateway: IPAddress?
    /// The share of traffic in a multipath route, from 1.
    public let weight: Int
    /// `true` if the router counts as on the link, whatever the interface's prefixes (`onlink`, `RTNH_F_ONLINK`).
    public var isOnLink: Bool { isMarkedOnLink ?? false }

    /// `nil` for `false`, as in recordings of earlier agents.
    private let isMarkedOnLink: Bool?

    /// Creates a next hop.
    public init(interfaceIndex: UInt32?, gateway: IPAddress? = nil, weight: Int = 1, isOnLink: Bool = false) {
        self.interfaceIndex = interfaceIndex
        self.gateway = gateway
        self.weight = weight
        isMarkedOnLink = isOnLink ? true : nil
    }
}

/// The type of a route (`rtm_type`).
public enum RouteType: UInt8, Sendable, Hashable, CustomStringConvertible, Codable {
    /// A route to another node.
    case unicast = 1
    /// An address of this machine.
    case local = 2
    /// A broadcast address of a link.
    case broadcast = 3
    /// A local anycast address.
    case anycast = 4
    /// A multicast group.
    case multicast = 5
    /// Packets are silently dropped.
    case blackhole = 6
    /// Packets are rejected with "host unreachable".
    case unreachable = 7
    /// Packets are rejected with "administratively prohibited".
    case prohibit = 8
    /// The lookup continues with the next policy rule.
    case `throw` = 9
    /// Any other type.
    case other = 0

    /// The name in `ip route`.
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
    /// The destination.
    public let destination: IPPrefix
    /// The routing table: 254 main, 255 local, 253 default, or any other number.
    public let table: UInt32
    /// The origin of the route (`RTPROT_…`): 2 kernel, 3 boot, 4 static, 9 router advertisement, 16 DHCP and so on.
    public let `protocol`: UInt8
    /// The type of the route.
    public let type: RouteType
    /// The metric (`RTA_PRIORITY`): the lowest wins.
    ///
    /// 0 if the kernel reports none.
    public let metric: UInt32
    /// The preferred source address of the route.
    public let preferredSource: IPAddress?
    /// The next hops: one, several for a multipath route, none for `blackhole` and the like.
    public let nextHops: [NextHop]
    /// The nexthop object of the route (`RTA_NH_ID`).
    public let nextHopObject: UInt32?

    /// The source addresses to which the route applies (`default from PREFIX`, RFC 8028); `nil` for all.
    public let sourcePrefix: IPPrefix?

    /// The type of service (`rtm_tos`) of the packets to which an IPv4 route applies; `nil` for all.
    public let typeOfService: UInt8?

    /// The address family.
    public var family: AddressFamily { destination.address.family }

    /// `true` if the route rejects packets.
    ///
    /// Older kernels report one with the maximum metric in IPv6, which only represents the lack of a route.
    var refusesPackets: Bool {
        switch type {
        case .blackhole, .unreachable, .prohibit: metric != .max
        case .unicast, .local, .broadcast, .anycast, .multicast, .throw, .other: false
        }
    }

    /// `true` if the route has a nexthop object but no next hops, as with `net.ipv4.nexthop_compat_mode=0`.
    var hasUnresolvedNextHops: Bool { type == .unicast && nextHops.isEmpty && nextHopObject != nil }

    /// Creates a route.
    public init(
        destination: IPPrefix,
        table: UInt32 = Route.mainTable,
        protocol: UInt8 = 3,
        type: RouteType = .unicast,
        metric: UInt32 = 0,
        preferredSource: IPAddress? = nil,
        nextHops: [NextHop] = [],
        nextHopObject: UInt32? = nil,
        sourcePrefix: IPPrefix? = nil,
        typeOfService: UInt8? = nil
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
        self.typeOfService = typeOfService
    }

    /// The number of the main table (`RT_TABLE_MAIN`).
    public static let mainTable: UInt32 = 254
    /// The number of the local table (`RT_TABLE_LOCAL`), which contains no default route.
    public static let localTable: UInt32 = 255
}

extension Route {
    /// Returns the route in the format of `ip route`, with interface names.
    public func describe(in snapshot: NetworkSnapshot) -> String {
        var words = [destination.isDefault ? "default" : destination.description]
        if let sourcePrefix { words += ["from", sourcePrefix.description] }
        if type != .unicast { words.insert(type.description, at: 0) }
        for hop in nextHops {
            if let gateway = hop.gateway { words += ["via", gateway.description] }
            if let interface = hop.interfaceIndex { words += ["dev", snapshot.interfaceName(interface)] }
        }
        if metric != 0 { words += ["metric", "\(metric)"] }
        if table != Route.mainTable { words += ["table", "\(table)"] }
        return words.joined(separator: " ")
    }
}
