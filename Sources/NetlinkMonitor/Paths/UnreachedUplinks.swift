/// Standby uplinks that the routing tables keep from the machine's packets.
extension NetworkSnapshot {
    /// The interfaces whose default routes the kernel never uses for the machine's packets to the Internet: no rule leads
    /// to their table (that of a VRF, or of a rule for a mark or a source alone), or a rule or a route of type
    /// `blackhole`, `unreachable` or `prohibit` refuses the packets first (a VPN's kill switch).
    ///
    /// Rules count for packets without a mark and a source. Packets that are bound to such an interface may leave.
    package var unreachedUplinks: Set<UInt32> {
        AddressFamily.allCases.reduce(into: Set(defaultRoutes.flatMap(\.interfaces))) { unreached, family in
            unreached.subtract(reachedUplinks(family))
        }
    }

    /// Returns the interfaces with a default route of a family in the tables that the kernel looks up, before any
    /// refusal.
    private func reachedUplinks(_ family: AddressFamily) -> Set<UInt32> {
        let routes = defaultRoutes.filter { $0.family == family }
        guard let destination = internetAddresses.first(where: { $0.family == family }) else {
            return Set(routes.flatMap(\.interfaces))
        }
        var reached: Set<UInt32> = []
        /// Follows the routes of a rule's table, and returns whether one of them refuses the packets.
        func lookUp(_ rule: RoutingRule) -> Bool {
            // Ordered by metric. A route for some sources alone refuses no others.
            for route in routes where route.table == rule.table {
                if route.type == .throw { return false }
                if route.refusesPackets, route.sourcePrefix == nil { return true }
                if rule.suppressedPrefixLength == nil { reached.formUnion(route.interfaces) }
            }
            return false
        }
        // A kernel without policy routing has no rules, and looks up the main table.
        guard rules.contains(where: { $0.family == family }) else {
            _ = lookUp(RoutingRule(family: family, priority: 0, table: Route.mainTable))
            return reached
        }
        _ = rules.matchOne(from: nil, to: destination) { rule in
            let refuses = rule.looksUpTable ? lookUp(rule) : rule.refusesPackets
            return refuses && rule.fits(from: nil, to: destination)
        }
        return reached
    }
}

extension Route {
    /// The interfaces through which packets leave by the route.
    fileprivate var interfaces: [UInt32] { type == .unicast ? nextHops.compactMap(\.interfaceIndex) : [] }
}
