internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The kernel's selection among the legs of a route, which it changes without a message about routes.
struct NextHopGroupTests {
    /// Two routers of one family on two uplinks, and a destination that represents the Internet.
    private struct Legs {
        let routers: [Router]
        let internet: IPAddress

        init(_ family: AddressFamily) throws {
            routers = try (family == .ipv4 ? ["192.0.2.1", "198.51.100.1"] : ["fe80::1", "fe80::2"]).enumerated().map {
                Router(interfaceIndex: UInt32(2 + $0), address: try ip($1))
            }
            internet = try ip(family == .ipv4 ? "198.41.0.4" : "2001:503:ba3e::2:30")
        }

        func entry(_ text: String, legs: Int = 2, object: UInt32? = 3) throws -> Route {
            let hops = routers.prefix(legs).map { NextHop(interfaceIndex: $0.interfaceIndex, gateway: $0.address) }
            return Route(destination: try prefix(text), nextHops: hops, nextHopObject: object)
        }

        func answer(_ leg: Int) -> RouteLookup.Outcome {
            .route(ResolvedRoute(interfaceIndex: routers[leg].interfaceIndex, gateway: routers[leg].address))
        }
    }

    private let harness: CoreHarness

    init() throws {
        harness = try CoreHarness()
        harness.network.defaultRoutes = []
    }

    private func start(_ legs: Legs, _ entry: Route) throws {
        for router in legs.routers { harness.network.routerStates[router] = .usable }
        harness.network.matches[LookupQuestion(destination: legs.internet)] = entry
        select(0, of: legs)
        try harness.start()
        _ = harness.takeEvents()
    }

    private func select(_ leg: Int, of legs: Legs) {
        harness.network.answers[LookupQuestion(destination: legs.internet)] = legs.answer(leg)
    }

    private func receive(_ message: MessageBuilder) {
        harness.queue.entries.append(.datagram(NetlinkDatagram([message])))
        harness.turn()
    }

    private func receive(_ state: NeighbourState, of router: Router, bits: UInt16) {
        harness.network.routerStates[router] = state
        receive(.neighbour(router.address, interface: router.interfaceIndex, state: bits))
    }

    private func receiveAddress() throws {
        receive(.address(InterfaceAddress(interfaceIndex: 2, address: try ip("2001:db8::7"), prefixLength: 64)))
    }

    /// Advances the time until no further lookup is due, and returns the number of turns.
    private func passAllLookups() -> Int {
        var turns = 0
        while let due = harness.core.wakeDue, turns < 100 {
            harness.clock.advance(by: harness.clock.now.instant.duration(to: due))
            harness.turn()
            turns += 1
        }
        return turns
    }

    @Test(
        arguments: [
            ("0.0.0.0/0", 2, 3, true, true), ("0.0.0.0/1", 2, 3, true, true), ("198.41.0.0/24", 2, nil, true, true),
            ("0.0.0.0/1", 1, 3, false, false), ("::/0", 2, 3, true, true), ("2000::/3", 2, 3, true, true),
            ("2000::/3", 2, nil, true, false), ("::/0", 1, 3, false, false),
        ] as [(String, Int, UInt32?, Bool, Bool)]
    )
    func `the routers of the legs of the deciding entry are watched, whatever its prefix is`(
        prefix: String,
        count: Int,
        object: UInt32?,
        areWatched: Bool,
        needValidity: Bool
    ) throws {
        let legs = try Legs(prefix.contains(":" as Character) ? .ipv6 : .ipv4)
        let entry = try legs.entry(prefix, legs: count, object: object)
        let lookup = RouteLookup(destination: legs.internet, outcome: legs.answer(0), matched: entry)
        let routes = entry.destination.isDefault ? [entry] : []
        #expect(Router.choices(routes, [lookup]) == (areWatched ? Set(legs.routers) : []))
        #expect(Router.validityChoices(routes, [entry]) == (needValidity ? Set(legs.routers) : []))
    }

    @Test(arguments: ["0.0.0.0/1", "198.41.0.0/24", "2000::/3"])
    func `the path follows the kernel from a dead leg to another one`(prefix: String) throws {
        let legs = try Legs(prefix.contains(":" as Character) ? .ipv6 : .ipv4)
        try start(legs, try legs.entry(prefix))
        #expect(harness.queue.watched.last?.routers.keys.sorted() == legs.routers)
        select(1, of: legs)
        receive(.failed, of: legs.routers[0], bits: 0x20)
        harness.clock.advance(by: .milliseconds(30))
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code) == [.neighbourChanged, .lookupChanged])
        #expect(update.snapshot.internetLookup(legs.internet.family)?.route?.interfaceIndex == 3)
    }

    @Test func `the legs among which the lookup without a source chose are watched`() throws {
        let legs = try Legs(.ipv4)
        let source = try ip("192.0.2.7")
        let first = ResolvedRoute(interfaceIndex: 2, gateway: legs.routers[0].address, source: source)
        let second = ResolvedRoute(interfaceIndex: 2, gateway: legs.routers[0].address, table: 101)
        let questions = [nil, source].map { LookupQuestion(destination: legs.internet, source: $0) }
        harness.network.answers = [questions[0]: .route(first), questions[1]: .route(second)]
        harness.network.matches = try [
            questions[0]: legs.entry("0.0.0.0/1"), questions[1]: legs.entry("0.0.0.0/0", legs: 1),
        ]
        harness.network.rules.append(
            RoutingRule(family: .ipv4, priority: 9, table: 101, source: try prefix("192.0.2.0/24"))
        )
        try harness.start()
        #expect(harness.lastSnapshot?.internetLookup(.ipv4)?.route?.table == 101)
        #expect(harness.core.watched.routers.keys.sorted() == legs.routers)
    }

    @Test func `the path returns to an IPv6 leg that was being resolved during a lookup`() throws {
        let legs = try Legs(.ipv6)
        try start(legs, try legs.entry("::/0"))
        // An incomplete entry has no message.
        harness.network.routerStates[legs.routers[0]] = .resolving
        select(1, of: legs)
        try receiveAddress()
        var update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code) == [.neighbourChanged, .addressAdded, .lookupChanged])
        #expect(update.changes.first?.detail == "router fe80::1 has not answered yet")
        #expect(update.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 3)
        #expect(passAllLookups() == 2)
        select(0, of: legs)
        receive(.usable, of: legs.routers[0], bits: 0x02)
        update = try #require(harness.takeEvents().first?.update)
        #expect(update.changes.map(\.code) == [.neighbourChanged, .lookupChanged])
        #expect(update.snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 2)
    }

    @Test(arguments: [3, nil] as [UInt32?])
    func `an IPv6 router that stays unresolved costs no lookups, nor does its answer without a group`(
        object: UInt32?
    ) throws {
        let legs = try Legs(.ipv6)
        try start(legs, try legs.entry("2000::/3", object: object))
        harness.network.routerStates[legs.routers[0]] = .resolving
        try receiveAddress()
        #expect(passAllLookups() == 2)
        harness.clock.advance(by: .seconds(60))
        #expect(harness.core.wakeDue == nil)
        #expect(harness.core.watched.routers[legs.routers[0]] == (object == nil ? .usable : .resolving))
        let asked = harness.network.questions.count
        receive(.resolving, of: legs.routers[0], bits: 0x01)
        #expect(harness.network.questions.count == asked)
        receive(.usable, of: legs.routers[0], bits: 0x02)
        #expect((harness.network.questions.count > asked) == (object != nil))
    }

    @Test func `the routers of a route need a valid entry once it becomes a group, and no longer when it was one`()
        throws
    {
        let legs = try Legs(.ipv6)
        try start(legs, try legs.entry("2000::/3", object: nil))
        harness.network.routerStates[legs.routers[0]] = .resolving
        for (object, state) in [(3, .resolving), (nil, .usable)] as [(UInt32?, NeighbourState)] {
            let entry = try legs.entry("2000::/3", object: object)
            harness.network.matches[LookupQuestion(destination: legs.internet)] = entry
            receive(.route(entry))
            #expect(harness.core.watched.routers[legs.routers[0]] == state)
        }
    }

    @Test func `a bucket of a resilient group that moves repeats the lookups`() throws {
        let legs = try Legs(.ipv4)
        try start(legs, try legs.entry("0.0.0.0/0"))
        let read = harness.network.tableDumps
        select(1, of: legs)
        receive(.nextHopBucket(5, of: 3, nextHop: 2))
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.snapshot.internetLookup(.ipv4)?.route?.interfaceIndex == 3)
        #expect(harness.network.tableDumps == read)
    }
}
