import NetlinkMonitor
import Testing

@testable import Reachability

/// Ways that the kernel names and packets do not take: bridges without an uplink, dead ends, borrowed addresses, dead legs;
/// the extension has the addresses of other providers and of links.
struct PathDeadEndTests {
    static func link(
        _ index: UInt32,
        _ name: String,
        _ kind: InterfaceKind = .wired,
        driver: String? = nil,
        master: UInt32? = nil,
        isUp: Bool = true,
        flags: LinkFlags = []
    ) -> Link {
        Link(
            index: index,
            name: name,
            flags: flags.union(isUp ? [.up, .lowerUp] : [.up]),
            operationalState: isUp ? .up : .down,
            driverKind: driver,
            masterIndex: master,
            classification: InterfaceClassification(kind: kind, evidence: [])
        )
    }

    static func address(_ text: String) -> IPAddress { IPAddress(text) ?? .unspecified(.ipv4) }

    static func owned(
        _ text: String,
        by index: UInt32,
        _ flags: InterfaceAddress.Flags = [.permanent]
    ) -> InterfaceAddress {
        InterfaceAddress(interfaceIndex: index, address: address(text), prefixLength: 24, flags: flags)
    }

    func path(
        _ links: [Link],
        through index: UInt32 = 3,
        gateway: String? = nil,
        source: String = "192.0.2.2",
        destination: String = "198.41.0.4",
        addresses: [InterfaceAddress]? = nil,
        routes: [Route] = [],
        matched: Route? = nil,
        type: RouteType = .unicast
    ) -> Path {
        let source = Self.address(source)
        let gateway = gateway.map(Self.address)
        let route = ResolvedRoute(interfaceIndex: index, gateway: gateway, source: source, type: type)
        let own = [InterfaceAddress(interfaceIndex: index, address: source, prefixLength: 24)]
        return Path(
            RouteLookup(destination: Self.address(destination), outcome: .route(route), matched: matched),
            in: NetworkSnapshot(links: links, addresses: addresses ?? own, defaultRoutes: routes)
        )
    }

    struct Bridge: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ports: [Link]
        let isUsable: Bool

        init(_ text: String, _ ports: [Link], isUsable: Bool) {
            testDescription = text
            self.ports = ports
            self.isUsable = isUsable
        }
    }

    static let bridges = [
        Bridge("no port", [], isUsable: false),
        Bridge("a network card", [link(4, "eth0", master: 3)], isUsable: true),
        Bridge("a card without a carrier", [link(4, "eth0", master: 3, isUp: false)], isUsable: false),
        Bridge(
            "a card without a carrier, and a guest",
            [link(4, "eth0", master: 3, isUp: false), link(5, "vnet0", .tunnel, driver: "tun", master: 3)],
            isUsable: false
        ),
        Bridge(
            "a card without a carrier, and a container",
            [link(4, "eth0", master: 3, isUp: false), link(5, "veth0", .virtual, driver: "veth", master: 3)],
            isUsable: false
        ),
        Bridge(
            "two cards, one without a carrier",
            [link(4, "eth0", master: 3, isUp: false), link(5, "eth1", master: 3)],
            isUsable: true
        ),
        Bridge(
            "a guest alone, which may be the router",
            [link(5, "vnet0", .tunnel, driver: "tun", master: 3)],
            isUsable: true
        ),
        Bridge(
            "a kernel tunnel and a guest",
            [
                link(4, "vx0", .tunnel, driver: "vxlan", master: 3, isUp: false),
                link(5, "vnet0", .tunnel, driver: "tun", master: 3),
            ],
            isUsable: false
        ),
        Bridge("a card of another bridge", [link(4, "eth0", master: 9)], isUsable: false),
    ]

    @Test("a bridge passes packets if one of its ports that lead out does", arguments: bridges)
    func bridge(_ row: Bridge) {
        let path = path([Self.link(3, "br0", driver: "bridge")] + row.ports)
        #expect(path.via == (row.isUsable ? .wired : .none))
        #expect(path.reason == (row.isUsable ? nil : .linkDown))
    }

    @Test(
        "a bridge with a carrier passes packets before its operational state is up; a network card does not",
        arguments: [("bridge", Via.wired), (nil, Via.none)] as [(String?, Via)]
    )
    func operationalStateIsBehind(driver: String?, via: Via) {
        var device = Self.link(3, "br0", driver: driver)
        device.operationalState = .down
        #expect(path([device, Self.link(4, "eth0", master: 3)]).via == via)
        device.flags.remove(.lowerUp)
        #expect(path([device, Self.link(4, "eth0", master: 3)]).via == .none)
    }

    @Test("a VLAN passes packets if its lower interface does, even if that is a bridge", arguments: [true, false])
    func vlanOnBridge(isUp: Bool) {
        var vlan = Self.link(3, "br0.7", driver: "vlan")
        vlan.lowerIndex = 8
        let links = [vlan, Self.link(8, "br0", driver: "bridge"), Self.link(4, "eth0", master: 8, isUp: isUp)]
        #expect(path(links).via == (isUp ? .wired : .none))
    }

    @Test(arguments: [("eth0", Via.wired), ("vx0", .other)])
    func `a bridge over its kernel tunnel alone has no known medium, as a path and as an uplink`(
        port: String,
        via: Via
    ) throws {
        var bridge = Self.link(3, "br0", driver: "bridge")
        bridge.classification = .init(kind: .wired, evidence: [.init(.driverKind, "bridge"), .init(.lower, "eth0")])
        let links = [
            bridge, Self.link(4, "eth0", master: 3, isUp: port == "eth0"),
            Self.link(5, "vx0", .tunnel, driver: "vxlan", master: 3, isUp: port == "vx0"),
        ]
        #expect(path(links).via == via)
        let standby = Route(destination: .everything(.ipv4), nextHops: [NextHop(interfaceIndex: 3)])
        let snapshot = NetworkSnapshot(
            links: links,
            addresses: [Self.owned("192.0.2.2", by: 3)],
            defaultRoutes: [standby]
        )
        let uplink = try #require(Vantages(snapshot).uplinks.first)
        #expect(uplink.egresses.ipv4?.via == via)
        #expect(uplink.interface.kind == .wired)
    }

    @Test("a cycle of stacked interfaces passes no packets and causes no endless loop")
    func ring() {
        var one = Self.link(3, "a", driver: "macvlan")
        var other = Self.link(4, "b", driver: "macvlan")
        one.lowerIndex = 4
        other.lowerIndex = 3
        #expect(path([one, other]).reason == .linkDown)
    }

    @Test("a route through the loopback or a dummy leads nowhere, unless the operator overrides it")
    func deadEnds() {
        let dummy = Self.link(3, "dummy0", .virtual, driver: "dummy")
        #expect(path([Self.link(3, "lo", .loopback, flags: .loopback)]).reason == .leadsNowhere)
        #expect(path([dummy]).reason == .leadsNowhere)
        var named = dummy
        named.classification = .init(kind: .wired, evidence: [.init(.override, "dummy*=wired")])
        #expect(path([named]).via == .wired)
        // The machine's own address.
        #expect(path([Self.link(3, "lo", .loopback, flags: .loopback)], type: .local).via == .other)
    }

    @Test(
        "a route through what stands on a dummy alone leads nowhere",
        arguments: [("bridge", nil), ("bond", nil), ("vlan", 4), ("macvlan", 4)] as [(String, UInt32?)]
    )
    func stackedDeadEnds(driver: String, lower: UInt32?) {
        var top = Self.link(3, "top0", driver: driver)
        top.lowerIndex = lower
        var dummy = Self.link(4, "dummy0", .virtual, driver: "dummy", master: lower == nil ? 3 : nil)
        #expect(path([top, dummy]).reason == .leadsNowhere)
        dummy.flags.remove(.lowerUp)
        #expect(path([top, dummy]).reason == .linkDown)
    }

    @Test(
        "an address of another device is a valid source only from the loopback, a dummy or a VRF",
        arguments: [
            (link(7, "docker0", .bridge, driver: "bridge"), ReasonCode.noAddress),
            (link(7, "lo", .loopback, flags: .loopback), nil),
            (link(7, "dummy0", .virtual, driver: "dummy"), nil), (link(7, "vrf0", .virtual, driver: "vrf"), nil),
        ] as [(Link, ReasonCode?)]
    )
    func borrowed(_ owner: Link, _ reason: ReasonCode?) {
        let links = [Self.link(3, "eth0"), owner]
        #expect(path(links, source: "172.17.0.1", addresses: [Self.owned("172.17.0.1", by: 7)]).reason == reason)
    }

    @Test("a source that the route itself names is the operator's choice")
    func preferredSource() {
        let links = [Self.link(3, "eth0"), Self.link(7, "br0", .bridge, driver: "bridge")]
        let matched = Route(destination: .everything(.ipv4), preferredSource: Self.address("192.0.2.2"))
        #expect(path(links, addresses: [Self.owned("192.0.2.2", by: 7)], matched: matched).via == .wired)
    }

    @Test(
        "a global IPv6 address of another interface is a source once the link-local one can solicit the router",
        arguments: [
            ([.permanent], [], nil), ([.tentative], [], .addressTentative),
            ([.duplicateDetected, .tentative], [], .noAddress),
            (nil, [], .noAddress), (nil, .noARP, nil),
        ] as [(InterfaceAddress.Flags?, LinkFlags, ReasonCode?)]
    )
    func linkLocal(_ flags: InterfaceAddress.Flags?, _ link: LinkFlags, _ reason: ReasonCode?) {
        let own = flags.map { [Self.owned("fe80::1", by: 3, $0)] } ?? []
        let path = path(
            [Self.link(3, "wlan0", flags: link), Self.link(7, "br-lan", .bridge, driver: "bridge")],
            source: "2001:db8::1",
            destination: "2001:503:ba3e::2:30",
            addresses: own + [Self.owned("2001:db8::1", by: 7)]
        )
        #expect(path.reason == reason)
        #expect(path.via == (reason == nil ? .wired : .none))
    }

    @Test(
        "one usable next hop of several is enough, whichever the kernel's answer names",
        arguments: [(true, true), (false, true), (true, false), (false, false)]
    )
    func legs(firstIsUp: Bool, secondIsUp: Bool) {
        let links = [
            Self.link(3, "wlan0", .wifi, isUp: firstIsUp), Self.link(4, "eth0", isUp: secondIsUp),
        ]
        let gateways = [Self.address("192.0.2.1"), Self.address("198.51.100.1")]
        let hops = [NextHop(interfaceIndex: 3, gateway: gateways[0]), NextHop(interfaceIndex: 4, gateway: gateways[1])]
        for (index, source) in [(UInt32(3), "192.0.2.2"), (4, "198.51.100.2")] {
            let route = ResolvedRoute(
                interfaceIndex: index,
                gateway: gateways[Int(index) - 3],
                source: Self.address(source)
            )
            let path = Path(
                RouteLookup(
                    destination: Self.address("198.41.0.4"),
                    outcome: .route(route),
                    matched: Route(destination: .everything(.ipv4), nextHops: hops)
                ),
                in: NetworkSnapshot(
                    links: links,
                    addresses: [Self.owned("192.0.2.2", by: 3), Self.owned("198.51.100.2", by: 4)]
                )
            )
            let dead = [("wlan0", firstIsUp), ("eth0", secondIsUp)].filter { !$0.1 }.map(\.0)
            #expect(path.deadLegs.map(\.interface) == dead)
            #expect(path.deadLegs.allSatisfy { $0.reason == .linkDown })
            #expect(path.via.isReachable == (firstIsUp || secondIsUp))
            guard path.via.isReachable else { continue }
            let expected: UInt32 = firstIsUp && secondIsUp ? index : firstIsUp ? 3 : 4
            #expect(path.interface?.index == expected)
            #expect(path.gateway == gateways[Int(expected) - 3])
            #expect(path.source == Self.address(expected == 3 ? "192.0.2.2" : "198.51.100.2"))
        }
    }

    /// Two legs whose interfaces have no address of their own, and the owner of the answer's source.
    struct LentLegs: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var source = "10.0.0.11"
        let owner: Link?
        var linkLocal: InterfaceAddress.Flags?
        let reason: ReasonCode?

        static let cases = [
            LentLegs(testDescription: "the loopback", owner: link(7, "lo", .loopback, flags: .loopback), reason: nil),
            LentLegs(testDescription: "a dummy", owner: link(7, "d0", .virtual, driver: "dummy"), reason: nil),
            LentLegs(
                testDescription: "a bridge, which does not lend",
                owner: link(7, "docker0", .bridge, driver: "bridge"),
                reason: .noAddress
            ),
            LentLegs(testDescription: "no interface yet", owner: nil, reason: .noAddress),
            LentLegs(
                testDescription: "the loopback, in IPv6",
                source: "2001:db8::1",
                owner: link(7, "lo", .loopback, flags: .loopback),
                linkLocal: [.permanent],
                reason: nil
            ),
            LentLegs(
                testDescription: "the loopback, in IPv6, while the link-local address is being checked",
                source: "2001:db8::1",
                owner: link(7, "lo", .loopback, flags: .loopback),
                linkLocal: [.tentative],
                reason: .addressTentative
            ),
            LentLegs(
                testDescription: "the loopback, whose own address no answer reaches",
                source: "::1",
                owner: link(7, "lo", .loopback, flags: .loopback),
                linkLocal: [.permanent],
                reason: .noAddress
            ),
        ]
    }

    @Test(
        "a leg without an address of its own has the source of the answer, if its owner lends it",
        arguments: LentLegs.cases
    )
    func lentLegs(_ row: LentLegs) {
        let source = Self.address(row.source)
        let hops = [NextHop(interfaceIndex: 3), NextHop(interfaceIndex: 4)]
        let lookup = RouteLookup(
            destination: Self.address(source.family == .ipv4 ? "198.41.0.4" : "2001:503:ba3e::2:30"),
            outcome: .route(ResolvedRoute(interfaceIndex: 3, source: source)),
            matched: Route(destination: .everything(source.family), nextHops: hops)
        )
        // The first leg, which the answer names, has no carrier.
        let links = [Self.link(3, "eth0", isUp: false), Self.link(4, "wlan0", .wifi)]
        let addresses = row.owner.map { [Self.owned(row.source, by: $0.index)] } ?? []
        let linkLocal = row.linkLocal.map { [Self.owned("fe80::1", by: 4, $0)] } ?? []
        let path = Path(
            lookup,
            in: NetworkSnapshot(
                links: links + [row.owner].compactMap { $0 },
                addresses: addresses + linkLocal
            )
        )
        #expect(path.via == (row.reason == nil ? .wifi : .none))
        #expect(path.deadLegs.map(\.reason) == [.linkDown] + (row.reason.map { [$0] } ?? []))
        if row.reason == nil { #expect(path.source == source) }
    }

    /// The kernel's answers in a network with two legs, where each source has a table of its own.
    enum Sourced: CaseIterable { case bothUp, firstDown, firstRefused, bothDown }

    @Test("with a table for each source, one usable next hop of several is enough", arguments: Sourced.allCases)
    func legsOfSources(_ sourced: Sourced) {
        let first = ResolvedRoute(interfaceIndex: 3, source: Self.address("192.0.2.2"), table: 81)
        let second = ResolvedRoute(interfaceIndex: 4, source: Self.address("198.51.100.2"), table: 82)
        let links = [
            Self.link(3, "wlan0", .wifi, isUp: sourced == .bothUp || sourced == .firstRefused),
            Self.link(4, "eth0", isUp: sourced != .bothDown),
        ]
        let path = Path(
            RouteLookup(
                destination: Self.address("198.41.0.4"),
                outcome: sourced == .firstRefused ? .refused(.unreachable) : .route(first),
                otherLegs: [second]
            ),
            in: NetworkSnapshot(
                links: links,
                addresses: [Self.owned("192.0.2.2", by: 3), Self.owned("198.51.100.2", by: 4)]
            )
        )
        #expect(path.via == [.bothUp: .wifi, .bothDown: .none][sourced, default: .wired])
        let dead = [Sourced.firstDown: ["wlan0"], .bothDown: ["wlan0", "eth0"]][sourced, default: []]
        #expect(path.deadLegs.map(\.interface) == dead)
    }

    /// A tunnel whose remote has a route over `wlan0` and `eth0`.
    struct SharedTunnel {
        let firstIsUp: Bool
        let secondIsUp: Bool
        var device: UInt32?
        let via: Via
    }

    @Test(
        "a tunnel over several next hops is carried by a usable one, if it is not bound to another device",
        arguments: [
            SharedTunnel(firstIsUp: true, secondIsUp: true, via: .wifi),
            SharedTunnel(firstIsUp: false, secondIsUp: true, via: .wired),
            SharedTunnel(firstIsUp: true, secondIsUp: false, via: .wifi),
            SharedTunnel(firstIsUp: false, secondIsUp: false, via: .none),
            SharedTunnel(firstIsUp: true, secondIsUp: true, device: 3, via: .wifi),
            SharedTunnel(firstIsUp: false, secondIsUp: true, device: 3, via: .none),
            SharedTunnel(firstIsUp: false, secondIsUp: true, device: 7, via: .wired),
        ]
    )
    func legsOfTunnel(_ shared: SharedTunnel) {
        var tunnel = Self.link(9, "vx0", .tunnel, driver: "vxlan")
        tunnel.tunnelDeviceIndex = shared.device
        let hops = ([3, 4] as [UInt32]).map { NextHop(interfaceIndex: $0, gateway: Self.address("192.0.\($0).1")) }
        let lookup = RouteLookup(
            destination: Self.address("203.0.113.9"),
            outcome: .route(
                ResolvedRoute(interfaceIndex: 3, gateway: hops[0].gateway, source: Self.address("192.0.3.2"))
            ),
            matched: Route(destination: .everything(.ipv4), nextHops: hops)
        )
        let path = Path(
            RouteLookup(
                destination: Self.address("198.41.0.4"),
                outcome: .route(ResolvedRoute(interfaceIndex: 9, source: Self.address("10.9.0.2")))
            ),
            in: NetworkSnapshot(
                links: [
                    Self.link(3, "wlan0", .wifi, isUp: shared.firstIsUp),
                    Self.link(4, "eth0", isUp: shared.secondIsUp),
                    Self.link(7, "vrf0", driver: "vrf"), tunnel,
                ],
                addresses: [
                    Self.owned("192.0.3.2", by: 3), Self.owned("192.0.4.2", by: 4), Self.owned("10.9.0.2", by: 9),
                ],
                underlays: [9: Underlay(interfaceIndex: 3, evidence: .remoteRoute, lookup: lookup)]
            )
        )
        #expect(path.via == shared.via)
        #expect(path.reason == (shared.via == .none ? .underlayDown : nil))
    }

    @Test("unconnected sockets have a separate path where it differs")
    func unconnected() {
        let links = [Self.link(3, "wlan0", .wifi, isUp: false), Self.link(4, "eth0")]
        let source = Self.address("192.0.2.2")
        let lookup = RouteLookup(
            destination: Self.address("198.41.0.4"),
            outcome: .route(ResolvedRoute(interfaceIndex: 4, source: source)),
            unconnected: .route(ResolvedRoute(interfaceIndex: 3, source: source))
        )
        let path = Path(lookup, in: NetworkSnapshot(links: links, addresses: [Self.owned("192.0.2.2", by: 4)]))
        #expect(path.via == .wired)
        #expect(path.unconnected?.interface == "wlan0")
        #expect(path.unconnected?.reason == .linkDown)
    }
}
