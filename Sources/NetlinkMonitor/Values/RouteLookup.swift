/// The kernel's own route for a packet to an address (`RTM_GETROUTE`).
///
/// Policy rules, metrics, every table, the `0/1` + `128/1` pair, and unreachable or blackhole routes count exactly as
/// for real traffic of this process's user, without a firewall mark. Nothing is sent.
public struct RouteLookup: Sendable, Hashable {
    /// The outcome of a lookup.
    public enum Outcome: Sendable, Hashable {
        /// Packets leave through an interface.
        case route(ResolvedRoute)
        /// The kernel rejects the packet.
        case refused(Refusal)
    }

    /// The reason the kernel rejects a packet.
    public enum Refusal: Sendable, Hashable {
        /// No route at all (`ENETUNREACH`).
        case noRoute
        /// An `unreachable` route or rule (`EHOSTUNREACH`).
        case unreachable
        /// A `blackhole` route or rule (`EINVAL`).
        case blackhole
        /// A `prohibit` route or rule (`EACCES`).
        case prohibited
        /// Another errno, unmodified.
        case failed(errno: Int32)
    }

    /// The looked-up address.
    public let destination: IPAddress
    /// The kernel's answer.
    public let outcome: Outcome
    /// The deciding table entry (`RTM_F_FIB_MATCH`), if the kernel reports it: its prefix tells a default route from a
    /// more specific one.
    public let matched: Route?
    /// The outcome for an unconnected socket, if it differs from ``outcome``.
    ///
    /// connect(2) looks an IPv4 route up a second time, with the source that the kernel selected; a policy rule on the
    /// source may then decide otherwise.
    public let unconnected: Outcome?

    /// Creates the result of a lookup.
    public init(destination: IPAddress, outcome: Outcome, matched: Route? = nil, unconnected: Outcome? = nil) {
        self.destination = destination
        self.outcome = outcome
        self.matched = matched
        self.unconnected = unconnected
    }

    /// `true` if a default route answered, or one of the parts that VPNs put before it: `0/1` + `128/1` in IPv4, and in
    /// IPv6 also the `2000::/4` family of prefixes (OpenVPN's `redirect-gateway def1 ipv6`).
    public var isAnsweredByDefault: Bool {
        guard let matched else { return false }
        return matched.destination.length <= RouteLookup.longestDefaultPart(destination.family)
    }

    /// Returns the maximum length of a prefix that counts as a part of a default route.
    static func longestDefaultPart(_ family: AddressFamily) -> Int { family == .ipv4 ? 1 : 4 }

    /// The route of packets, if any.
    public var route: ResolvedRoute? { outcome.way }
}

extension RouteLookup.Outcome {
    /// The route of packets, if any.
    public var way: ResolvedRoute? {
        guard case .route(let route) = self else { return nil }
        return route
    }
}

/// The route of packets to one address at the time of a lookup.
public struct ResolvedRoute: Sendable, Hashable, Codable {
    /// The egress interface.
    public let interfaceIndex: UInt32
    /// The next router; `nil` when the destination is on the link.
    public let gateway: IPAddress?
    /// The source address that the kernel selects; `nil` when it has none.
    public let source: IPAddress?
    /// The deciding table.
    public let table: UInt32
    /// The type of the route: `unicast` or `local` in practice.
    public let type: RouteType

    /// Creates a route.
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
