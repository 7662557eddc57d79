internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Lookups as connect(2) makes them: a second one with the source, and only where a rule or a route looks at it.
struct ConnectingTests {
    private let harness: CoreHarness
    private let internet: IPAddress
    private let source: IPAddress

    init() throws {
        harness = try CoreHarness()
        internet = try ip("198.41.0.4")
        source = try ip("10.1.0.2")
        harness.network.answers[LookupQuestion(destination: internet)] = way(2)
    }

    private func way(_ interface: UInt32, from source: IPAddress? = nil) -> RouteLookup.Outcome {
        .route(ResolvedRoute(interfaceIndex: interface, source: source ?? self.source))
    }

    private func rule(_ source: String, action: UInt8 = 1) throws -> RoutingRule {
        let source = try prefix(source)
        return RoutingRule(
            family: source.address.family,
            priority: 50,
            table: action == 1 ? 77 : 0,
            action: action,
            source: source
        )
    }

    private var sourced: LookupQuestion { LookupQuestion(destination: internet, source: source) }

    private var answer: RouteLookup? { harness.lastSnapshot?.lookups[internet] }

    @Test("without source rules or source-specific routes, no lookup has a source, however often links change")
    func noSourceNoLookup() throws {
        try harness.start()
        for _ in 0..<20 {
            harness.setLink(2, "eth0", [.up], .down)
            harness.setLink(2, "eth0", [.up, .lowerUp], .up)
            harness.turn()
        }
        #expect(!harness.network.questions.isEmpty)
        #expect(harness.network.questions.allSatisfy { $0.source == nil })
    }

    @Test("a source rule costs one more lookup for each answer")
    func oneMoreLookup() throws {
        try harness.start()
        let before = harness.network.questions.count
        let other = try CoreHarness()
        other.network.answers[LookupQuestion(destination: internet)] = way(2)
        other.network.rules.append(try rule("10.1.0.2/32"))
        try other.start()
        #expect(other.network.questions.filter { $0.source == source }.count == 1)
        #expect(other.network.questions.count == before + 1)
    }

    @Test("a source rule reroutes a connected socket, and both routes are in the answer")
    func elsewhere() throws {
        harness.network.rules.append(try rule("10.1.0.2/32"))
        harness.network.answers[sourced] = .route(ResolvedRoute(interfaceIndex: 3))
        try harness.start()
        #expect(answer?.outcome == way(3))
        #expect(answer?.unconnected == way(2))
    }

    @Test("a second lookup with the same result changes nothing")
    func same() throws {
        harness.network.rules.append(try rule("10.0.0.0/8"))
        harness.network.answers[sourced] = .route(ResolvedRoute(interfaceIndex: 2))
        try harness.start()
        #expect(answer?.outcome == way(2))
        #expect(answer?.unconnected == nil)
    }

    @Test("with source rules, each next hop of a route is looked up with its own source", arguments: [true, false])
    func legs(isRefused: Bool) throws {
        let other = try ip("10.3.0.2")
        let network = harness.network
        network.rules += [try rule("10.1.0.0/24"), try rule("10.3.0.0/24")]
        network.addresses = [(2, source), (3, other)].map {
            InterfaceAddress(interfaceIndex: $0.0, address: $0.1, prefixLength: 24)
        }
        let hops = try [(2, "10.1.0.1"), (3, "10.3.0.1")].map { NextHop(interfaceIndex: $0.0, gateway: try ip($0.1)) }
        network.matches[LookupQuestion(destination: internet)] = Route(destination: .everything(.ipv4), nextHops: hops)
        network.answers[sourced] = isRefused ? .refused(.unreachable) : .route(ResolvedRoute(interfaceIndex: 2))
        network.answers[LookupQuestion(destination: internet, source: other)] = .route(ResolvedRoute(interfaceIndex: 3))
        try harness.start()
        #expect(answer?.route?.interfaceIndex == (isRefused ? nil : 2))
        #expect(answer?.otherLegs == [ResolvedRoute(interfaceIndex: 3, source: other)])
    }

    @Test func `a next hop whose source is refused is none for connected sockets`() throws {
        let other = try ip("10.3.0.2")
        let network = harness.network
        network.rules.append(try rule("10.3.0.0/24", action: 7))
        network.addresses = [(2, source), (3, other)].map {
            InterfaceAddress(interfaceIndex: $0.0, address: $0.1, prefixLength: 24)
        }
        let hops = try [(2, "10.1.0.1"), (3, "10.3.0.1")].map { NextHop(interfaceIndex: $0.0, gateway: try ip($0.1)) }
        let route = Route(destination: .everything(.ipv4), nextHops: hops)
        for question in [LookupQuestion(destination: internet), sourced] {
            network.answers[question] = way(2)
            network.matches[question] = route
        }
        network.answers[LookupQuestion(destination: internet, source: other)] = .refused(.unreachable)
        network.links[2] = Link(index: 2, name: "eth0", flags: [.up], operationalState: .down)
        try harness.start()
        #expect(answer?.otherLegs == [])
        let path = PathCandidates(try #require(answer), in: try #require(harness.lastSnapshot)).selected
        #expect(path.unusableReason == .linkDown)
    }

    @Test("a source rule that rejects packets is distinguished from a missing route")
    func refused() throws {
        harness.network.rules.append(try rule("10.1.0.2/32", action: 7))
        harness.network.answers[sourced] = .refused(.noRoute)
        try harness.start()
        #expect(answer?.outcome == .refused(.unreachable))
        #expect(answer?.unconnected == way(2))
    }

    @Test("an address that has just been removed is not mistaken for a blackhole")
    func addressGone() throws {
        harness.network.rules.append(try rule("10.0.0.0/8"))
        harness.network.answers[sourced] = .refused(.blackhole)
        try harness.start()
        #expect(answer?.outcome == way(2))
    }

    @Test func `a source that the machine has is rejected by a blackhole, whatever its prefix`() throws {
        harness.network.rules.append(try rule("10.1.0.2/32"))
        harness.network.answers[sourced] = .refused(.blackhole)
        let own = ResolvedRoute(interfaceIndex: 1, table: Route.localTable, type: .local)
        harness.network.answers[LookupQuestion(destination: source)] = .route(own)
        try harness.start()
        #expect(answer?.outcome == .refused(.blackhole))
        #expect(answer?.unconnected == way(2))
    }

    @Test(
        "where IPv6 has no route without a source, the lookup uses the source that connect(2) chooses",
        arguments: ["::/0", "2000::/3", nil] as [String?]
    )
    func sourceSpecific(known: String?) throws {
        let internet = try ip("2001:503:ba3e::2:30")
        let source = try ip("2001:db8:1::2")
        let hop = NextHop(interfaceIndex: 2, gateway: try ip("fe80::1"))
        let from = try prefix("2001:db8:1::/64")
        let network = harness.network
        network.addresses = [InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 64)]
        // Only default routes are known, and of a long table not each of them.
        if let known {
            network.defaultRoutes.append(Route(destination: try prefix(known), nextHops: [hop], sourcePrefix: from))
        }
        for address in MonitorConfiguration.defaultInternetAddresses where address.family == .ipv6 {
            network.answers[LookupQuestion(destination: address)] = .refused(.noRoute)
        }
        network.connectedSource = .address(source)
        network.answers[LookupQuestion(destination: internet, source: source)] = way(2, from: source)
        try harness.start()
        #expect(harness.lastSnapshot?.lookups[internet]?.outcome == way(2, from: source))
        #expect(harness.lastSnapshot?.lookups[internet]?.unconnected == nil)
    }

    @Test func `a source-specific route that returns with the carrier is found, and lost with it`() throws {
        let internet = try ip("2001:503:ba3e::2:30")
        let source = try ip("2001:db8:1::2")
        let network = harness.network
        network.addresses = [InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 64)]
        let sourced = LookupQuestion(destination: internet, source: source)
        network.connectedSource = .address(source)
        try harness.start()
        for isUp in [false, true, false] {
            network.answers[sourced] = isUp ? way(2, from: source) : .refused(.noRoute)
            harness.setLink(2, "eth0", isUp ? [.up, .lowerUp] : [.up], isUp ? .up : .down)
            harness.turn()
            #expect((harness.lastSnapshot?.lookups[internet]?.route != nil) == isUp)
        }
    }

    @Test(
        "where IPv6 has no route and a rule rejects the source that connect(2) chooses, the result is the rule's",
        arguments: [
            (ConnectedSource.refused(.blackhole), RouteLookup.Refusal.blackhole),
            (.refused(.prohibited), .prohibited), (.refused(.unreachable), .unreachable),
            (.refused(.noRoute), .noRoute), (.refused(.failed(errno: 99)), .noRoute), (.unknown, .noRoute),
        ]
    )
    func refusedSource(connecting: ConnectedSource, expected: RouteLookup.Refusal) throws {
        let internet = try ip("2001:503:ba3e::2:30")
        let source = try ip("2001:db8:1::2")
        let network = harness.network
        network.addresses = [InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 64)]
        network.rules.append(try rule("2001:db8:1::2/128", action: 6))
        network.connectedSource = connecting
        try harness.start()
        #expect(harness.lastSnapshot?.lookups[internet]?.outcome == .refused(expected))
    }

    @Test func `an unreachable rule that a goto skips is not the reason for a missing route`() throws {
        harness.network.setDefault(nil)
        harness.network.answers[LookupQuestion(destination: internet)] = .refused(.noRoute)
        let skipping = RoutingRule(family: .ipv4, priority: 10, table: 0, action: 2, gotoPriority: 100)
        harness.network.rules = [
            skipping, RoutingRule(family: .ipv4, priority: 50, table: 0, action: 7),
            RoutingRule(family: .ipv4, priority: 100, table: 0, action: 3),
        ]
        try harness.start()
        #expect(answer?.outcome == .refused(.noRoute))
    }

    @Test(
        "an unreachable rule is distinguished from a missing route, unless its selectors cannot be evaluated",
        arguments: [true, false]
    )
    func unreachableRule(isKnown: Bool) throws {
        harness.network.setDefault(nil)
        harness.network.answers[LookupQuestion(destination: internet)] = .refused(.noRoute)
        harness.network.rules.append(
            RoutingRule(family: .ipv4, priority: 1, table: 0, action: 7, hasOtherSelectors: !isKnown)
        )
        try harness.start()
        #expect(answer?.outcome == .refused(isKnown ? .unreachable : .noRoute))
    }
    // MARK: Routes into a VRF

    /// Puts `wwan0` into a VRF, and the default route through the VRF.
    private func leak(_ family: AddressFamily) {
        let network = harness.network
        network.answers = [:]
        network.links[3]?.masterIndex = 9
        network.links[9] = Link(index: 9, name: "vrf10", flags: [.up, .lowerUp], driverKind: "vrf", vrfTable: 10)
        network.defaultRoutes = [Route(destination: .everything(family), nextHops: [NextHop(interfaceIndex: 9)])]
    }

    @Test(arguments: [("198.41.0.4", "10.3.0.2", "10.3.0.1"), ("2001:503:ba3e::2:30", "2001:db8:b::2", "fe80::1")])
    func `the path by a route into a VRF is that of its member`(address: String, own: String, gateway: String) throws {
        let (internet, source, router) = (try ip(address), try ip(own), try ip(gateway))
        leak(internet.family)
        let network = harness.network
        network.addresses = [InterfaceAddress(interfaceIndex: 3, address: source, prefixLength: 24)]
        let route = ResolvedRoute(interfaceIndex: 3, gateway: router, source: source, table: 10)
        let inside = LookupQuestion(destination: internet, interface: 9)
        network.answers[inside] = .route(route)
        network.matches[inside] = Route(
            destination: .everything(internet.family),
            table: 10,
            nextHops: [NextHop(interfaceIndex: 3, gateway: router)]
        )
        try harness.start()
        let path = try #require(harness.lastSnapshot?.internetPath(internet.family))
        #expect(path.route == route)
        #expect(path.isUsable)

        harness.setLink(3, "wwan0", [.up], .down)
        harness.turn()
        let lost = try #require(harness.lastSnapshot?.internetPath(internet.family))
        #expect(lost.unusableReason == .linkDown)
    }

    @Test func `the route inside a VRF is looked up again when only a link has changed`() throws {
        leak(.ipv4)
        let inside = LookupQuestion(destination: internet, source: source, interface: 9)
        harness.network.answers[LookupQuestion(destination: internet)] = way(9)
        harness.network.answers[inside] = way(3)
        try harness.start()
        #expect(answer?.outcome == way(3))

        harness.network.answers[inside] = .refused(.noRoute)
        harness.setLink(2, "eth0", [.up], .down)
        harness.turn()
        #expect(answer?.outcome == .refused(.noRoute))
    }

    @Test func `packets keep the source of the route into a VRF`() throws {
        leak(.ipv4)
        let (own, gateway) = (try ip("10.9.9.9"), try ip("10.3.0.1"))
        let network = harness.network
        network.addresses = [
            InterfaceAddress(interfaceIndex: 3, address: try ip("10.3.0.2"), prefixLength: 24),
            InterfaceAddress(interfaceIndex: 9, address: own, prefixLength: 32),
        ]
        network.answers[LookupQuestion(destination: internet)] = way(9, from: own)
        network.answers[LookupQuestion(destination: internet, source: own, interface: 9)] = .route(
            ResolvedRoute(interfaceIndex: 3, gateway: gateway, table: 10)
        )
        try harness.start()
        let expected = ResolvedRoute(interfaceIndex: 3, gateway: gateway, source: own, table: 10)
        #expect(answer?.outcome == .route(expected))
        #expect(harness.lastSnapshot?.internetPath(.ipv4)?.isUsable == true)
    }

    @Test(arguments: AddressFamily.allCases)
    func `a route into a VRF whose table has no route leads nowhere`(family: AddressFamily) throws {
        leak(family)
        let internet = try ip(family == .ipv4 ? "198.41.0.4" : "2001:503:ba3e::2:30")
        let own = try ip(family == .ipv4 ? "10.9.9.9" : "2001:db8:9::9")
        harness.network.addresses = [InterfaceAddress(interfaceIndex: 9, address: own, prefixLength: 32)]
        // An `unreachable` rule behind the table with the route is not evaluated, and not the reason.
        harness.network.rules.append(RoutingRule(family: family, priority: 32767, table: 0, action: 7))
        // The lookup inside the VRF continues with the main table, and finds the route into the VRF again.
        harness.network.answers[LookupQuestion(destination: internet)] = way(9, from: own)
        harness.network.answers[LookupQuestion(destination: internet, source: own, interface: 9)] = way(9, from: own)
        try harness.start()
        #expect(harness.lastSnapshot?.internetPath(family)?.unusableReason == .noRoute)
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `a route through several VRFs is that of the last one, which a loop does not have`(count: UInt32) throws {
        leak(.ipv4)
        harness.network.answers[LookupQuestion(destination: internet)] = way(9)
        for index in 9..<9 + count {
            let last = index == 8 + count
            harness.network.links[index] = Link(
                index: index,
                name: "vrf\(index)",
                flags: [.up, .lowerUp],
                driverKind: "vrf",
                vrfTable: index
            )
            let inside = LookupQuestion(destination: internet, source: source, interface: index)
            harness.network.answers[inside] = last ? way(3) : way(index + 1)
        }
        try harness.start()
        #expect(answer?.outcome == (count <= 4 ? way(3) : .refused(.noRoute)))

        let loop = LookupQuestion(destination: internet, source: source, interface: 8 + count)
        harness.network.answers[loop] = way(9)
        harness.setLink(2, "eth0", [.up], .down)
        harness.turn()
        #expect(answer?.outcome == .refused(.noRoute))
    }
}
