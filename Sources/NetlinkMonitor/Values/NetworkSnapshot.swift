/// The kernel's view of the network at one moment, as a value.
///
/// A snapshot is complete: everything in it was read from the kernel, either as a whole or brought up to date by its
/// messages. It holds no reference to a socket and may be kept, compared and sent anywhere.
public struct NetworkSnapshot: Sendable, Equatable {
    /// Every interface of the namespace, by index.
    public internal(set) var links: [UInt32: Link]
    /// Every address, ordered by interface, family and bits.
    public internal(set) var addresses: [InterfaceAddress]
    /// The default routes of every table that a policy rule or a VRF refers to, ordered by family, table and metric.
    public internal(set) var defaultRoutes: [Route]
    /// The policy rules, ordered by family and priority.
    public internal(set) var rules: [RoutingRule]
    /// The kernel's answer for every address that was asked for: the ones that stand for the Internet, and each target.
    public internal(set) var lookups: [IPAddress: RouteLookup]
    /// What carries each tunnel that one of the lookups leaves through, by the tunnel's index, where it can be told.
    public internal(set) var underlays: [UInt32: Underlay]
    /// The addresses that stand for the Internet, in the order of preference.
    public internal(set) var internetAddresses: [IPAddress]
    /// Whether the view is known to be the kernel's.
    ///
    /// It is not while messages were lost and reading everything again has failed so far; then the last known view
    /// stands, and another attempt is under way.
    public internal(set) var isSynchronized: Bool

    /// A snapshot with this content.
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

    /// The interface with a name, if there is one.
    public func link(named name: String) -> Link? {
        links.values.first { $0.name == name }
    }

    /// The interface's name, or `#index` for one that is not in the snapshot.
    public func interfaceName(_ index: UInt32) -> String {
        links[index]?.name ?? "#\(index)"
    }

    /// The answer that stands for "the Internet" in a family.
    ///
    /// The first address of the family that a default route answered for decides. Where none was answered by a default
    /// route (a router that carries the whole Internet's table has no need of one), the first answer with a way out
    /// does, and where there is no way out either, the first answer.
    public func internetLookup(_ family: AddressFamily) -> RouteLookup? {
        let answers = internetAddresses.lazy.filter { $0.family == family }.compactMap { lookups[$0] }
        return answers.first { $0.isAnsweredByDefault } ?? answers.first { $0.route != nil } ?? answers.first
    }
}
