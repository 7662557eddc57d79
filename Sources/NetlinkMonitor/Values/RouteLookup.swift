/// The kernel's own route for a packet to an address (`RTM_GETROUTE`).
///
/// Policy rules, metrics, every table, the `0/1` + `128/1` pair, and unreachable or blackhole routes count exactly as
/// for real traffic of this process's user, without a firewall mark. Nothing is sent. The answer alone does not imply
/// that packets can leave: it names an interface also after the loss of its carrier. ``NetworkPath`` has the whole rule.
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
    /// The deciding table entry (`RTM_F_FIB_MATCH`), if the kernel reports it: its prefix distinguishes a default route
    /// from a more specific one.
    public let matched: Route?
    /// The outcome for an unconnected socket, if it differs from ``outcome``.
    ///
    /// connect(2) looks up an IPv4 route a second time, with the source that the kernel selected; a policy rule on the
    /// source may then give another result.
    public let unconnected: Outcome?
    /// The routes of connected sockets by the other legs of a multipath route, if rules or routes depend on the source;
    /// else `nil`.
    ///
    /// A flow has the source of the leg that it is assigned to, and the second lookup of connect(2) may lead each
    /// source into a table of its own, or refuse it.
    public let otherLegs: [ResolvedRoute]?

    /// Creates the result of a lookup.
    public init(
        destination: IPAddress,
        outcome: Outcome,
        matched: Route? = nil,
        unconnected: Outcome? = nil,
        otherLegs: [ResolvedRoute]? = nil
    ) {
        self.destination = destination
        self.outcome = outcome
        self.matched = matched
        self.unconnected = unconnected
        self.otherLegs = otherLegs
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
    public var route: ResolvedRoute? { outcome.resolvedRoute }
}

extension RouteLookup.Outcome {
    /// The route of packets, if any.
    public var resolvedRoute: ResolvedRoute? {
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

extension RouteLookup: Codable {
    private enum Member: String, CodingKey { case destination, matched, unconnected, otherLegs }

    /// Decodes the answer: `route` or `refused`, and the deciding entry.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let destination = try members.decode(IPAddress.self, forKey: .destination)
        let matched = try members.decodeIfPresent(Route.self, forKey: .matched)
        guard matched.map({ $0.family == destination.family }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .matched,
                in: members,
                debugDescription: "not of the destination's family"
            )
        }
        self.init(
            destination: destination,
            outcome: try Outcome(from: decoder),
            matched: matched,
            unconnected: try members.decodeIfPresent(Outcome.self, forKey: .unconnected),
            otherLegs: try members.decodeIfPresent([ResolvedRoute].self, forKey: .otherLegs)
        )
    }

    /// Encodes the answer with a name for each reason; an unnamed `errno` as a number.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(destination, forKey: .destination)
        try outcome.encode(to: encoder)
        try members.encodeIfPresent(matched, forKey: .matched)
        try members.encodeIfPresent(unconnected, forKey: .unconnected)
        try members.encodeIfPresent(otherLegs, forKey: .otherLegs)
    }
}

extension RouteLookup.Outcome: Codable {
    private enum Member: String, CodingKey { case route, refused, errno }

    private static let refusals: [(name: String, refusal: RouteLookup.Refusal)] = [
        ("no_route", .noRoute), ("unreachable", .unreachable), ("blackhole", .blackhole), ("prohibited", .prohibited),
    ]

    /// Decodes `route`, `refused` or `errno`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        if let route = try members.decodeIfPresent(ResolvedRoute.self, forKey: .route) {
            self = .route(route)
        } else if let number = try members.decodeIfPresent(Int32.self, forKey: .errno) {
            self = .refused(.failed(errno: number))
        } else {
            let name = try members.decode(String.self, forKey: .refused)
            guard let refusal = Self.refusals.first(where: { $0.name == name })?.refusal else {
                throw DecodingError.dataCorruptedError(
                    forKey: .refused,
                    in: members,
                    debugDescription: "an unknown reason"
                )
            }
            self = .refused(refusal)
        }
    }

    /// Encodes `route`, `refused` or `errno`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        switch self {
        case .route(let route): try members.encode(route, forKey: .route)
        case .refused(.failed(let number)): try members.encode(number, forKey: .errno)
        case .refused(let refusal):
            try members.encodeIfPresent(Self.refusals.first { $0.refusal == refusal }?.name, forKey: .refused)
        }
    }
}

extension RouteLookup {
    /// Returns the kernel's answer as text, with the interface name.
    public func describe(in snapshot: NetworkSnapshot) -> String {
        switch outcome {
        case .route(let route): route.description(interface: snapshot.interfaceName(route.interfaceIndex))
        case .refused(let refusal): refusal.description
        }
    }
}

extension ResolvedRoute {
    /// Returns the route as ip-route(8) shows it: `via 192.0.2.1 dev wlan0 src 192.0.2.7`.
    func description(interface name: String) -> String {
        var words = ["dev", name]
        if let gateway { words = ["via", gateway.description] + words }
        if let source { words += ["src", source.description] }
        return words.joined(separator: " ")
    }
}

extension RouteLookup.Refusal: CustomStringConvertible {
    /// The refusal as text.
    public var description: String {
        switch self {
        case .noRoute: "no route"
        case .unreachable: "an unreachable route"
        case .blackhole: "a blackhole route"
        case .prohibited: "a prohibit route"
        case .failed(let errno): "refused with errno \(errno)"
        }
    }
}
