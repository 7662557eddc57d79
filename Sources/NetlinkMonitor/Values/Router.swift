internal import Glibc

/// The state of a next hop's neighbour entry, as relevant to the kernel's selection among routers.
///
/// IPv6 abandons a router only when neighbour discovery failed (`rt6_check_neigh`, RFC 4191). A nexthop group of either
/// family also leaves one that is being resolved (`nexthop_is_good_nh`). IPv4, which selects among default routes of one
/// metric, also prefers a recently confirmed router (`fib_detect_death`).
package enum NeighbourState: String, Sendable, Hashable, CaseIterable {
    /// The kernel does not answer for single entries (before Linux 5.0): every message about the router is relevant.
    case unknown
    /// IPv4: there is no entry, because no packet was sent to the next hop recently.
    case absent
    /// IPv4: the next hop was confirmed recently.
    case reachable
    /// IPv4: its link-layer address is known. IPv6: neighbour discovery has not failed, and is not in progress.
    case usable
    /// The next hop has not answered yet.
    case resolving
    /// The next hop does not answer.
    case failed

    /// The bits of `ndm_state` (linux/neighbour.h).
    private enum Bits {
        static let incomplete: UInt16 = 0x01
        static let reachable: UInt16 = 0x02
        static let failed: UInt16 = 0x20
        /// Stale, delay, probe, no ARP and permanent.
        static let otherwiseValid: UInt16 = 0xDC
    }

    /// Maps a neighbour entry to a state; `nil` for no entry.
    init(bits: UInt16?, _ family: AddressFamily) {
        if let bits, bits & Bits.failed != 0 {
            self = .failed
        } else if family == .ipv6 {
            self = bits.map { $0 & Bits.incomplete != 0 } ?? false ? .resolving : .usable
        } else if let bits {
            self =
                bits & Bits.reachable != 0
                ? .reachable : bits & Bits.otherwiseValid != 0 ? .usable : bits == 0 ? .absent : .resolving
        } else {
            self = .absent
        }
    }

    /// Returns the bits of `ndm_state` that repeat this state, and mean nothing new.
    ///
    /// A repeated failure of an IPv6 router does: the kernel has tried it again.
    func repeatingBits(_ family: AddressFamily) -> UInt16 {
        switch self {
        case .unknown, .absent: 0
        case .reachable: Bits.reachable
        case .usable:
            family == .ipv6 ? Bits.incomplete | Bits.reachable | Bits.otherwiseValid : Bits.otherwiseValid
        case .resolving: Bits.incomplete
        case .failed: family == .ipv6 ? 0 : Bits.failed
        }
    }
}

/// The state of a next hop according to the kernel's neighbour entry (RFC 4861 7.3.2).
package enum NextHopState: Sendable, Hashable {
    /// The next hop was confirmed recently: by default up to 45 s ago, and no earlier than at this instant if it is known.
    case reachable(confirmed: ContinuousClock.Instant?)
    /// The next hop does not answer neighbour discovery.
    case failed
    /// The entry is evidence of neither.
    case unclear

    /// The maximum number of reads of an entry while the kernel resolves it, and the pause between them.
    ///
    /// Neighbour discovery ends after three seconds (mcast_solicit and retrans_time of arp(7)), and the next packet
    /// restarts it.
    private static let readings = (count: 35, pause: useconds_t(100_000))

    /// Queries the kernel for the entry of an address on an interface; nothing is sent.
    ///
    /// The call takes microseconds, or up to 3.5 s while neighbour discovery is in progress: use a thread that may
    /// block. For IPv6, whose entries the parser reduces to failed, being resolved or neither, the result is never
    /// ``reachable(confirmed:)``.
    package static func ask(of address: IPAddress, on interface: String) -> NextHopState {
        let router = Router(interfaceIndex: if_nametoindex(interface), address: address)
        guard router.interfaceIndex > 0, var kernel = try? NetlinkQueries() else { return .unclear }
        for _ in 0..<readings.count {
            // A time before the kernel's answer: a delay of this thread never makes a confirmation younger.
            let asked = ContinuousClock.now
            let entry = try? kernel.neighbour(router)
            switch entry?.state {
            case .reachable: return .reachable(confirmed: entry?.confirmedBefore.map { asked - $0 })
            case .failed: return .failed
            case .resolving: usleep(readings.pause)
            case .unknown, .absent, .usable, nil: return .unclear
            }
        }
        return .unclear
    }
}

extension NetworkMonitor {
    /// Reads the neighbour entries of next hops; nothing is sent to them.
    ///
    /// - Returns: The states of the hops that have an interface and a gateway.
    /// - Throws: ``NetlinkError`` when netlink is not available or the kernel rejects queries.
    package static func neighbourStates(
        of hops: some Sequence<NextHop>
    ) throws(NetlinkError) -> [NextHop: NeighbourState] {
        var routers: [Router: NextHop] = [:]
        for hop in hops {
            if let router = Router(hop) { routers[router] = hop }
        }
        var kernel = try NetlinkQueries()
        let states = try kernel.states(of: Set(routers.keys))
        var result: [NextHop: NeighbourState] = [:]
        for (router, state) in states {
            if let hop = routers[router] { result[hop] = state }
        }
        return result
    }
}

/// A router, identified by an address on an interface.
struct Router: Sendable, Hashable, Comparable {
    let interfaceIndex: UInt32
    let address: IPAddress

    static func < (first: Router, second: Router) -> Bool {
        (first.interfaceIndex, first.address.high, first.address.low)
            < (second.interfaceIndex, second.address.high, second.address.low)
    }

    /// The maximum number of watched routers, besides the looked-up addresses, for which the filter has room.
    static let maximumWatched = 16

    /// Returns the routers among which the kernel selects by their state; none if it has no choice.
    static func choices(_ routes: [Route], _ lookups: [RouteLookup]) -> Set<Router> {
        let defaults = routes.filter { $0.type == .unicast }
        return validityChoices(routes, lookups.compactMap(\.matched)).union(
            ipv6Choices(defaults, lookups, refuses: routes.contains { $0.family == .ipv6 && $0.refusesPackets })
        )
    }

    /// Returns those of the choices that need a valid neighbour entry: the kernel leaves a router while it is resolved.
    ///
    /// They are the routers of IPv4's default routes of one table and one metric, and the legs of a default route or an
    /// entry that decides, whatever its prefix is. The legs of an IPv6 route without a nexthop object need none
    /// (`fib6_select_path`).
    static func validityChoices(_ routes: [Route], _ entries: [Route]) -> Set<Router> {
        // Most machines leave the kernel no choice, and each edge comes here.
        guard
            routes.count(where: { $0.family == .ipv4 && $0.type == .unicast }) > 1
                || routes.contains(where: \.hasLegs) || entries.contains(where: \.hasLegs)
        else { return [] }
        let defaults = routes.filter { $0.type == .unicast }
        let twins = Dictionary(grouping: defaults.filter { $0.family == .ipv4 }) { [$0.table, $0.metric] }
        let groups = (defaults + entries).filter { $0.family == .ipv4 || $0.nextHopObject != nil }
        let choices = twins.values.map { $0.flatMap(\.nextHops) } + groups.map(\.nextHops)
        return Set(choices.filter { $0.count > 1 }.joined().compactMap { Router($0) })
    }

    /// Returns the IPv6 choices: the kernel continues with the next metric, and from a dead router of a longer prefix
    /// to a shorter one.
    private static func ipv6Choices(_ defaults: [Route], _ lookups: [RouteLookup], refuses: Bool) -> Set<Router> {
        var hops = Set(
            defaults.lazy.filter { $0.family == .ipv6 }.flatMap(\.nextHops)
                .map { NextHop(interfaceIndex: $0.interfaceIndex, gateway: $0.gateway) }
        )
        var mayHaveMore = refuses
        for lookup in lookups {
            guard let route = lookup.route, route.gateway?.family == .ipv6 else { continue }
            hops.insert(NextHop(interfaceIndex: route.interfaceIndex, gateway: route.gateway))
            // Of another prefix than the default route, those with a higher metric are not read.
            guard let matched = lookup.matched, !matched.destination.isDefault else { continue }
            mayHaveMore = true
            hops.formUnion(matched.nextHops.map { NextHop(interfaceIndex: $0.interfaceIndex, gateway: $0.gateway) })
        }
        return hops.count > 1 || mayHaveMore ? Set(hops.compactMap { Router($0) }) : []
    }
}

extension Route {
    /// `true` if it has several next hops.
    fileprivate var hasLegs: Bool { nextHops.count > 1 }
}

/// An extension, because a structure that declares an initializer itself has no memberwise one.
extension Router {
    init?(_ hop: NextHop) {
        guard let interfaceIndex = hop.interfaceIndex, let gateway = hop.gateway else { return nil }
        self.init(interfaceIndex: interfaceIndex, address: gateway)
    }

    init?(_ route: ResolvedRoute) {
        guard let gateway = route.gateway else { return nil }
        self.init(interfaceIndex: route.interfaceIndex, address: gateway)
    }
}
