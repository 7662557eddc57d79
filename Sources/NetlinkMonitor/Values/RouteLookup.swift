/// The kernel's own answer to "how would a packet to this address leave?" (`RTM_GETROUTE`).
///
/// Policy rules, metrics, every table, the `0/1` + `128/1` pair, and unreachable or blackhole routes count exactly as
/// for real traffic of this process's user, without a firewall mark. Nothing is sent.
public struct RouteLookup: Sendable, Hashable {
    /// How a lookup came out.
    public enum Outcome: Sendable, Hashable {
        /// Packets leave through an interface.
        case route(ResolvedRoute)
        /// The kernel refuses to send.
        case refused(Refusal)
    }

    /// Why the kernel refuses to send.
    public enum Refusal: Sendable, Hashable {
        /// No route at all (`ENETUNREACH`).
        case noRoute
        /// An `unreachable` route or rule (`EHOSTUNREACH`).
        case unreachable
        /// A `blackhole` route or rule (`EINVAL`).
        case blackhole
        /// A `prohibit` route or rule (`EACCES`).
        case prohibited
        /// Another errno, kept as it came.
        case failed(errno: Int32)
    }

    /// The address that was asked for.
    public let destination: IPAddress
    /// What the kernel said.
    public let outcome: Outcome
    /// The table entry that decided (`RTM_F_FIB_MATCH`), when the kernel names it: its prefix tells whether the default
    /// route answered or a more special one.
    public let matched: Route?
    /// What a socket that is not connected gets, where that differs from ``outcome``.
    ///
    /// connect(2) looks an IPv4 route up a second time, with the source that the kernel chose; a policy rule on the
    /// source decides otherwise then.
    public let unconnected: Outcome?

    /// The result of a lookup.
    public init(destination: IPAddress, outcome: Outcome, matched: Route? = nil, unconnected: Outcome? = nil) {
        self.destination = destination
        self.outcome = outcome
        self.matched = matched
        self.unconnected = unconnected
    }

    /// A default route answered, or a part of one that VPNs put before it: `0/1` + `128/1` in IPv4, and in IPv6 also
    /// the `2000::/4` family of prefixes (OpenVPN's `redirect-gateway def1 ipv6`).
    public var isAnsweredByDefault: Bool {
        guard let matched else { return false }
        return matched.destination.length <= RouteLookup.longestDefaultPart(destination.family)
    }

    /// The longest prefix that still counts as a part of a default route.
    static func longestDefaultPart(_ family: AddressFamily) -> Int { family == .ipv4 ? 1 : 4 }

    /// The way that packets take, if any.
    public var route: ResolvedRoute? { outcome.way }
}

extension RouteLookup.Outcome {
    /// The way that packets take, if any.
    public var way: ResolvedRoute? {
        guard case .route(let route) = self else { return nil }
        return route
    }
}

/// The way that packets to one address take at the moment of a lookup.
public struct ResolvedRoute: Sendable, Hashable, Codable {
    /// The interface that they leave through.
    public let interfaceIndex: UInt32
    /// The router that they are handed to; `nil` when the destination is on the link.
    public let gateway: IPAddress?
    /// The source address that the kernel would choose; `nil` when it has none to offer.
    public let source: IPAddress?
    /// The table that answered.
    public let table: UInt32
    /// What the route does: `unicast` or `local` in practice.
    public let type: RouteType

    /// A way for packets.
    public init(
        interfaceIndex: UInt32,
        gateway: IPAddress? = nil,
        source: IPAddress? = nil,
        table: UInt32 = Route.mainTable,
        type: RouteType = .unicast
    ) {
        self.interfaceIndex = interfaceIndex
        self.gateway = gateway
        self.source = source
        self.table = table
        self.type = type
    }
}
