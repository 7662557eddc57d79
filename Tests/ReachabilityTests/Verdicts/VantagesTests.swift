import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// From where probes are made.
struct VantagesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var interfaces = ProbeRule.Interfaces.default
        var families = ProbeRule.Families.each
        let points: String
        var testDescription: String { name }
    }

    /// Both uplinks with both families, the wireless one in use.
    static let both = ScriptedNetwork(
        wlan0: ScriptedNetwork.Port(hasIPv6: true),
        wwan0: ScriptedNetwork.Port(hasIPv6: true)
    )

    static let cases = [
        Case(name: "the default path in each family", points: "web@default/ipv4 web@default/ipv6"),
        Case(name: "the default path in any family", families: .any, points: "web@default"),
        Case(name: "one family alone", families: .ipv6, points: "web@default/ipv6"),
        Case(
            name: "each uplink, and the default path besides",
            interfaces: .each,
            families: .any,
            points: "web@default web@wlan0 web@wwan0"
        ),
        Case(
            name: "each uplink in each family",
            interfaces: .each,
            points: "web@default/ipv4 web@default/ipv6 web@wlan0/ipv4 web@wlan0/ipv6 web@wwan0/ipv4 web@wwan0/ipv6"
        ),
        Case(name: "by name", interfaces: .matching(["wwan0"]), families: .any, points: "web@wwan0"),
        Case(name: "by kind", interfaces: .matching(["wifi"]), families: .any, points: "web@wlan0"),
        Case(
            name: "by name and kind, each once",
            interfaces: .matching(["wifi", "wlan0", "wwan"]),
            families: .any,
            points: "web@wlan0 web@wwan0"
        ),
        Case(name: "the loopback is no uplink", interfaces: .matching(["lo", "loopback"]), points: ""),
    ]

    @Test("points follow the table", arguments: cases)
    func points(_ pointCase: Case) {
        let rule = ProbeRule(name: "web", interfaces: pointCase.interfaces, families: pointCase.families)
        #expect(words(rule, Self.both) == pointCase.points)
    }

    @Test(
        "an interface that a probe names needs no default route; one selected by kind does",
        arguments: [
            (ProbeRule.Interfaces.matching(["wwan0"]), "web@wwan0"), (.matching(["wwan", "wlan0"]), "web@wlan0"),
            (.each, "web@default web@wlan0"),
        ]
    )
    func bound(_ interfaces: ProbeRule.Interfaces, _ points: String) {
        var network = Self.both
        network.wwan0?.hasRoute = false
        let configuration = MachineConfiguration(
            probes: [ProbeRule(name: "web", interfaces: interfaces, families: .any)]
        )
        let vantages = Vantages(network.snapshot, bound: configuration.boundInterfaces)
        #expect(configuration.probes.flatMap(vantages.points).map { "\($0.point)" }.joined(separator: " ") == points)
        #expect(vantages.uplinks.map(\.isBoundOnly) == (interfaces == .matching(["wwan0"]) ? [false, true] : [false]))
    }

    @Test(
        arguments: [
            (["enp4s0"], "web@wwan0"), (["a-name-of-more-than-15-bytes"], "web@wwan0"),
            (["enp4s0", "wwan0"], "web@wwan0"),
            (["enp4s0", "wifi"], "web@wlan0 web@wwan0"), (["enp4"], ""),
        ],
        [true, false]
    )
    func `a probe is bound by an alternative name to the interface with its own`(
        _ row: (words: [String], points: String),
        hasRoute: Bool
    ) {
        var network = Self.both
        network.wwan0?.hasRoute = hasRoute
        let plain = network.snapshot
        let links = plain.links.map { link in
            var link = link
            if link.name == "wwan0" { link.alternativeNames = ["enp4s0", "a-name-of-more-than-15-bytes"] }
            return link
        }
        let snapshot = NetworkSnapshot(
            links: links,
            addresses: plain.addresses,
            defaultRoutes: plain.defaultRoutes,
            lookups: Array(plain.lookups.values),
            internetAddresses: plain.internetAddresses
        )
        let rule = ProbeRule(name: "web", interfaces: .matching(row.words), families: .any)
        let vantages = Vantages(snapshot, bound: MachineConfiguration(probes: [rule]).boundInterfaces)
        #expect(vantages.points(rule).map { "\($0.point)" }.joined(separator: " ") == row.points)
    }

    @Test("each usable next hop of a default route is active, and a dead one is not", arguments: [true, false])
    func legs(_ isSecondUp: Bool) throws {
        var network = ScriptedNetwork(wwan0: ScriptedNetwork.Port())
        network.wwan0?.isUp = isSecondUp
        let prefix = try #require(IPPrefix(address: .unspecified(.ipv4), length: 0))
        let hops = ([3, 4] as [UInt32]).map { index in
            NextHop(interfaceIndex: index, gateway: ScriptedNetwork.address("192.0.\(index).1"))
        }
        let route = Route(destination: prefix, nextHops: hops)
        let plain = network.snapshot
        let answer = ResolvedRoute(
            interfaceIndex: 3,
            gateway: hops[0].gateway,
            source: ScriptedNetwork.address("192.0.3.9")
        )
        let snapshot = NetworkSnapshot(
            links: Array(plain.links.values),
            addresses: plain.addresses,
            defaultRoutes: [route],
            lookups: [
                RouteLookup(destination: ScriptedNetwork.internet[0], outcome: .route(answer), matched: route)
            ],
            internetAddresses: ScriptedNetwork.internet
        )
        let vantages = Vantages(snapshot)
        #expect(vantages.uplinks.map(\.interface.name) == ["wlan0", "wwan0"])
        #expect(vantages.uplinks.map(\.isUsed) == [true, isSecondUp])
    }

    @Test(
        "the interface of the route to the Internet is an uplink, whatever its prefix",
        arguments: ["0.0.0.0/0", "128.0.0.0/1", "196.0.0.0/6", "198.41.0.0/24"]
    )
    func split(text: String) throws {
        var network = Self.both
        network.tunnel = ScriptedNetwork.Tunnel()
        let plain = network.snapshot
        let source = try #require(plain.addresses.first { $0.interfaceIndex == ScriptedNetwork.Tunnel.index }).address
        let gateway = ScriptedNetwork.address("10.9.0.1")
        let length = try #require(text.split(separator: "/").last.flatMap { Int($0) })
        let prefix = try #require(IPPrefix(address: ScriptedNetwork.internet[0], length: length))
        let hop = NextHop(interfaceIndex: ScriptedNetwork.Tunnel.index, gateway: gateway)
        let answer = ResolvedRoute(interfaceIndex: ScriptedNetwork.Tunnel.index, gateway: gateway, source: source)
        func vantages(_ type: RouteType, isAnswered: Bool = true) -> Vantages {
            let matched = Route(destination: prefix, type: type, nextHops: [hop])
            let lookup = RouteLookup(
                destination: ScriptedNetwork.internet[0],
                outcome: isAnswered ? .route(answer) : .refused(.noRoute),
                matched: matched
            )
            return Vantages(
                NetworkSnapshot(
                    links: Array(plain.links.values),
                    addresses: plain.addresses,
                    defaultRoutes: plain.defaultRoutes.filter { $0.nextHops != [NextHop(interfaceIndex: 2)] },
                    lookups: [lookup],
                    underlays: plain.underlays,
                    internetAddresses: ScriptedNetwork.internet
                )
            )
        }
        let found = vantages(.unicast)
        #expect(found.uplinks.map(\.interface.name) == ["vx0", "wlan0", "wwan0"])
        #expect(found.uplinks.map(\.isUsed) == [true, true, false])
        #expect(found.uplinks.map(\.isBoundOnly) == [false, false, false])
        #expect(found.uplinks.first?.egresses.ipv4?.gateway == gateway)
        let points = found.points(ProbeRule(name: "web", interfaces: .each, families: .ipv4))
        #expect(points.map { "\($0.point)" } == ["default", "vx0", "wlan0", "wwan0"].map { "web@\($0)/ipv4" })
        #expect(vantages(.local).uplinks.map(\.interface.name) == ["wlan0", "wwan0"])
        #expect(vantages(.unicast, isAnswered: false).uplinks.map(\.interface.name) == ["wlan0", "wwan0"])
    }

    @Test(
        "a default route through a dummy device, or a bridge on one, is an uplink that leads nowhere",
        arguments: ["dummy", "bridge"]
    )
    func leadsNowhere(driver: String) {
        let plain = Self.both.snapshot
        let links = plain.links.values.map { link in
            link.name == "wwan0"
                ? Link(index: 4, name: "wwan0", flags: [.up, .lowerUp], driverKind: driver) : link
        }
        let port = Link(index: 99, name: "port0", flags: [.up, .lowerUp], driverKind: "dummy", masterIndex: 4)
        let snapshot = NetworkSnapshot(
            links: links + [port],
            addresses: plain.addresses,
            defaultRoutes: plain.defaultRoutes
        )
        let uplink = Vantages(snapshot).uplinks.last
        #expect(uplink?.obstacle == .leadsNowhere)
        #expect(uplink?.egresses.isEmpty == true)
    }

    private func words(_ rule: ProbeRule, _ network: ScriptedNetwork) -> String {
        vantages(network).points(rule).map { "\($0.point)" }.joined(separator: " ")
    }

    private func vantages(_ network: ScriptedNetwork) -> Vantages {
        Vantages(network.snapshot)
    }

    @Test("a family without a path and a dead uplink have no points")
    func dead() {
        let rule = ProbeRule(name: "web", interfaces: .each)
        var network = Self.both
        network.wlan0 = ScriptedNetwork.Port(isUp: false, hasIPv6: true)
        network.wwan0?.hasIPv6 = false
        #expect(words(rule, network) == "web@default/ipv4 web@wwan0/ipv4")
        #expect(vantages(network).uplinks.map(\.isUsed) == [false, true])
        network.wwan0 = nil
        #expect(words(rule, network) == "")
        #expect(vantages(network).uplinks.map(\.interface.name) == ["wlan0"])
    }

    @Test("another router changes the egress of its uplink, but not that of another uplink")
    func egresses() {
        let before = vantages(Self.both)
        var network = Self.both
        network.wlan0?.router = 254
        let after = vantages(network)
        #expect(before.defaults != after.defaults)
        #expect(before.uplinks.first?.egresses != after.uplinks.first?.egresses)
        #expect(before.uplinks.last == after.uplinks.last)
    }

    @Test("an interface that has no address to send from has no points")
    func noSource() {
        let snapshot = Self.both.snapshot
        let bare = NetworkSnapshot(links: Array(snapshot.links.values), defaultRoutes: snapshot.defaultRoutes)
        let vantages = Vantages(bare)
        #expect(vantages.points(ProbeRule(name: "web", interfaces: .each)).isEmpty)
        #expect(vantages.uplinks.count == 2)
    }

    @Test(arguments: [true, false])
    func `an uplink of IPv4 through an IPv6 router needs a link-local address`(hasLinkLocal: Bool) {
        let plain = Self.both.snapshot
        let hop = NextHop(interfaceIndex: 4, gateway: ScriptedNetwork.address("fe80::1"))
        let linkLocal = InterfaceAddress(
            interfaceIndex: 4,
            address: ScriptedNetwork.address("fe80::4"),
            prefixLength: 64
        )
        let snapshot = NetworkSnapshot(
            links: plain.links.values.map { $0 },
            addresses: plain.addresses.filter { $0.address.family == .ipv4 } + (hasLinkLocal ? [linkLocal] : []),
            defaultRoutes: [Route(destination: .everything(.ipv4), nextHops: [hop])]
        )
        let uplink = Vantages(snapshot).uplinks.first
        #expect(uplink?.interface.name == "wwan0")
        #expect(uplink?.obstacle == (hasLinkLocal ? nil : .noAddress))
        #expect(uplink?.egresses.isEmpty == !hasLinkLocal)
    }

    /// Ways in which packets can have a source although their interface has no address of its own.
    enum Borrowing: CaseIterable { case none, loopback, vrf, route, answer }

    @Test(
        "an uplink without an address is usable if the machine, its VRF, its route or its path has one",
        arguments: Borrowing.allCases
    )
    func borrowedSource(_ borrowing: Borrowing) throws {
        let prefix = try #require(IPPrefix(address: .unspecified(.ipv4), length: 0))
        let source = ScriptedNetwork.address("203.0.113.1")
        let hop = NextHop(interfaceIndex: 4, gateway: ScriptedNetwork.address("192.0.4.1"))
        let route = Route(destination: prefix, preferredSource: borrowing == .route ? source : nil, nextHops: [hop])
        let other = Route(destination: prefix, metric: 600, nextHops: [NextHop(interfaceIndex: 3)])
        // The address of a VRF that is the kernel's choice for the path is not one for other uplinks.
        let owner: UInt32? = [.loopback: 1, .vrf: 7, .answer: 7][borrowing]
        let links = Self.both.snapshot.links.values.map { link in
            var link = link
            if link.index == 1 { link.flags.insert(.loopback) }
            if link.index == 4, borrowing == .vrf { link.masterIndex = 7 }
            return link
        }
        let router = Link(index: 7, name: "vrf0", flags: [.up, .lowerUp], driverKind: "vrf")
        let answer = ResolvedRoute(interfaceIndex: 4, gateway: hop.gateway, source: source)
        let snapshot = NetworkSnapshot(
            links: links + [router],
            addresses: owner.map {
                [InterfaceAddress(interfaceIndex: $0, address: source, prefixLength: 32)]
            } ?? [],
            defaultRoutes: [route, other],
            lookups: borrowing == .answer
                ? [RouteLookup(destination: ScriptedNetwork.internet[0], outcome: .route(answer), matched: route)] : [],
            internetAddresses: ScriptedNetwork.internet
        )
        let uplinks = Vantages(snapshot).uplinks
        #expect(uplinks.map(\.interface.name) == ["wlan0", "wwan0"])
        #expect(uplinks.map { $0.obstacle == nil } == [borrowing == .loopback, borrowing != .none])
        #expect(uplinks.allSatisfy { $0.obstacle == ($0.egresses.isEmpty ? .noAddress : nil) })
        #expect(uplinks.map(\.isUsed) == [false, borrowing == .answer])
    }

    /// Interfaces with the only global IPv6 address besides that of the other uplink.
    enum IPv6Owner: CaseIterable { case uplink, network, tunnel, memberOfVRF, none }

    @Test(arguments: IPv6Owner.allCases)
    func `an uplink has the global IPv6 address of a network behind this machine until it has its own`(
        _ owner: IPv6Owner
    ) throws {
        let numbered = Self.both.snapshot
        var lender = Link(index: 5, name: "lender", flags: [.up])
        if owner == .tunnel { lender.classification = InterfaceClassification(kind: .tunnel, evidence: []) }
        if owner == .memberOfVRF { lender.masterIndex = 7 }
        let links = numbered.links.values + [lender, Link(index: 7, name: "vrf0", driverKind: "vrf")]
        let global = InterfaceAddress(
            interfaceIndex: owner == .uplink ? 4 : 5,
            address: ScriptedNetwork.address("2001:db8:5::1"),
            prefixLength: 64
        )
        let linkLocal = InterfaceAddress(
            interfaceIndex: 4,
            address: ScriptedNetwork.address("fe80::4"),
            prefixLength: 64
        )
        func uplink(isRouted: Bool = true, hasLinkLocal: Bool = true) throws -> Vantages.UplinkCandidate {
            let snapshot = NetworkSnapshot(
                links: links,
                addresses: numbered.addresses.filter { $0.interfaceIndex != 4 } + (owner == .none ? [] : [global])
                    + (hasLinkLocal ? [linkLocal] : []),
                defaultRoutes: isRouted ? numbered.defaultRoutes : []
            )
            return try #require(Vantages(snapshot, bound: ["wwan0"]).uplinks.last)
        }
        let isLent = owner == .network
        let found = try uplink()
        #expect(found.interface.name == "wwan0")
        #expect(found.obstacle == (isLent || owner == .uplink ? nil : .noAddress))
        #expect(found.egresses.ipv4 == nil)
        // An address that comes makes another path: checks with the other interface's address end with it.
        #expect(found.egresses.ipv6?.hasOwnSource == (isLent ? false : owner == .uplink ? true : nil))
        #expect(try uplink(isRouted: false).egresses.isEmpty == (owner != .uplink))
        #expect(try uplink(hasLinkLocal: false).egresses.isEmpty == (owner != .uplink))
    }

    @Test("a default route without a router is an egress, and the lower metric decides on the router")
    func gateways() throws {
        let prefix = try #require(IPPrefix(address: .unspecified(.ipv4), length: 0))
        let router = ScriptedNetwork.address("192.0.3.1")
        let direct = Route(destination: prefix, metric: 1, nextHops: [NextHop(interfaceIndex: 3)])
        let later = Route(destination: prefix, metric: 2, nextHops: [NextHop(interfaceIndex: 3, gateway: router)])
        let hidden = Route(destination: prefix, type: .blackhole, nextHops: [NextHop(interfaceIndex: 4)])
        let snapshot = Self.both.snapshot
        let view = NetworkSnapshot(
            links: Array(snapshot.links.values),
            addresses: snapshot.addresses,
            defaultRoutes: [direct, later, hidden]
        )
        let vantages = Vantages(view)
        #expect(vantages.uplinks.map(\.interface.name) == ["wlan0"])
        let egress = try #require(vantages.uplinks.first?.egresses.ipv4)
        #expect(egress == Vantages.Egress(via: .wifi, interface: 3, gateway: nil))
        #expect(vantages.uplinks.first?.egresses.ipv6 == nil)
    }
}
