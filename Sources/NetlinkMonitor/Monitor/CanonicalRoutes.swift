/// The default routes of a family as a snapshot has them: bounded, and in a canonical order.
extension Route {
    /// The maximum number of default routes that differ only in their routers.
    ///
    /// Anyone on a link with router advertisements can add more; the kernel's answers name the router in use.
    static let maximumRouters = 16

    /// The properties that default routes with different routers share.
    private struct Group: Hashable {
        let table: UInt32
        let metric: UInt32
        let type: RouteType
        let sourcePrefix: IPPrefix?
        let interfaces: [UInt32?]

        init(_ route: Route) {
            table = route.table
            metric = route.metric
            type = route.type
            sourcePrefix = route.sourcePrefix
            interfaces = route.nextHops.map(\.interfaceIndex)
        }
    }

    /// Returns default routes in a canonical order: equal views must be equal values.
    ///
    /// Of routes that differ only in their routers, the first ones in the kernel's table are kept: in IPv6 the oldest,
    /// which no later router advertisement displaces.
    static func canonical(_ routes: [Route]) -> [Route] {
        guard routes.count > 1 else { return routes }
        var counts: [Group: Int] = [:]
        let kept = routes.filter { route in
            counts[Group(route), default: 0] += 1
            return counts[Group(route), default: 0] <= maximumRouters
        }
        return kept.map { (route: $0, order: $0.order) }
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }
            .map(\.route)
    }

    /// The numbers that decide the order; almost always table and metric alone.
    private var order: [UInt64] {
        var numbers = [UInt64(table), UInt64(metric)]
        for hop in nextHops {
            numbers += [UInt64(hop.interfaceIndex ?? 0), hop.gateway?.high ?? 0, hop.gateway?.low ?? 0]
            if hop.isOnLink { numbers.append(1) }
        }
        numbers += [UInt64(`protocol`), UInt64(type.rawValue), UInt64(nextHopObject ?? 0)]
        if let source = sourcePrefix { numbers += [source.address.high, source.address.low, UInt64(source.length)] }
        return numbers
    }
}
