/// The state of the network in the kernel, as a value.
///
/// A snapshot is complete: everything in it was read from the kernel, either as a whole or updated by its messages. It
/// has no reference to a socket and may be kept, compared and sent anywhere.
public struct NetworkSnapshot: Sendable, Equatable {
    /// All interfaces of the namespace, by index.
    public internal(set) var links: [UInt32: Link]
    /// All addresses, ordered by interface, family and bits.
    public internal(set) var addresses: [InterfaceAddress]
    /// The default routes of every table that a policy rule or a VRF refers to, ordered by family, table and metric.
    public internal(set) var defaultRoutes: [Route]
    /// The policy rules, ordered by family and priority.
    public internal(set) var rules: [RoutingRule]
    /// The kernel's answer for every looked-up address: those that represent the Internet, and each target.
    public internal(set) var lookups: [IPAddress: RouteLookup]
    /// The underlay of each tunnel that a lookup uses, by the tunnel's index, if known.
    public internal(set) var underlays: [UInt32: Underlay]
    /// The addresses that represent the Internet, in the order of preference.
    public internal(set) var internetAddresses: [IPAddress]
    /// `true` if the snapshot is known to be current.
    ///
    /// It is false after lost messages until everything was read again; the last known state stays meanwhile.
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
            linksByIndex: Dictionary(links.map { ($0.index, $0) }, uniquingKeysWith: { $1 }),
            addresses: addresses,
            defaultRoutes: defaultRoutes,
            rules: rules,
            lookups: lookups,
            underlays: underlays,
            internetAddresses: internetAddresses,
            isSynchronized: isSynchronized
        )
    }

    init(
        linksByIndex links: [UInt32: Link],
        addresses: [InterfaceAddress],
        defaultRoutes: [Route],
        rules: [RoutingRule],
        lookups: [RouteLookup],
        underlays: [UInt32: Underlay],
        internetAddresses: [IPAddress],
        isSynchronized: Bool = true
    ) {
        self.links = links
        self.addresses = addresses
        self.defaultRoutes = defaultRoutes
        self.rules = rules
        self.lookups = Dictionary(lookups.map { ($0.destination, $0) }, uniquingKeysWith: { $1 })
        self.underlays = underlays
        self.internetAddresses = internetAddresses
        self.isSynchronized = isSynchronized
    }

    /// Returns the interface with a name, if there is one.
    public func link(named name: String) -> Link? {
        links.values.first { $0.name == name }
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
        let answers = internetAddresses.lazy.filter { $0.family == family }.compactMap { lookups[$0] }
        return answers.first { $0.isAnsweredByDefault } ?? answers.first { $0.route != nil } ?? answers.first
    }
}
