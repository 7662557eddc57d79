internal import CheckResults
internal import NetlinkMonitor

/// The vantages of probes in one snapshot of the network: the default path, and each interface with a default route.
struct Vantages: Sendable, Equatable {
    /// The path of packets of one family, for which a verdict is valid.
    struct Way: Sendable, Hashable {
        let via: Via
        let interface: UInt32?
        var underlay: UInt32?
        let gateway: IPAddress?
        /// `true` for a default route; else it leads no further than the table has other routes.
        var isDefault = true
    }

    /// The path of packets in each family; nil without one.
    struct Ways: Sendable, Hashable {
        var ipv4: Way?
        var ipv6: Way?

        var isEmpty: Bool { ipv4 == nil && ipv6 == nil }

        /// Returns whether a family has the same path in both.
        func share(_ other: Ways) -> Bool {
            (ipv4 != nil && ipv4 == other.ipv4) || (ipv6 != nil && ipv6 == other.ipv6)
        }

        /// Returns the paths of checks in these families.
        func restricted(to families: AddressFamilies) -> Ways {
            switch families {
            case .any: self
            case .ipv4: Ways(ipv4: ipv4)
            case .ipv6: Ways(ipv6: ipv6)
            }
        }
    }

    /// An uplink.
    struct Place: Sendable, Hashable {
        let interface: PathInterface
        /// The paths through the interface; empty while its link passes no packets.
        let ways: Ways
        /// The reason no packets can leave through it; nil when they can.
        let obstacle: ReasonCode?
        /// `true` if the default path of a family uses it, or a tunnel over it.
        let isUsed: Bool
        /// `true` if it has no default route, and a probe names it.
        let isBoundOnly: Bool
    }

    /// The default path.
    var defaults = Ways()
    /// The places by index; never the loopback.
    var places: [Place] = []
    /// The names of all interfaces.
    var names: Set<String> = []

    /// The vantages of an unknown network.
    static let none = Vantages()
}

extension Vantages {
    /// Derives the vantages, and the default paths, from a snapshot.
    ///
    /// - Parameter bound: The names of interfaces to include even without a default route.
    init(_ snapshot: NetworkSnapshot, bound: Set<String> = []) {
        self.init(
            snapshot,
            ipv4: PathDerivation(.ipv4, in: snapshot),
            ipv6: PathDerivation(.ipv6, in: snapshot),
            bound: bound
        )
    }

    /// Derives the vantages from a snapshot, and the default paths derived from it.
    ///
    /// - Parameters:
    ///   - ipv4: The default path of IPv4.
    ///   - ipv6: The default path of IPv6.
    ///   - bound: The names of interfaces to include even without a default route.
    init(_ snapshot: NetworkSnapshot, ipv4: PathDerivation, ipv6: PathDerivation, bound: Set<String>) {
        defaults = Ways(ipv4: Way(ipv4.path), ipv6: Way(ipv6.path))
        names = Set(snapshot.links.values.map(\.name))
        var gateways: [UInt32: [AddressFamily: IPAddress?]] = [:]
        for route in snapshot.defaultRoutes where route.type == .unicast && route.destination.length == 0 {
            for hop in route.nextHops {
                guard let index = hop.interfaceIndex, gateways[index]?[route.family] == nil else { continue }
                // The first one has the lowest metric of its table.
                gateways[index, default: [:]].updateValue(hop.gateway, forKey: route.family)
            }
        }
        let sources = Set(
            snapshot.addresses.lazy.filter(\.reachesBeyondLink).map { Source($0.interfaceIndex, $0.address.family) }
        )
        let used = ipv4.carriers + ipv6.carriers
        let named = bound.isEmpty ? [] : snapshot.links.values.filter { bound.contains($0.name) }.map(\.index)
        places = Set(gateways.keys).union(named).sorted().compactMap { index -> Place? in
            guard let link = snapshot.links[index], link.kind != .loopback else { return nil }
            let routes = gateways[index]
            let isPassable = snapshot.canPassPackets(link)
            let isShut = !isPassable || link.leadsNowhere
            func way(_ family: AddressFamily) -> Way? {
                guard !isShut, sources.contains(Source(index, family)) else { return nil }
                let via = Via(kind: link.kind)
                guard let routes else { return Way(via: via, interface: index, gateway: nil, isDefault: false) }
                return routes[family].map { Way(via: via, interface: index, gateway: $0) }
            }
            let ways = Ways(ipv4: way(.ipv4), ipv6: way(.ipv6))
            let obstacle: ReasonCode = !isPassable ? .linkDown : link.leadsNowhere ? .leadsNowhere : .noAddress
            return Place(
                interface: PathInterface(link),
                ways: ways,
                obstacle: ways.isEmpty ? obstacle : nil,
                isUsed: used.contains(index),
                isBoundOnly: routes == nil
            )
        }
    }

    private struct Source: Hashable {
        let interface: UInt32
        let family: AddressFamily

        init(_ interface: UInt32, _ family: AddressFamily) {
            self.interface = interface
            self.family = family
        }
    }
}

extension Vantages {
    /// Returns the points of a probe, and the paths of its packets there.
    func points(_ rule: ProbeRule) -> [(point: ProbePoint, ways: Ways)] {
        var points: [(point: ProbePoint, ways: Ways)] = []
        func add(_ interface: String?, _ ways: Ways) {
            for families in rule.families.vantages {
                let restricted = ways.restricted(to: families)
                guard !restricted.isEmpty else { continue }
                let vantage = Vantage(interface: interface, families: families)
                points.append((ProbePoint(probe: rule.name, vantage: vantage), restricted))
            }
        }
        guard !rule.isFirstHop else {
            return places.flatMap { place in
                [(AddressFamilies.ipv4, place.ways.ipv4), (.ipv6, place.ways.ipv6)].compactMap { families, way in
                    guard way?.gateway != nil else { return nil }
                    let vantage = Vantage(interface: place.interface.name, families: families)
                    return (ProbePoint(probe: rule.name, vantage: vantage), place.ways.restricted(to: families))
                }
            }
        }
        switch rule.interfaces {
        case .default: add(nil, defaults)
        case .each:
            add(nil, defaults)
            for place in places where !place.isBoundOnly { add(place.interface.name, place.ways) }
        case .matching(let words):
            for place in places
            where words.contains(place.interface.name)
                || !place.isBoundOnly && words.contains(place.interface.kind.rawValue)
            {
                add(place.interface.name, place.ways)
            }
        }
        return points
    }
}

extension Vantages.Way {
    /// Creates a default path; nil for one that is not usable.
    init?(_ path: Path) {
        guard path.via.isReachable else { return nil }
        self.init(
            via: path.via,
            interface: path.interface?.index,
            underlay: path.underlay?.interface?.index,
            gateway: path.gateway
        )
    }
}

extension ProbeRule.Families {
    var vantages: [AddressFamilies] {
        switch self {
        case .any: [.any]
        case .each: [.ipv4, .ipv6]
        case .ipv4: [.ipv4]
        case .ipv6: [.ipv6]
        }
    }
}
