internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// More routers on a link than a network has, as forged router advertisements add them.
struct ManyRoutersTests {
    private static func route(through router: Router) -> Route {
        let hop = NextHop(interfaceIndex: router.interfaceIndex, gateway: router.address)
        return Route(destination: .everything(.ipv6), metric: 1024, nextHops: [hop])
    }

    @Test func `the router in use is known and watched, however many others there are`() throws {
        let harness = try CoreHarness()
        let used = Router(interfaceIndex: 3, address: try ip("fe80::ffff"))
        let others = try (1...40).map { Router(interfaceIndex: 3, address: try ip("fe80::\($0)")) }
        let internet = LookupQuestion(destination: try ip("2001:503:ba3e::2:30"))
        harness.network.defaultRoutes = (others + [used]).map(Self.route)
        harness.network.answers[internet] = .route(ResolvedRoute(interfaceIndex: 3, gateway: used.address))
        harness.network.matches[internet] = Self.route(through: used)
        try harness.start()
        let snapshot = try #require(harness.lastSnapshot)
        #expect(snapshot.defaultRoutes == others.prefix(Route.maximumRouters).map(Self.route))
        #expect(snapshot.uplinkRoutes.last == Self.route(through: used))
        #expect(harness.core.watched.routers.count == Router.maximumWatched)
        #expect(harness.core.watched.routers.keys.contains(used))
    }

    @Test func `routes of other metrics, interfaces, tables and sources are kept besides`() throws {
        let router = try ip("fe80::1")
        let routes = try (0..<20).flatMap { number -> [Route] in
            let hops = try [(2, "fe80::\(number)"), (3, "fe80::\(number)")].map {
                NextHop(interfaceIndex: $0, gateway: try ip($1))
            }
            let source = try prefix("2001:db8:\(number)::/48")
            return [
                Route(destination: .everything(.ipv6), metric: 1, nextHops: [hops[0]]),
                Route(destination: .everything(.ipv6), metric: 1, nextHops: [hops[1]]),
                Route(destination: .everything(.ipv6), metric: UInt32(2 + number), nextHops: [hops[0]]),
                Route(destination: .everything(.ipv6), table: UInt32(300 + number), nextHops: [hops[0]]),
                Route(
                    destination: .everything(.ipv6),
                    metric: 1,
                    nextHops: [NextHop(interfaceIndex: 2, gateway: router)],
                    sourcePrefix: source
                ),
            ]
        }
        let canonical = Route.canonical(routes)
        #expect(canonical.count == 2 * Route.maximumRouters + 3 * 20)
        #expect(Route.canonical(canonical.reversed()) == canonical)
    }
}
