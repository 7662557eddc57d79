/// A router that routes lead through: an address on an interface.
struct Router: Sendable, Hashable, Comparable {
    let interfaceIndex: UInt32
    let address: IPAddress

    static func < (first: Router, second: Router) -> Bool {
        (first.interfaceIndex, first.address.high, first.address.low)
            < (second.interfaceIndex, second.address.high, second.address.low)
    }
}

/// The state of a router's neighbour entry, as far as the kernel's choice among routers depends on it.
///
/// IPv6 leaves a router only when neighbour discovery failed (`rt6_check_neigh`, RFC 4191). IPv4, which chooses among
/// default routes of one metric, also prefers a router that was confirmed lately (`fib_detect_death`).
enum RouterState: Sendable, Hashable {
    /// Not known: every message about the router is of interest.
    case unknown
    /// IPv4: no entry.
    case absent
    /// IPv4: confirmed lately.
    case reachable
    /// IPv4: has a link-layer address. IPv6: anything but failed.
    case usable
    /// IPv4: has not answered yet.
    case resolving
    /// Does not answer.
    case failed

    /// The bits of `ndm_state` (linux/neighbour.h).
    private enum Bits {
        static let incomplete: UInt16 = 0x01
        static let reachable: UInt16 = 0x02
        static let failed: UInt16 = 0x20
        /// Stale, delay, probe, no ARP and permanent.
        static let otherwiseValid: UInt16 = 0xDC
    }

    /// The state that a neighbour entry stands for; `nil` for no entry.
    init(neighbourState bits: UInt16?, _ family: AddressFamily) {
        if let bits, bits & Bits.failed != 0 {
            self = .failed
        } else if family == .ipv6 {
            self = .usable
        } else if let bits {
            self =
                bits & Bits.reachable != 0
                ? .reachable : bits & Bits.otherwiseValid != 0 ? .usable : bits == 0 ? .absent : .resolving
        } else {
            self = .absent
        }
    }

    /// The bits of `ndm_state` that say the same once more.
    func repeatingBits(_ family: AddressFamily) -> UInt16 {
        switch self {
        case .unknown, .absent: 0
        case .reachable: Bits.reachable
        case .usable:
            family == .ipv6 ? Bits.incomplete | Bits.reachable | Bits.otherwiseValid : Bits.otherwiseValid
        case .resolving: Bits.incomplete
        case .failed: Bits.failed
        }
    }
}

extension Router {
    /// The filter has room for so many beside the addresses that are looked up.
    static let maximumWatched = 16

    /// The routers among which the kernel chooses by their state; none where it has no choice.
    static func choices(_ routes: [Route], _ lookups: [RouteLookup]) -> Set<Router> {
        let defaults = routes.filter { $0.type == .unicast }
        return ipv4Choices(defaults).union(ipv6Choices(defaults, lookups))
    }

    /// IPv4 chooses among the default routes of one table and one metric, and among the next hops of one.
    private static func ipv4Choices(_ defaults: [Route]) -> Set<Router> {
        let groups = Dictionary(grouping: defaults.filter { $0.family == .ipv4 }) { [$0.table, $0.metric] }
        let choices = groups.values.map { $0.flatMap(\.nextHops) }.filter { $0.count > 1 }
        return Set(choices.joined().compactMap(Router.init))
    }

    /// IPv6 goes on to the next metric, and from a dead router of a longer prefix to a shorter one.
    private static func ipv6Choices(_ defaults: [Route], _ lookups: [RouteLookup]) -> Set<Router> {
        var hops = Set(
            defaults.lazy.filter { $0.family == .ipv6 }.flatMap(\.nextHops)
                .map { NextHop(interfaceIndex: $0.interfaceIndex, gateway: $0.gateway) }
        )
        for case let route? in lookups.lazy.map(\.route) where route.gateway?.family == .ipv6 {
            hops.insert(NextHop(interfaceIndex: route.interfaceIndex, gateway: route.gateway))
        }
        return hops.count > 1 ? Set(hops.compactMap(Router.init)) : []
    }

    private init?(_ hop: NextHop) {
        guard let interfaceIndex = hop.interfaceIndex, let gateway = hop.gateway else { return nil }
        self.init(interfaceIndex: interfaceIndex, address: gateway)
    }
}
