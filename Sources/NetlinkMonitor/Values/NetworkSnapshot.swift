/// The state of the network in the kernel, as a value.
///
/// A snapshot is complete: everything in it was read from the kernel, either as a whole or updated by its messages. It
/// has no reference to a socket and may be kept, compared and sent anywhere.
public struct NetworkSnapshot: Sendable, Equatable {
    /// All interfaces of the namespace, by index.
    public internal(set) var links: LinkTable
    /// All addresses, ordered by interface, family and bits.
    public internal(set) var addresses: [InterfaceAddress]
    /// The default routes of every table that a policy rule or a VRF refers to, ordered by family, table and metric.
    public internal(set) var defaultRoutes: [Route]
    /// The policy rules, ordered by family and priority.
    public internal(set) var rules: [RoutingRule]
    /// The kernel's answer for every looked-up address: those that represent the Internet, and each target.
    public internal(set) var lookups: [IPAddress: RouteLookup]
    /// The underlay of each tunnel that a lookup or a default route uses, by the tunnel's index, if known.
    public internal(set) var underlays: [UInt32: Underlay]
    /// The addresses that represent the Internet, in the order of preference.
    public internal(set) var internetAddresses: [IPAddress]
    /// `true` if the snapshot is known to be current.
    ///
    /// It is false after lost messages until everything was read again: meanwhile the last known state stays, with the
    /// changes whose messages arrive (``NetworkPath/isCertain``).
    public internal(set) var isSynchronized: Bool

    /// Creates a snapshot.
    public init(
        links: [Link] = [],
        addresses: [InterfaceAddress] = [],
        defaultRoutes: [Route] = [],
        rules: [RoutingRule] = [],
        lookups: [RouteLookup] = [],
        underlays: [UInt32: Underlay] = [:],
        internetAddresses: [IPAddress] = [],
        isSynchronized: Bool = true
    ) {
        self.init(
            linkTable: LinkTable(links),
            addresses: addresses,
            defaultRoutes: defaultRoutes,
            rules: rules,
            lookups: Dictionary(lookups),
            underlays: underlays,
            internetAddresses: internetAddresses,
            isSynchronized: isSynchronized
        )
    }

    init(
        linkTable links: LinkTable,
        addresses: [InterfaceAddress],
        defaultRoutes: [Route],
        rules: [RoutingRule],
        lookups: [IPAddress: RouteLookup],
        underlays: [UInt32: Underlay],
        internetAddresses: [IPAddress],
        isSynchronized: Bool = true
    ) {
        self.links = links
        self.addresses = addresses
        self.defaultRoutes = defaultRoutes
        self.rules = rules
        self.lookups = lookups
        self.underlays = underlays
        self.internetAddresses = internetAddresses
        self.isSynchronized = isSynchronized
    }

    /// Returns the interface with a name of its own, or else with an alternative one, if there is one.
    public func link(named name: String) -> Link? { links.link(named: name) }

    /// The addresses of each interface, by its index.
    package var addressesByInterface: [UInt32: [InterfaceAddress]] {
        Dictionary(grouping: addresses, by: \.interfaceIndex)
    }

    /// Returns the interface's name, or `#index` for one that is not in the snapshot.
    public func interfaceName(_ index: UInt32) -> String {
        links[index]?.name ?? "#\(index)"
    }

    /// Returns the lookup that represents the Internet in a family.
    ///
    /// It is the first one answered by a default route. If there is none (a router with the whole Internet table needs
    /// no default route), it is the first with a route, and without that too, the first lookup.
    public func internetLookup(_ family: AddressFamily) -> RouteLookup? {
        var (first, routed): (RouteLookup?, RouteLookup?)
        for address in internetAddresses where address.family == family {
            guard let answer = lookups[address] else { continue }
            if answer.isAnsweredByDefault { return answer }
            if routed == nil, answer.route != nil { routed = answer }
            first = first ?? answer
        }
        return routed ?? first
    }

    /// The routes whose interfaces are uplinks: the default routes, and the route to the Internet of each family.
    ///
    /// A VPN leaves the default route as it is, and adds longer prefixes: halves of it, or everything but private
    /// networks. A router with the whole Internet table has no default route at all.
    package var uplinkRoutes: [Route] {
        let deciding = AddressFamily.allCases.compactMap { family in
            internetLookup(family).flatMap { $0.route == nil ? nil : $0.matched }
        }
        return (defaultRoutes + deciding).filter { $0.type == .unicast }
    }
}

extension [IPAddress: RouteLookup] {
    /// Creates the table of the answers by their destinations; of several for one the last counts.
    init(_ answers: [RouteLookup]) { self.init(answers.map { ($0.destination, $0) }, uniquingKeysWith: { $1 }) }
}

extension NetworkSnapshot: Codable {
    private enum Member: String, CodingKey {
        case links, addresses, defaultRoutes, rules, lookups, underlays, internetAddresses, isSynchronized
    }

    /// A tunnel and its underlay.
    private struct CarriedTunnel: Codable {
        let tunnel: UInt32
        let underlay: Underlay
    }

    /// Decodes a snapshot in which no interface, lookup or tunnel occurs twice.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        func unique<Value, Key: Hashable>(_ values: [Value], _ member: Member, by key: (Value) -> Key) throws -> [Value]
        {
            guard Set(values.map(key)).count == values.count else {
                throw DecodingError.dataCorruptedError(
                    forKey: member,
                    in: members,
                    debugDescription: "the same one more than once"
                )
            }
            return values
        }
        let links = try unique(members.decode([Link].self, forKey: .links), .links, by: \.index)
        let lookups = try unique(members.decode([RouteLookup].self, forKey: .lookups), .lookups, by: \.destination)
        let tunnels = try members.decode([CarriedTunnel].self, forKey: .underlays)
        let underlays = try unique(tunnels, .underlays, by: \.tunnel).map { ($0.tunnel, $0.underlay) }
        self.init(
            links: links,
            addresses: try members.decode([InterfaceAddress].self, forKey: .addresses),
            defaultRoutes: try members.decode([Route].self, forKey: .defaultRoutes),
            rules: try members.decode([RoutingRule].self, forKey: .rules),
            lookups: lookups,
            underlays: Dictionary(underlays) { $1 },
            internetAddresses: try members.decode([IPAddress].self, forKey: .internetAddresses),
            isSynchronized: try members.decode(Bool.self, forKey: .isSynchronized)
        )
    }

    /// Encodes everything; unordered elements are sorted by index or address, so that equal snapshots have equal
    /// encodings.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(links.values, forKey: .links)
        try members.encode(addresses, forKey: .addresses)
        try members.encode(defaultRoutes, forKey: .defaultRoutes)
        try members.encode(rules, forKey: .rules)
        let lookups = lookups.values.sorted {
            ($0.destination.family.bitWidth, $0.destination.high, $0.destination.low)
                < ($1.destination.family.bitWidth, $1.destination.high, $1.destination.low)
        }
        try members.encode(lookups, forKey: .lookups)
        let tunnels = underlays.sorted { $0.key < $1.key }.map { CarriedTunnel(tunnel: $0.key, underlay: $0.value) }
        try members.encode(tunnels, forKey: .underlays)
        try members.encode(internetAddresses, forKey: .internetAddresses)
        try members.encode(isSynchronized, forKey: .isSynchronized)
    }
}
