/// Standby uplinks that the routing tables keep from the machine's packets.
extension NetworkSnapshot {
    /// The interfaces whose default routes the kernel never uses for the machine's packets to the Internet: no rule leads
    /// to their table (that of a VRF, or of a rule for a mark, a source, a user or an incoming interface alone) and accepts
    /// their route, or a rule or a route of type `blackhole`, `unreachable` or `prohibit` refuses the packets first (a
    /// VPN's kill switch).
    ///
    /// Rules count for packets without a mark and, at first, without a source, and only if they match these for certain.
    /// Packets that are bound to such an interface may leave.
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
        let tables = Dictionary(grouping: routes, by: \.table)
        let reached = interfaces(in: tables, from: nil, to: destination)
        guard family == .ipv4, rules.contains(where: { $0.family == family && $0.source != nil }) else {
            return reached
        }
        // connect(2) looks up again with the source that the first lookup has selected.
        return reached.filter { interface in
            let sources = Set(routes.flatMap { $0.sources(over: interface, among: addresses) })
            return sources.contains { interfaces(in: tables, from: $0, to: destination).contains(interface) }
        }
    }

    /// Returns the interfaces of the default routes that packets from a source reach, before any refusal.
    private func interfaces(
        in tables: [UInt32: [Route]],
        from source: IPAddress?,
        to destination: IPAddress
    ) -> Set<UInt32> {
        var reached: Set<UInt32> = []
        /// Follows the routes of a rule's table, and returns whether one of them refuses the packets.
        func lookUp(_ rule: RoutingRule) -> Bool {
            // Ordered by metric. A route for some sources alone refuses no others.
            for route in tables[rule.table] ?? [] {
                if route.type == .throw { return false }
                if route.refusesPackets, route.sourcePrefix == nil { return true }
                reached.formUnion(route.interfaces.filter { accepts(rule, defaultRouteOver: $0) })
            }
            return false
        }
        // A kernel without policy routing has no rules, and looks up the main table.
        guard rules.contains(where: { $0.family == destination.family }) else {
            _ = lookUp(RoutingRule(family: destination.family, priority: 0, table: Route.mainTable))
            return reached
        }
        _ = rules.matchOne(from: source, to: destination) { rule in
            guard rule.fits(from: source, to: destination) else { return false }
            return rule.looksUpTable ? lookUp(rule) : rule.refusesPackets
        }
        return reached
    }

    /// Returns whether a rule does not ignore a default route over an interface.
    private func accepts(_ rule: RoutingRule, defaultRouteOver interface: UInt32) -> Bool {
        rule.suppressedPrefixLength == nil && rule.suppressedGroup != links[interface]?.group ?? 0
    }
}

extension Route {
    /// The interfaces through which packets leave by the route.
    fileprivate var interfaces: [UInt32] { type == .unicast ? nextHops.compactMap(\.interfaceIndex) : [] }

    /// Returns the sources of packets that leave by the route over an interface; `nil` for one that is not known.
    fileprivate func sources(over interface: UInt32, among addresses: [InterfaceAddress]) -> [IPAddress?] {
        nextHops.filter { $0.interfaceIndex == interface }
            .map { preferredSource ?? addresses.source(toward: $0, family) }
    }
}
