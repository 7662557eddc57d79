internal import CheckResults
internal import NetlinkMonitor

/// The vantages of probes in one snapshot of the network: the default path, and each uplink.
struct Vantages: Sendable, Equatable {
    /// The path of packets of one family, for which a verdict is valid.
    struct Egress: Sendable, Hashable {
        let via: Via
        let interface: UInt32?
        var underlay: UInt32?
        let gateway: IPAddress?
        /// `true` for a route to the Internet; else the path leads only to the destinations of other routes in the table.
        var isDefault = true
        /// `true` if the interface has a source address of its own, rather than that of another one.
        ///
        /// A router advertisement adds its route a second before the address, which is checked first: checks with
        /// another interface's address must not count for it.
        var hasOwnSource = true
    }

    /// The path of packets in each family; nil without one.
    struct Egresses: Sendable, Hashable {
        var ipv4: Egress?
        var ipv6: Egress?

        var isEmpty: Bool { ipv4 == nil && ipv6 == nil }

        /// The paths to the gateways.
        ///
        /// Their checks ask the neighbour, and have no need of an address that reaches beyond the link.
        var toGateways: Egresses {
            func toGateway(_ egress: Egress?) -> Egress? {
                guard var egress, egress.gateway != nil else { return nil }
                egress.hasOwnSource = true
                return egress
            }
            return Egresses(ipv4: toGateway(ipv4), ipv6: toGateway(ipv6))
        }

        /// Returns whether a family has the same path in both.
        func share(_ other: Egresses) -> Bool {
            (ipv4 != nil && ipv4 == other.ipv4) || (ipv6 != nil && ipv6 == other.ipv6)
        }

        /// Returns the only family with another path in both; `any` if there is no single one.
        func changedFamilies(in other: Egresses) -> AddressFamilies {
            switch (ipv4 == other.ipv4, ipv6 == other.ipv6) {
            case (false, true): .ipv4
            case (true, false): .ipv6
            case (true, true), (false, false): .any
            }
        }

        /// Returns the paths of checks in these families.
        func restricted(to families: AddressFamilies) -> Egresses {
            switch families {
            case .any: self
            case .ipv4: Egresses(ipv4: ipv4)
            case .ipv6: Egresses(ipv6: ipv6)
            }
        }
    }

    /// An uplink.
    struct UplinkCandidate: Sendable, Hashable {
        let interface: PathInterface
        /// The paths through the interface; empty while its link passes no packets.
        let egresses: Egresses
        /// The reason no packets can leave through it; nil when they can.
        let obstacle: ReasonCode?
        /// The underlay of a tunnel, if known.
        var underlay: PathUnderlay?
        /// `true` if the default path of a family uses it, or a tunnel over it.
        let isUsed: Bool
        /// `true` if it has no route to the Internet, and a probe names it.
        let isBoundOnly: Bool
        /// The alternative names of the interface.
        let alternativeNames: [String]
    }

    /// The default path.
    var defaults = Egresses()
    /// The uplinks by index; never the loopback.
    var uplinks: [UplinkCandidate] = []
    /// The names of all interfaces, in the order of the snapshot.
    var names: [String] = []

    /// The vantages of an unknown network.
    static let none = Vantages()
}

extension Vantages {
    /// Derives the vantages from a snapshot, and the default paths.
    ///
    /// - Parameters:
    ///   - ipv4: The default path of IPv4.
    ///   - ipv6: The default path of IPv6.
    ///   - bound: The names of interfaces to include even without a route to the Internet.
    init(_ snapshot: NetworkSnapshot, ipv4: PathDerivation, ipv6: PathDerivation, bound: Set<String>) {
        let routes = snapshot.uplinkRoutes
        let sources = SourceAddresses(snapshot, uplinkRoutes: routes)
        defaults = Egresses(
            ipv4: Egress(ipv4.path, hasOwnSource: sources.areOwn(.ipv4, of: ipv4.path.interface?.index)),
            ipv6: Egress(ipv6.path, hasOwnSource: sources.areOwn(.ipv6, of: ipv6.path.interface?.index))
        )
        names = snapshot.links.values.map(\.name)
        var hops: [UInt32: [AddressFamily: UplinkHop]] = [:]
        for route in routes {
            for hop in route.nextHops {
                guard let index = hop.interfaceIndex, hops[index]?[route.family] == nil else { continue }
                // The first one has the lowest metric of its table.
                hops[index, default: [:]][route.family] =
                    UplinkHop(gateway: hop.gateway, hasSource: route.preferredSource != nil)
            }
        }
        let used = ipv4.carriers + ipv6.carriers
        let named = bound.isEmpty ? [] : snapshot.links.values.filter { $0.hasName(where: bound.contains) }.map(\.index)
        uplinks = Set(hops.keys).union(named).sorted().compactMap { index -> UplinkCandidate? in
            guard let link = snapshot.links[index], link.kind != .loopback else { return nil }
            let ownHops = hops[index]
            let below = snapshot.underlay(of: link)
            let obstacle: ReasonCode? =
                if snapshot.leadsNowhere(link) {
                    .leadsNowhere
                } else if !snapshot.canPassPackets(link) {
                    .linkDown
                } else {
                    below?.isDown == true ? .underlayDown : nil
                }
            func egress(_ family: AddressFamily, _ path: Path) -> Egress? {
                let isProven = path.via.isReachable && path.interface?.index == index
                let hop = ownHops?[family]
                // Without a route, packets with the IPv6 address of another interface have nowhere to go: a probe may
                // name an interface with IPv4 alone.
                guard obstacle == nil,
                    // No address of IPv4 can be the source of the solicitation of an IPv6 router.
                    isProven || (hop?.gateway?.family ?? family) == family
                        || snapshot.linkLocalObstacle(on: link, family: .ipv6) == nil,
                    isProven || hop?.hasSource ?? false || sources.exist(family, for: link, needsRoute: family == .ipv6)
                else { return nil }
                // A tunnel that moves to another underlay is another path, as it is for the default one.
                let (via, underlay) = (Via(kind: snapshot.kindInUse(of: below?.link ?? link)), below?.link?.index)
                guard ownHops == nil || hop != nil else { return nil }
                return Egress(
                    via: via,
                    interface: index,
                    underlay: underlay,
                    // Among several gateways the kernel's choice is the one that packets take.
                    gateway: hop.flatMap { isProven ? path.gateway : $0.gateway },
                    isDefault: hop != nil,
                    hasOwnSource: sources.areOwn(family, of: index)
                )
            }
            let egresses = Egresses(ipv4: egress(.ipv4, ipv4.path), ipv6: egress(.ipv6, ipv6.path))
            return UplinkCandidate(
                interface: PathInterface(link),
                egresses: egresses,
                obstacle: egresses.isEmpty ? obstacle ?? .noAddress : nil,
                underlay: below.map(PathUnderlay.init),
                isUsed: used.contains(index),
                isBoundOnly: ownHops == nil,
                alternativeNames: link.alternativeNames
            )
        }
    }

    /// The first route to the Internet of a family over an interface.
    private struct UplinkHop {
        let gateway: IPAddress?
        /// `true` if the route itself names the source of its packets.
        let hasSource: Bool
    }
}

extension Vantages {
    /// Returns the points of a probe, and the paths of its packets there.
    func points(_ rule: ProbeRule) -> [(point: ProbePoint, egresses: Egresses)] {
        var points: [(point: ProbePoint, egresses: Egresses)] = []
        func add(_ interface: String?, _ egresses: Egresses) {
            for families in rule.families.vantages {
                let restricted = egresses.restricted(to: families)
                guard !restricted.isEmpty else { continue }
                let vantage = Vantage(interface: interface, families: families)
                points.append((ProbePoint(probe: rule.name, vantage: vantage), restricted))
            }
        }
        guard !rule.isFirstHop else {
            for uplink in uplinks { add(uplink.interface.name, uplink.egresses.toGateways) }
            return points
        }
        switch rule.interfaces {
        case .default: add(nil, defaults)
        case .each:
            add(nil, defaults)
            for uplink in uplinks where !uplink.isBoundOnly { add(uplink.interface.name, uplink.egresses) }
        case .matching(let words):
            for uplink in uplinks
            where words.contains(uplink.interface.name) || words.contains(where: uplink.alternativeNames.contains)
                || !uplink.isBoundOnly && words.contains(uplink.interface.kind.rawValue)
            {
                add(uplink.interface.name, uplink.egresses)
            }
        }
        return points
    }
}

extension Vantages.Egress {
    /// Creates a default path; nil for one that is not usable.
    init?(_ path: Path, hasOwnSource: Bool) {
        guard path.via.isReachable else { return nil }
        self.init(
            via: path.via,
            interface: path.interface?.index,
            underlay: path.underlay?.interface?.index,
            gateway: path.gateway,
            hasOwnSource: hasOwnSource
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
