internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Changes of the selected route without a route message.
struct SilentChangeTests {
    private let harness: CoreHarness
    private let first: Router
    private let second: Router

    init() throws {
        harness = try CoreHarness()
        first = Router(interfaceIndex: 2, address: try ip("fe80::1"))
        second = Router(interfaceIndex: 3, address: try ip("fe80::2"))
    }

    private func defaultRoute(over router: Router, metric: UInt32) -> Route {
        Route(
            destination: .everything(router.address.family),
            metric: metric,
            nextHops: [NextHop(interfaceIndex: router.interfaceIndex, gateway: router.address)]
        )
    }

    private func startWithTwoRouters() throws {
        harness.network.defaultRoutes = [
            defaultRoute(over: first, metric: 1), defaultRoute(over: second, metric: 2),
        ]
        try harness.start()
        _ = harness.takeEvents()
    }

    private func announce(_ router: Router, _ state: NeighbourState, bits: UInt16) {
        harness.network.routerStates[router] = state
        let message = MessageBuilder.neighbour(router.address, interface: router.interfaceIndex, state: bits)
        harness.queue.entries.append(.datagram(NetlinkDatagram([message])))
        harness.turn()
    }

    /// Advances the time until no further lookup is due.
    private func passAllLookups() {
        while let due = harness.core.wakeDue {
            harness.clock.advance(by: harness.clock.now.instant.duration(to: due))
            harness.turn()
        }
    }

    @Test("the kernel switches away from a dead router and back, and the neighbour is the cause")
    func deadRouter() throws {
        try startWithTwoRouters()
        announce(first, .failed, bits: 0x20)
        #expect(harness.events.isEmpty)
        harness.clock.advance(by: .milliseconds(30))
        harness.turn()
        var update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code).prefix(2) == [.neighbourChanged, .lookupChanged])
        #expect(update.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 3)
        announce(first, .usable, bits: 0x02)
        update = try #require(harness.takeEvents().first?.update)
        #expect(update.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 2)
    }

    @Test("a failed router is the cause, not an address that was announced before the lookup")
    func addressInBetween() throws {
        try startWithTwoRouters()
        announce(first, .failed, bits: 0x20)
        let address = InterfaceAddress(interfaceIndex: 2, address: try ip("2001:db8:7::7"), prefixLength: 64)
        harness.queue.entries.append(.datagram(NetlinkDatagram([.address(address)])))
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code) == [.neighbourChanged, .addressAdded, .lookupChanged])
    }

    @Test("a router that is retried right after it failed has not been abandoned, however often that happens")
    func triedAgain() throws {
        try startWithTwoRouters()
        for _ in 0..<3 {
            announce(first, .failed, bits: 0x20)
            harness.clock.advance(by: .milliseconds(20))
            // The next packet: incomplete, which no message reports.
            harness.network.routerStates[first] = .usable
            passAllLookups()
        }
        #expect(harness.events.isEmpty)
    }

    @Test("the kernel returns to a router that is retried a while after it failed")
    func triedAgainLater() throws {
        try startWithTwoRouters()
        announce(first, .failed, bits: 0x20)
        harness.clock.advance(by: .milliseconds(30))
        harness.turn()
        #expect(harness.takeEvents().first?.update?.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 3)
        for pause in [30, 40] {
            harness.clock.advance(by: .milliseconds(pause))
            harness.turn()
            #expect(harness.takeEvents().isEmpty)
        }
        harness.network.routerStates[first] = .usable
        harness.clock.advance(by: .milliseconds(100))
        harness.turn()
        #expect(harness.takeEvents().first?.update?.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 2)
        #expect(harness.core.failedRouters.due == nil)
    }

    @Test("the kernel returns to an abandoned router that it tries again at once after each failure")
    func triedAgainLastingly() throws {
        try startWithTwoRouters()
        announce(first, .failed, bits: 0x20)
        harness.clock.advance(by: .milliseconds(30))
        harness.turn()
        #expect(harness.takeEvents().first?.update?.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 3)
        passAllLookups()
        #expect(harness.events.isEmpty)
        // A tunnel's packets, for example: each failure is announced, and no attempt is.
        announce(first, .failed, bits: 0x20)
        #expect(harness.events.isEmpty)
        harness.network.routerStates[first] = .usable
        harness.clock.advance(by: .milliseconds(30))
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 2)
        #expect(update.changes.map(\.code).prefix(2) == [.neighbourChanged, .lookupChanged])
    }

    @Test("a router that only becomes stale causes no update")
    func stale() throws {
        try startWithTwoRouters()
        let filters = harness.queue.watched.count
        for bits: UInt16 in [0x02, 0x04, 0x08, 0x10] { announce(first, .usable, bits: bits) }
        #expect(harness.events.isEmpty)
        #expect(harness.queue.watched.count == filters)
        #expect(harness.core.wakeDue == nil)
    }

    @Test("without a choice of routers, none is watched")
    func withoutChoice() throws {
        harness.network.defaultRoutes = [defaultRoute(over: first, metric: 1)]
        try harness.start()
        #expect(harness.queue.watched.allSatisfy { $0.routers.isEmpty })
        #expect(harness.core.watched.routers.isEmpty)
    }

    @Test("the router of a part of the default route is watched", arguments: [("2000::/3", true), ("::/0", false)])
    func part(text: String, isWatched: Bool) throws {
        let route = ResolvedRoute(interfaceIndex: first.interfaceIndex, gateway: first.address)
        let matched = Route(destination: try prefix(text))
        let lookup = RouteLookup(destination: first.address, outcome: .route(route), matched: matched)
        #expect(Router.choices([], [lookup]) == (isWatched ? [first] : []))
    }

    @Test(
        "an IPv6 route that rejects packets is an alternative to a router, except with the maximum metric",
        arguments: [
            (.unreachable, 1024, true), (.blackhole, 1024, true), (.prohibit, 1024, true), (.unreachable, .max, false),
        ] as [(RouteType, UInt32, Bool)]
    )
    func refusal(type: RouteType, metric: UInt32, isChoice: Bool) {
        let routes = [
            defaultRoute(over: first, metric: 1), Route(destination: .everything(.ipv6), type: type, metric: metric),
        ]
        #expect(Router.choices(routes, []) == (isChoice ? [first] : []))
    }

    @Test(
        "IPv4 chooses only among routers with the same metric",
        arguments: [(100, 100, true), (100, 200, false)] as [(UInt32, UInt32, Bool)]
    )
    func ipv4(one: UInt32, other: UInt32, isChoice: Bool) throws {
        let routers = try [(2, "192.0.2.1"), (3, "198.51.100.1")].map { index, address in
            Router(interfaceIndex: index, address: try ip(address))
        }
        let routes = [defaultRoute(over: routers[0], metric: one), defaultRoute(over: routers[1], metric: other)]
        #expect(Router.choices(routes, []) == (isChoice ? Set(routers) : []))
    }

    @Test("a route is reread when it expires, and its expiry is the cause")
    func expiry() throws {
        harness.network.lifetime = .seconds(3)
        try startWithTwoRouters()
        let due = try #require(harness.core.wakeDue)
        #expect(harness.clock.now.instant.duration(to: due) == .milliseconds(3020))
        harness.network.defaultRoutes.removeFirst()
        harness.network.lifetime = nil
        harness.turn()
        #expect(harness.events.isEmpty)
        harness.clock.advance(by: .milliseconds(3020))
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code).prefix(2) == [.routeExpired, .lookupChanged])
        #expect(update.changes.first?.interfaceName == "eth0")
        // The second and third look follow, and then nothing is due any more.
        for _ in 0..<3 {
            harness.clock.advance(by: .milliseconds(60))
            harness.turn()
        }
        #expect(harness.events.isEmpty)
        #expect(harness.core.wakeDue == nil)
    }

    @Test("a route that comes back after its expiry, without a message, is found as long as the kernel keeps it")
    func returned() throws {
        harness.network.lifetime = .seconds(3)
        harness.network.defaultRoutes = [defaultRoute(over: first, metric: 1)]
        try harness.start()
        _ = harness.takeEvents()
        let routes = harness.network.defaultRoutes
        (harness.network.defaultRoutes, harness.network.lifetime, harness.network.hasExpired) = ([], nil, true)
        harness.clock.advance(by: .milliseconds(3020))
        harness.turn()
        let lost = try #require(harness.takeEvents().first?.update)
        #expect(lost.changes.map(\.code).first == .routeExpired)
        #expect(lost.snapshot.internetLookup(.ipv6)?.route == nil)
        for _ in 0..<5 {
            harness.clock.advance(by: .seconds(1))
            harness.turn()
            #expect(harness.takeEvents().isEmpty)
        }
        (harness.network.defaultRoutes, harness.network.lifetime) = (routes, .seconds(9))
        harness.network.hasExpired = false
        harness.clock.advance(by: .seconds(1))
        harness.turn()
        let found = try #require(harness.takeEvents().first?.update)
        #expect(found.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 2)
        #expect(!found.changes.map(\.code).contains(.routeExpired))
        #expect(harness.core.returnDue == nil)
    }

    @Test("after an expiry nothing is due once the kernel has removed the route")
    func removed() throws {
        harness.network.hasExpired = true
        try harness.start()
        #expect(harness.core.returnDue != nil)
        harness.network.hasExpired = false
        harness.clock.advance(by: .seconds(1))
        harness.turn()
        #expect(harness.core.returnDue == nil)
    }

    @Test("a silently refreshed route rearms the timer and causes no update")
    func refreshed() throws {
        harness.network.lifetime = .seconds(1800)
        try startWithTwoRouters()
        harness.clock.advance(by: .seconds(1801))
        harness.turn()
        #expect(harness.events.isEmpty)
        #expect(harness.core.expiryDue.map { $0 > harness.clock.now.instant } == true)
    }

    @Test("a route to a target that comes back after its expiry is found as long as the kernel may keep it")
    func returnedEntry() throws {
        let target = try ip("2001:db8:ffff::1")
        let question = LookupQuestion(destination: target)
        let hop = NextHop(interfaceIndex: 2, gateway: first.address)
        let entry = Route(destination: try prefix("2001:db8:ffff::/48"), nextHops: [hop])
        let outcome = RouteLookup.Outcome.route(ResolvedRoute(interfaceIndex: 2, gateway: first.address))
        let harness = try CoreHarness(targets: [target])
        let network = harness.network
        (network.answers[question], network.matches[question]) = (outcome, entry)
        network.lifetime = .seconds(3)
        try harness.start()
        _ = harness.takeEvents()
        (network.answers[question], network.matches[question], network.lifetime) = (nil, nil, nil)
        harness.clock.advance(by: .milliseconds(3020))
        harness.turn()
        let lost = try #require(harness.takeEvents().first?.update)
        #expect(lost.snapshot.lookups[target]?.route == nil)
        for _ in 0..<5 {
            harness.clock.advance(by: .seconds(1))
            harness.turn()
            #expect(harness.takeEvents().isEmpty)
        }
        (network.answers[question], network.matches[question]) = (outcome, entry)
        harness.clock.advance(by: .seconds(1))
        harness.turn()
        let found = try #require(harness.takeEvents().first?.update)
        #expect(found.snapshot.lookups[target]?.route?.interfaceIndex == 2)
        for _ in 0..<60 {
            harness.clock.advance(by: .seconds(1))
            harness.turn()
        }
        #expect(harness.core.wakeDue == nil)
    }

    @Test("an address of a router advertisement, new or refreshed, makes the lifetimes of default routes be reread")
    func shorterLifetime() throws {
        harness.network.lifetime = .seconds(1800)
        try startWithTwoRouters()
        let address = InterfaceAddress(interfaceIndex: 2, address: try ip("2001:db8::2"), prefixLength: 64, flags: [])
        for novelty in ["new", "refreshed"] {
            let read = harness.network.tableDumps
            harness.queue.entries = [.datagram(NetlinkDatagram([.address(address)]))]
            harness.turn()
            #expect(harness.network.tableDumps == read + 1, "\(novelty)")
        }
    }

    @Test("an address that the kernel keeps while its link is down is tentative until it has been checked again")
    func keptAddress() throws {
        let address = try ip("2001:db8::2")
        func kept(_ flags: InterfaceAddress.Flags) -> InterfaceAddress {
            InterfaceAddress(interfaceIndex: 2, address: address, prefixLength: 64, flags: flags)
        }
        harness.network.addresses = [kept([.permanent])]
        try harness.start()
        harness.setLink(2, "eth0", [], .down)
        harness.turn()
        // The kernel marks the address after the link's message.
        harness.network.addresses = [kept([.permanent, .tentative])]
        passAllLookups()
        #expect(harness.lastSnapshot?.addresses == [kept([.permanent, .tentative])])
        harness.setLink(2, "eth0", [.up, .lowerUp])
        harness.turn()
        passAllLookups()
        #expect(harness.lastSnapshot?.addresses == [kept([.permanent, .tentative])])
        _ = harness.takeEvents()
        harness.network.addresses = [kept([.permanent])]
        harness.queue.entries = [.datagram(NetlinkDatagram([.address(kept([.permanent]))]))]
        harness.turn()
        #expect(harness.takeEvents().first?.update?.changes.map(\.code) == [.addressAdded])
        #expect(harness.lastSnapshot?.addresses == [kept([.permanent])])
    }

    @Test("the repeated message about a permanent IPv6 address leads to new lookups")
    func repeatedAddress() throws {
        let address = InterfaceAddress(interfaceIndex: 2, address: try ip("2001:db8::2"), prefixLength: 64)
        harness.network.addresses = [address]
        try harness.start()
        #expect(harness.lastSnapshot?.internetLookup(.ipv6)?.route == nil)
        harness.network.defaultRoutes = [defaultRoute(over: first, metric: 1)]
        harness.queue.entries = [.datagram(NetlinkDatagram([.address(address)]))]
        harness.turn()
        #expect(harness.lastSnapshot?.internetLookup(.ipv6)?.route?.interfaceIndex == 2)
    }

    @Test(
        "a default route whose links are all down is gone, however long the kernel takes to remove it",
        arguments: [
            (.unicast, [2], false), (.unicast, [2, 3], true), (.unreachable, [2], true),
        ] as [(RouteType, [UInt32], Bool)]
    )
    func slowRemoval(type: RouteType, interfaces: [UInt32], isKept: Bool) throws {
        let hops = interfaces.map { NextHop(interfaceIndex: $0) }
        let route = Route(destination: .everything(.ipv6), type: type, nextHops: hops)
        harness.network.defaultRoutes = [route]
        try harness.start()
        #expect(harness.lastSnapshot?.defaultRoutes == [route])
        harness.setLink(2, "eth0", [], .down)
        harness.turn()
        passAllLookups()
        #expect(harness.lastSnapshot?.defaultRoutes == (isKept ? [route] : []))
    }
}
