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
        try members.encode(links.values.sorted { $0.index < $1.index }, forKey: .links)
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
