/// Standby uplinks behind a refusal of the routing tables.
extension NetworkSnapshot {
    /// The interfaces whose default routes the kernel never uses for the machine's packets to the Internet, because a
    /// rule or a route of type `blackhole`, `unreachable` or `prohibit` refuses them first: a VPN's kill switch.
    ///
    /// Rules count for packets without a mark and a source. Packets that are bound to such an interface may leave.
    package var refusedUplinks: Set<UInt32> {
        guard rules.contains(where: \.refusesPackets) || defaultRoutes.contains(where: \.refusesPackets) else {
            return []
        }
        return AddressFamily.allCases.reduce(into: Set(defaultRoutes.flatMap(\.interfaces))) { refused, family in
            refused.subtract(uplinksBeforeRefusal(family))
        }
    }

    /// Returns the interfaces with a default route of a family that the kernel comes to before any refusal.
    private func uplinksBeforeRefusal(_ family: AddressFamily) -> Set<UInt32> {
        let routes = defaultRoutes.filter { $0.family == family }
        let all = Set(routes.flatMap(\.interfaces))
        guard let destination = internetAddresses.first(where: { $0.family == family }) else { return all }
        var reached: Set<UInt32> = []
        let isRefused = rules.matchOne(from: nil, to: destination) { rule in
            guard rule.looksUpTable else { return rule.refusesPackets }
            // Ordered by metric. A route for some sources alone refuses no others.
            for route in routes where route.table == rule.table {
                if route.type == .throw { return false }
                if route.refusesPackets, route.sourcePrefix == nil { return true }
                if rule.suppressedPrefixLength == nil { reached.formUnion(route.interfaces) }
            }
            return false
        }
        return isRefused ? reached : all
    }
}

extension Route {
    /// The interfaces through which packets leave by the route.
    fileprivate var interfaces: [UInt32] { type == .unicast ? nextHops.compactMap(\.interfaceIndex) : [] }
}
