internal import Testing

@testable internal import NetlinkMonitor

struct SnapshotDiffTests {
    private static func snapshot() -> NetworkSnapshot {
        let gateway = IPAddress(networkBytes: [192, 0, 2, 254])
        let address = IPAddress(networkBytes: [192, 0, 2, 1]) ?? .unspecified(.ipv4)
        let hop = NextHop(interfaceIndex: 2, gateway: gateway)
        let route = Route(destination: .everything(.ipv4), metric: 100, nextHops: [hop])
        return NetworkSnapshot(
            links: [
                Link(index: 2, name: "eth0", flags: [.up, .lowerUp], operationalState: .up),
                Link(index: 3, name: "tun0", flags: [.up, .lowerUp]),
            ],
            addresses: [InterfaceAddress(interfaceIndex: 2, address: address, prefixLength: 24)],
            defaultRoutes: [route],
            rules: [RoutingRule(family: .ipv4, priority: 32766, table: 254)],
            lookups: [
                RouteLookup(destination: address, outcome: .route(ResolvedRoute(interfaceIndex: 2)), matched: route)
            ],
            underlays: [3: Underlay(interfaceIndex: 2, evidence: .lowerDevice)],
            internetAddresses: [address]
        )
    }

    /// One thing that changes in a snapshot, and the changes that it is reported as.
    struct Step: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let codes: [NetworkChange.Code]
        let apply: @Sendable (inout NetworkSnapshot) -> Void

        init(
            _ what: String,
            _ codes: NetworkChange.Code...,
            apply: @escaping @Sendable (inout NetworkSnapshot) -> Void
        ) {
            testDescription = what
            self.codes = codes
            self.apply = apply
        }
    }

    static let linkSteps: [Step] = [
        Step("link added", .linkAdded) { $0.links[7] = Link(index: 7, name: "x") },
        Step("link removed", .linkRemoved) { $0.links[3] = nil },
        Step("renamed", .linkRenamed) { $0.links[2]?.name = "lan0" },
        Step("down", .linkDown) { $0.links[2]?.flags = [] },
        Step("no carrier", .linkDown) { $0.links[2]?.flags = [.up] },
        Step("dormant", .linkDown) { $0.links[2]?.operationalState = .dormant },
        Step("another flag", .linkChanged) { $0.links[2]?.flags.insert(.running) },
        Step("unknown state, still usable", .linkChanged) { $0.links[2]?.operationalState = .unknown },
        Step("master", .linkChanged) { $0.links[2]?.masterIndex = 9 },
        Step("alternative names", .linkChanged) { $0.links[2]?.alternativeNames = ["enp3s0"] },
        Step("another kind", .kindChanged) { $0.links[2]?.classification = .init(kind: .wifi, evidence: []) },
        Step("other evidence", .linkChanged) {
            $0.links[2]?.classification = .init(kind: .unknown, evidence: [.init(.bus, "usb")])
        },
        Step("renamed and down", .linkRenamed, .linkDown) {
            $0.links[2]?.name = "lan0"
            $0.links[2]?.flags = []
        },
    ]

    static let otherSteps: [Step] = [
        Step("address removed", .addressRemoved) { $0.addresses = [] },
        Step("address deprecated", .addressChanged) { $0.addresses = [$0.addresses[0].with([.deprecated])] },
        Step("address unusable", .addressRemoved) { $0.addresses = [$0.addresses[0].with([.tentative])] },
        Step("another prefix", .addressRemoved, .addressAdded) {
            $0.addresses = [InterfaceAddress(interfaceIndex: 2, address: $0.addresses[0].address, prefixLength: 25)]
        },
        Step("rules", .ruleChanged) { $0.rules = [] },
        Step("default route removed", .routeRemoved) { $0.defaultRoutes = [] },
        Step("default route replaced", .routeRemoved, .routeAdded) {
            $0.defaultRoutes = [Route(destination: .everything(.ipv4), metric: 200)]
        },
        Step("lookup", .lookupChanged) {
            for key in $0.lookups.keys { $0.lookups[key] = RouteLookup(destination: key, outcome: .refused(.noRoute)) }
        },
        Step("no lookup", .lookupChanged) { $0.lookups = [:] },
        Step("other addresses for the Internet", .lookupChanged) { $0.internetAddresses = [] },
        Step("underlay", .underlayChanged) { $0.underlays[3] = Underlay(interfaceIndex: nil, evidence: .remoteRoute) },
        Step("underlay unknown", .underlayChanged) { $0.underlays = [:] },
        Step("uncertain", .synchronizationChanged) { $0.isSynchronized = false },
    ]

    @Test("every difference is reported, with its code", arguments: linkSteps + otherSteps)
    func step(_ step: Step) {
        let before = Self.snapshot()
        var after = before
        step.apply(&after)
        #expect(after != before)
        #expect(after.diff(from: before).map(\.code) == step.codes)
        #expect(!before.diff(from: after).isEmpty)
        #expect(after.diff(from: after).isEmpty)
    }

    @Test func `a link without carrier that is set down is down, and only changes when it is set up`() {
        var without = Self.snapshot()
        without.links[2]?.flags = [.up]
        var down = without
        down.links[2]?.flags = []
        let changes = down.diff(from: without)
        #expect(changes.map(\.code) == [.linkDown])
        #expect(changes.first?.detail == "eth0: administratively down")
        #expect(without.diff(from: down).map(\.code) == [.linkChanged])
    }

    @Test("an address counts as added when it becomes usable")
    func tentative() {
        var tentative = Self.snapshot()
        tentative.addresses = [tentative.addresses[0].with([.tentative])]
        let changes = Self.snapshot().diff(from: tentative)
        #expect(changes.map(\.code) == [.addressAdded])
        #expect(changes.first?.family == .ipv4)
        #expect(changes.first?.interfaceName == "eth0")
    }

    @Test("causes come before effects")
    func order() {
        let before = Self.snapshot()
        var after = before
        for step in Self.otherSteps.reversed() { step.apply(&after) }
        after.links[2]?.flags = []
        let order: [NetworkChange.Code] = [
            .linkDown, .addressRemoved, .addressAdded, .ruleChanged, .routeRemoved, .routeAdded, .lookupChanged,
            .underlayChanged, .synchronizationChanged,
        ]
        let positions = after.diff(from: before).compactMap { order.firstIndex(of: $0.code) }
        #expect(positions == positions.sorted())
        #expect(positions.count >= 6)
    }

    @Test("a tunnel that a route begins or ceases to lead into is a changed lookup, not another underlay")
    func tunnelInUse() {
        var before = Self.snapshot()
        before.underlays = [:]
        var after = before
        for key in after.lookups.keys {
            let route = ResolvedRoute(interfaceIndex: 3)
            after.lookups[key] = RouteLookup(destination: key, outcome: .route(route), matched: nil)
        }
        after.underlays[3] = Underlay(interfaceIndex: 2, evidence: .nextDefaultRoute)
        let connected = after.diff(from: before)
        #expect(connected.map(\.code) == [.lookupChanged, .lookupChanged])
        #expect(connected.last?.detail == "tun0: carried by eth0")
        let disconnected = before.diff(from: after)
        #expect(disconnected.map(\.code) == [.lookupChanged, .lookupChanged])
        #expect(disconnected.first?.interfaceName == "eth0")
        #expect(disconnected.last?.detail == "tun0: no longer looked up")
        // The tunnel stays in use, and nothing is known of what carries it.
        var moved = after
        moved.underlays[3] = nil
        #expect(moved.diff(from: after).map(\.code) == [.underlayChanged])
    }

    @Test("changes that concern a removed link still carry its name")
    func namesOfTheRemoved() {
        let before = Self.snapshot()
        let changes = NetworkSnapshot().diff(from: before)
        #expect(changes.filter { $0.code == .addressRemoved }.map(\.interfaceName) == ["eth0"])
        #expect(
            changes.filter { $0.code == .routeRemoved }.map(\.detail) == ["default via 192.0.2.254 dev eth0 metric 100"]
        )
    }

    @Test("a link can pass packets only if it is up, has a carrier, and its operational state allows it")
    func usability() {
        for state in OperationalState.allCases {
            for (flags, hasBoth) in [
                ([.up, .lowerUp], true), ([.up, .running], false), ([.lowerUp], false), ([], false),
            ]
                as [(LinkFlags, Bool)]
            {
                let link = Link(index: 1, name: "x", flags: flags, operationalState: state)
                #expect(link.isUsable == (hasBoth && (state == .up || state == .unknown)))
                #expect((link.stateDescription == "up") == link.isUsable)
            }
        }
    }
}

extension InterfaceAddress {
    fileprivate func with(_ flags: Flags) -> InterfaceAddress {
        InterfaceAddress(interfaceIndex: interfaceIndex, address: address, prefixLength: prefixLength, flags: flags)
    }
}
