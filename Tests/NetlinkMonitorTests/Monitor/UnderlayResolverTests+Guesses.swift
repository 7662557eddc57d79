internal import Testing

@testable internal import NetlinkMonitor

/// Tunnels that name neither a remote address nor a device: an interface that could carry them, or none that can.
extension UnderlayResolverTests {
    @Test("a single uplink that could carry a userspace tunnel is the guess; with two there is none")
    mutating func guess() throws {
        routes = [defaultRoute(9), defaultRoute(3, metric: 100)]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
        routes.append(defaultRoute(2, metric: 600))
        #expect(try resolve() == nil)
        others[0].flags = [.up]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
        others[0].flags = [.up, .lowerUp]
        sources = [3, 9]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
    }

    @Test("an uplink by a part of the default route could also carry the tunnel", arguments: [3, 9] as [UInt32])
    mutating func partOfDefault(_ interface: UInt32) throws {
        routes = [defaultRoute(9), defaultRoute(2)]
        let part = Route(destination: try prefix("2000::/3"), nextHops: [NextHop(interfaceIndex: interface)])
        internetLookups = [
            RouteLookup(
                destination: try ip("2001:503:ba3e::2:30"),
                outcome: .route(ResolvedRoute(interfaceIndex: interface)),
                matched: part
            )
        ]
        let only = Underlay(interfaceIndex: 2, evidence: .nextDefaultRoute)
        #expect(try resolve() == (interface == 9 ? only : nil))
    }

    @Test(
        "no uplink is guessed while packets with the mark go to a dead one",
        arguments: [(50, Route.mainTable, false), (50, 77, true), (100, Route.mainTable, true)]
            as [(UInt32, UInt32, Bool)]
    )
    mutating func preferredIsDead(_ metric: UInt32, _ table: UInt32, isGuessed: Bool) throws {
        others[0].flags = [.up]
        rules = [RoutingRule(family: .ipv4, priority: 3, table: 51820, mark: 0xCA6C, isInverted: true)]
        routes = [defaultRoute(9, table: 51820), defaultRoute(3, metric: 100)]
        routes.append(defaultRoute(2, metric: metric, table: table))
        let guess = Underlay(interfaceIndex: 3, evidence: .markExemption)
        #expect(try resolve() == (isGuessed ? guess : nil))
    }

    @Test("an uplink without an address could also carry a tunnel if the loopback has a machine-wide address")
    mutating func unnumbered() throws {
        routes = [defaultRoute(9), defaultRoute(2), defaultRoute(3, metric: 100)]
        sources = [3, 9]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
        sources = [1, 3, 9]
        #expect(try resolve() == nil)
        routes = [defaultRoute(9)]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
        sources = [1, 9]
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .noCarrier))
    }

    @Test(
        arguments: [(.ipv6, 4, 2, true), (.ipv4, 4, 2, false), (.ipv6, 9, 2, false), (.ipv6, 4, 4, false)]
            as [(AddressFamily, UInt32, UInt32, Bool)]
    )
    mutating func `a router's uplink with a link-local address has the prefix of its LAN, in its family alone`(
        _ family: AddressFamily,
        _ owner: UInt32,
        _ linkLocal: UInt32,
        isSender: Bool
    ) throws {
        var bridge = Self.link(4, "br-lan", .bridge)
        bridge.driverKind = "bridge"
        others = [Self.link(2, "wan0", .wired), bridge]
        sources = [9]
        moreAddresses = [
            InterfaceAddress(interfaceIndex: owner, address: try ip("2001:db8::1"), prefixLength: 64),
            InterfaceAddress(interfaceIndex: linkLocal, address: try ip("fe80::1"), prefixLength: 64),
        ]
        routes = [defaultRoute(9), Route(destination: .everything(family), nextHops: [NextHop(interfaceIndex: 2)])]
        let guess = Underlay(interfaceIndex: 2, evidence: .nextDefaultRoute)
        #expect(try resolve() == (isSender ? guess : Underlay(interfaceIndex: nil, evidence: .noCarrier)))
    }

    @Test("without a default route, the only interface that could send is the guess")
    mutating func onLink() throws {
        sources = [2, 9]
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .nextDefaultRoute))
    }

    @Test("the mark that wg-quick's rule exempts is named if the rule leads into the tunnel")
    mutating func markExemption() throws {
        sources = [2, 9]
        rules = [RoutingRule(family: .ipv4, priority: 3, table: 51820, mark: 0xCA6C, isInverted: true)]
        routes = [defaultRoute(9, table: 51820), defaultRoute(2)]
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .markExemption))
        routes = [defaultRoute(9), defaultRoute(2)]
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .nextDefaultRoute))
    }

    @Test("if other interfaces exist but none can send, the lack of a carrier is certain; without any, nothing is")
    mutating func noCarrier() throws {
        sources = [9]
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .noCarrier))
        sources = [2, 3, 9]
        for index in others.indices { others[index].flags = [.up] }
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .noCarrier))
        others = []
        #expect(try resolve() == nil)
    }

    @Test(
        arguments: [
            ("wireguard", nil, true), ("wireguard", .bridge, false), ("wireguard", .tunnel, false), ("tun", nil, false),
        ] as [(String, InterfaceKind?, Bool)]
    )
    mutating func `WireGuard has certainly no carrier where nothing else passes packets`(
        _ driver: String,
        _ other: InterfaceKind?,
        isCertain: Bool
    ) throws {
        tunnel.driverKind = driver
        others = [Self.link(1, "lo", .loopback, flags: .loopback)]
        if let other { others.append(Self.link(4, "other0", other)) }
        sources = [9]
        #expect(try resolve() == (isCertain ? Underlay(interfaceIndex: nil, evidence: .noCarrier) : nil))
    }

    /// An interface beside a program's tunnel that cannot send a packet, and its weight as evidence.
    struct Idle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: InterfaceKind
        var driver: String?
        var isUp = false
        var hasDefaultRoute = false
        let isEvidence: Bool

        static let cases = [
            Idle(
                testDescription: "a bridge without a port",
                kind: .bridge,
                driver: "bridge",
                isUp: true,
                isEvidence: false
            ),
            Idle(testDescription: "a bridge that is down", kind: .bridge, driver: "bridge", isEvidence: false),
            Idle(testDescription: "a veth", kind: .virtual, driver: "veth", isEvidence: false),
            Idle(
                testDescription: "a veth with a default route, as in a container",
                kind: .virtual,
                driver: "veth",
                hasDefaultRoute: true,
                isEvidence: true
            ),
            Idle(testDescription: "a device of an unknown kind", kind: .unknown, isEvidence: false),
            Idle(testDescription: "Ethernet", kind: .wired, isEvidence: true),
            Idle(testDescription: "Wi-Fi", kind: .wifi, isEvidence: true),
            Idle(testDescription: "a modem", kind: .wwan, isEvidence: true),
            Idle(testDescription: "Bluetooth", kind: .bluetooth, isEvidence: true),
            Idle(testDescription: "PPP", kind: .ppp, isEvidence: true),
        ]
    }

    @Test("only an interface that could be an uplink makes the lack of a carrier certain", arguments: Idle.cases)
    mutating func evidenceOfNoCarrier(_ idle: Idle) throws {
        var link = Self.link(4, "other0", idle.kind)
        link.driverKind = idle.driver
        if !idle.isUp { link.flags = [.up] }
        others = [link, Self.link(1, "lo", .loopback, flags: .loopback)]
        sources = [4, 9]
        routes = [defaultRoute(9)] + (idle.hasDefaultRoute ? [defaultRoute(4, metric: 100)] : [])
        #expect(try resolve() == (idle.isEvidence ? Underlay(interfaceIndex: nil, evidence: .noCarrier) : nil))
    }

    @Test("a tunnel that is routed in another namespace has no underlay here, and may carry a program's tunnel")
    mutating func foreignUnderlay() throws {
        others = [Self.link(2, "eth0", .wired)]
        others[0].flags = [.up]
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .noCarrier))
        tunnel.hasForeignUnderlay = true
        #expect(try resolve() == nil)
        tunnel.hasForeignUnderlay = false
        var outer = Self.link(8, "vx0", .tunnel)
        outer.hasForeignUnderlay = true
        others.append(outer)
        sources = [2, 8, 9]
        #expect(try resolve() == Underlay(interfaceIndex: 8, evidence: .nextDefaultRoute))
    }

    @Test(
        "an uplink with a link-local address alone may carry a tunnel if its router is link-local too",
        arguments: [("169.254.0.22", true), ("192.0.2.1", false), (nil, false)] as [(String?, Bool)]
    )
    mutating func translatedSource(_ router: String?, isSender: Bool) throws {
        sources = [9]
        moreAddresses = [InterfaceAddress(interfaceIndex: 2, address: try ip("169.254.0.21"), prefixLength: 30)]
        let hop = NextHop(interfaceIndex: 2, gateway: try router.map(ip))
        routes = [defaultRoute(9), Route(destination: .everything(.ipv4), metric: 100, nextHops: [hop])]
        let guess = Underlay(interfaceIndex: 2, evidence: .nextDefaultRoute)
        #expect(try resolve() == (isSender ? guess : Underlay(interfaceIndex: nil, evidence: .noCarrier)))
    }

    @Test("a bridge of containers with a carrier may carry a program's tunnel while the network card has none")
    mutating func busyBridge() throws {
        var bridge = Self.link(4, "docker0", .bridge)
        bridge.driverKind = "bridge"
        var port = Self.link(5, "veth0", .virtual)
        port.driverKind = "veth"
        port.masterIndex = 4
        others = [Self.link(2, "eth0", .wired), bridge, port]
        others[0].flags = [.up]
        sources = [2, 4, 9]
        #expect(try resolve() == Underlay(interfaceIndex: 4, evidence: .nextDefaultRoute))
    }
}
