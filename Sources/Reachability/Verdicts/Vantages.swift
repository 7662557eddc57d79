internal import NetlinkMonitor
internal import Probes

/// From where probes can be made in one view of the network: the default path, and each interface with a default route.
struct Vantages: Sendable, Equatable {
    /// How packets of one family leave: what a verdict holds for.
    struct Way: Sendable, Hashable {
        let via: Via
        let interface: UInt32?
        var underlay: UInt32?
        let gateway: IPAddress?
    }

    /// How packets leave in each family; nil where they do not.
    struct Ways: Sendable, Hashable {
        var ipv4: Way?
        var ipv6: Way?

        var isEmpty: Bool { ipv4 == nil && ipv6 == nil }

        /// Whether packets of one family leave in the same way.
        func share(_ other: Ways) -> Bool {
            (ipv4 != nil && ipv4 == other.ipv4) || (ipv6 != nil && ipv6 == other.ipv6)
        }

        /// What concerns checks in these families alone.
        func restricted(to families: AddressFamilies) -> Ways {
            switch families {
            case .any: self
            case .ipv4: Ways(ipv4: ipv4)
            case .ipv6: Ways(ipv6: ipv6)
            }
        }
    }

    /// An interface with a default route.
    struct Place: Sendable, Hashable {
        let interface: PathInterface
        /// Through the interface; empty while its link passes no packets.
        let ways: Ways
        /// Why no packets can leave through it; nil where they can.
        let obstacle: ReasonCode?
        /// Whether the default path of a family leads through it, or through a tunnel that it carries.
        let isUsed: Bool
    }

    /// The default path.
    var defaults = Ways()
    /// By index; never the loopback.
    var places: [Place] = []
    /// The names of all interfaces.
    var names: Set<String> = []

    /// Nothing is known of the network.
    static let none = Vantages()
}

extension Vantages {
    /// The vantages that a snapshot offers, with the default paths that were derived from it.
    init(_ snapshot: NetworkSnapshot, ipv4: Path, ipv6: Path) {
        defaults = Ways(ipv4: Way(ipv4), ipv6: Way(ipv6))
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
            snapshot.addresses.lazy.filter(\.isSource).map { Source($0.interfaceIndex, $0.address.family) }
        )
        let used = Set(
            [ipv4, ipv6].filter(\.via.isReachable)
                .flatMap { [$0.interface?.index, $0.underlay?.interface?.index] }.compactMap { $0 }
        )
        places = gateways.keys.sorted().compactMap { index -> Place? in
            guard let link = snapshot.links[index], link.kind != .loopback else { return nil }
            func way(_ family: AddressFamily) -> Way? {
                guard snapshot.canPassPackets(link), let gateway = gateways[index]?[family],
                    sources.contains(Source(index, family))
                else { return nil }
                return Way(via: Via(kind: link.kind), interface: index, gateway: gateway)
            }
            let ways = Ways(ipv4: way(.ipv4), ipv6: way(.ipv6))
            let obstacle: ReasonCode = snapshot.canPassPackets(link) ? .noAddress : .linkDown
            return Place(
                interface: PathInterface(link),
                ways: ways,
                obstacle: ways.isEmpty ? obstacle : nil,
                isUsed: used.contains(index)
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
    /// From where a probe is to be made, and how its packets leave there.
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
        switch rule.interfaces {
        case .default: add(nil, defaults)
        case .each:
            add(nil, defaults)
            for place in places { add(place.interface.name, place.ways) }
        case .matching(let words):
            for place in places
            where words.contains(place.interface.name) || words.contains(place.interface.kind.rawValue) {
                add(place.interface.name, place.ways)
            }
        }
        return points
    }
}

extension Vantages.Way {
    /// A default path; nil for one that is not usable.
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

extension InterfaceAddress {
    /// Packets to the Internet can be sent from it.
    fileprivate var isSource: Bool { isUsable && !address.isLinkLocal && !address.isLoopback }
}
