internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

struct KernelViewTests {
    private typealias Effects = KernelView.Effects
    private var view = KernelView()

    private mutating func apply(_ message: MessageBuilder) throws -> KernelView.Effects {
        view.apply(try parse(message))
    }

    private func address(_ text: String, flags: InterfaceAddress.Flags = [.permanent]) throws -> InterfaceAddress {
        InterfaceAddress(interfaceIndex: 3, address: try ip(text), prefixLength: 24, flags: flags)
    }

    @Test("a new link is classified, and may bring IPv4 routes back")
    mutating func newLink() throws {
        #expect(
            try apply(.link(3, "eth0"))
                == Effects(isRelevant: true, isEdge: true, classifies: true, staleRoutes: [.ipv4])
        )
        #expect(try apply(.link(3, "eth0")) == Effects())
    }

    @Test("a new VRF brings a table, which may already hold routes of both families")
    mutating func newVRF() throws {
        let vrf = MessageBuilder.link(5, "red", attributes: [.linkInfo("vrf", data: [.uint32(1, 1001)])])
        #expect(try apply(vrf).staleRoutes == [.ipv4, .ipv6])
        #expect(view.tables(.ipv6) == [254, 1001])
    }

    @Test("a short message about an unknown link changes nothing")
    mutating func earlyWirelessEvent() throws {
        #expect(try apply(.wirelessEvent(3, "wlan0", [.up])) == Effects())
        #expect(view == KernelView())
    }

    @Test("a short message changes flags and name, and nothing else")
    mutating func wirelessEvent() throws {
        let attributes: [NetlinkAttribute] = [.parentDevice("usb"), .master(9), .linkInfo("wwan"), .lower(2)]
        _ = try apply(.link(3, "wlan0", [.up, .lowerUp], .dormant, hardwareType: 801, attributes: attributes))
        var expected = try #require(view.links[3])
        let effects = try apply(.wirelessEvent(3, "wlan7", [.up]))
        expected.flags = [.up]
        expected.name = "wlan7"
        #expect(view.links[3] == expected)
        #expect(effects == Effects(isRelevant: true, isEdge: true, classifies: true))
    }

    /// A message that changes a link that is up, and the state that becomes stale.
    struct LinkChange: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: MessageBuilder
        var classifies = false
        var staleRoutes: Set<AddressFamily> = []
    }

    @Test(
        "a change of a link makes the state that depends on it stale",
        arguments: [
            LinkChange(testDescription: "down", message: .link(3, "eth0", [], .down), staleRoutes: [.ipv4]),
            LinkChange(testDescription: "no carrier", message: .link(3, "eth0", [.up], .down)),
            LinkChange(testDescription: "dormant", message: .link(3, "eth0", [.up, .lowerUp], .dormant)),
            LinkChange(testDescription: "name", message: .link(3, "lan0", [.up, .lowerUp], .up), classifies: true),
            LinkChange(
                testDescription: "hardware type",
                message: .link(3, "eth0", [.up, .lowerUp], .up, hardwareType: 519),
                classifies: true
            ),
            LinkChange(
                testDescription: "master",
                message: .link(3, "eth0", [.up, .lowerUp], .up, attributes: [.master(9)]),
                classifies: true,
                staleRoutes: [.ipv4]
            ),
            LinkChange(
                testDescription: "lower",
                message: .link(3, "eth0", [.up, .lowerUp], .up, attributes: [.lower(2)]),
                classifies: true
            ),
            LinkChange(
                testDescription: "active member",
                message: .link(
                    3,
                    "eth0",
                    [.up, .lowerUp],
                    .up,
                    attributes: [.linkInfo("bond", data: [.uint32(2, 4)])]
                ),
                classifies: true
            ),
            LinkChange(
                testDescription: "group",
                message: .link(3, "eth0", [.up, .lowerUp], .up, attributes: [.uint32(Rtnetlink.Link.group, 7)])
            ),
            LinkChange(
                testDescription: "alternative names",
                message: .link(3, "eth0", [.up, .lowerUp], .up, attributes: [.alternativeNames(["enp3s0"])]),
                classifies: true
            ),
            LinkChange(
                testDescription: "VRF table",
                message: .link(3, "eth0", [.up, .lowerUp], .up, attributes: [.linkInfo("vrf", data: [.uint32(1, 7)])]),
                classifies: true,
                staleRoutes: [.ipv4, .ipv6]
            ),
        ]
    )
    mutating func change(_ row: LinkChange) throws {
        _ = try apply(.link(3, "eth0", [.up, .lowerUp], .up))
        let expected = Effects(
            isRelevant: true,
            isEdge: true,
            classifies: row.classifies,
            staleRoutes: row.staleRoutes
        )
        #expect(try apply(row.message) == expected)
    }

    @Test("a link keeps its detected kind while only its state changes")
    mutating func classificationStays() throws {
        _ = try apply(.link(3, "wlan0", [.up], .dormant))
        let wifi = InterfaceClassification(kind: .wifi, evidence: [.init(.deviceType, "wlan")])
        view.links[3]?.classification = wifi
        _ = try apply(.link(3, "wlan0", [.up, .lowerUp], .up))
        #expect(view.links[3]?.classification == wifi)
    }

    @Test func `a short message keeps the alternative names, and a complete one replaces them`() throws {
        var view = KernelView()
        func apply(_ message: MessageBuilder) throws { _ = view.apply(try parse(message)) }
        try apply(.link(3, "wlan0", [.up], .dormant, attributes: [.alternativeNames(["wlp2s0", "a"])]))
        try apply(.wirelessEvent(3, "wlan0", [.up, .running]))
        #expect(view.links[3]?.alternativeNames == ["wlp2s0", "a"])
        try apply(.link(3, "wlan0", [.up], .dormant, attributes: [.alternativeNames(["b"])]))
        #expect(view.links[3]?.alternativeNames == ["b"])
        try apply(.link(3, "wlan0", [.up], .dormant))
        #expect(view.links[3]?.alternativeNames == [])
    }

    @Test("a port that leaves its bridge is not a removed link")
    mutating func bridgePort() throws {
        _ = try apply(.link(3, "eth0", [.up], .up, attributes: [.master(9)]))
        let before = view
        #expect(try apply(.bridgePort(Rtnetlink.deleteLink, 3, "eth0")) == Effects())
        #expect(try apply(.bridgePort(Rtnetlink.newLink, 3, "eth0")) == Effects())
        #expect(view == before)
    }

    @Test("a removed link takes its addresses with it; the removal of an unknown one changes nothing")
    mutating func removedLink() throws {
        _ = try apply(.link(3, "eth0"))
        _ = try apply(.address(try address("192.0.2.1")))
        let effects = Effects(isRelevant: true, isEdge: true, classifies: true, staleRoutes: [.ipv4, .ipv6])
        #expect(try apply(.linkRemoved(3, "eth0")) == effects)
        #expect(view == KernelView())
        #expect(try apply(.linkRemoved(3, "eth0")) == Effects())
    }

    @Test("a refresh of an address by the kernel is not a change; different flags are")
    mutating func refresh() throws {
        let tentative = try address("2001:db8::1", flags: [.tentative])
        let usable = try address("2001:db8::1", flags: [])
        #expect(try apply(.address(tentative)) == Effects(isRelevant: true, isEdge: true))
        #expect(try apply(.address(tentative, validSeconds: 10)) == Effects())
        #expect(try apply(.address(usable)) == Effects(isRelevant: true, isEdge: true))
        #expect(view.addresses == [usable])
    }

    @Test(
        "the repeated message about a permanent IPv6 address is a hint, as the kernel may have kept it while down",
        arguments: [
            ("2001:db8::1", [.permanent], true), ("fd00::1", [.permanent], true), ("2001:db8::1", [], false),
            ("fe80::1", [.permanent], false), ("192.0.2.1", [.permanent], false),
        ] as [(String, InterfaceAddress.Flags, Bool)]
    )
    mutating func keptAddress(text: String, flags: InterfaceAddress.Flags, isHint: Bool) throws {
        _ = try apply(.link(3, "eth0", [.up, .lowerUp], .up))
        let address = try address(text, flags: flags)
        _ = try apply(.address(address))
        #expect(try apply(.address(address)) == Effects(isRelevant: isHint))
        for linkFlags: LinkFlags in [[], [.up, .lowerUp]] {
            #expect(try apply(.link(3, "eth0", linkFlags)).staleAddresses == (isHint ? [3] : []))
        }
        #expect(try apply(.link(3, "eth0", [.up])).staleAddresses == [])
    }

    @Test("a removed IPv4 address makes the IPv4 routes stale, as they go silently; an IPv6 one makes none stale")
    mutating func removedAddress() throws {
        for (text, stale): (String, Set<AddressFamily>) in [("192.0.2.1", [.ipv4]), ("2001:db8::1", [])] {
            _ = try apply(.address(try address(text)))
            let effects = Effects(isRelevant: true, isEdge: true, staleRoutes: stale)
            #expect(try apply(.addressRemoved(try address(text))) == effects)
            #expect(try apply(.addressRemoved(try address(text))) == Effects())
        }
    }

    private func defaultRoute(_ family: AddressFamily, object: UInt32? = nil, unresolved: Bool = false) -> Route {
        let hops = unresolved ? [] : [NextHop(interfaceIndex: 3)]
        return Route(destination: .everything(family), nextHops: hops, nextHopObject: object)
    }

    @Test("IPv6 default routes over a link that goes down are reread, as they may be removed silently")
    mutating func silentDown() throws {
        _ = try apply(.link(3, "eth0", [.up, .lowerUp], .up))
        view.defaultRoutes[.ipv6] = [defaultRoute(.ipv6)]
        #expect(try apply(.link(3, "eth0", [.up], .down)).staleRoutes == [])
        #expect(try apply(.link(3, "eth0", [], .down)).staleRoutes == [.ipv4, .ipv6])
        let address = try address("2001:db8::1")
        _ = try apply(.address(address))
        #expect(try apply(.addressRemoved(address)).staleRoutes == [.ipv6])
    }

    @Test("default routes through nexthop objects are reread when the carrier is lost", arguments: [false, true])
    mutating func lostObject(unresolved: Bool) throws {
        for family in AddressFamily.allCases {
            _ = try apply(.link(3, "eth0", [.up, .lowerUp], .up))
            view.defaultRoutes = [family: [defaultRoute(family, object: 7, unresolved: unresolved)]]
            #expect(try apply(.link(3, "eth0", [.up], .down)).staleRoutes == [family])
        }
    }

    @Test("a changed sysctl is a hint with its name and value")
    mutating func setting() throws {
        let effects = try apply(.setting(.ipv4, interface: -1, [(6, 1)]))
        #expect(effects.isRelevant && !effects.isEdge && effects.staleRoutes.isEmpty)
        #expect(effects.hints.map(\.code) == [.sysctlChanged])
        #expect(effects.hints.map(\.detail) == ["net.ipv4.conf.all.ignore_routes_with_linkdown = 1"])
    }

    @Test("a local IPv4 address with two peers counts as two addresses")
    mutating func peers() throws {
        let local = try ip("10.0.0.1")
        let addresses = try ["10.0.0.2", "10.0.0.3"].map {
            InterfaceAddress(interfaceIndex: 3, address: local, prefixLength: 32, peer: try ip($0))
        }
        for address in addresses.reversed() { _ = try apply(.address(address)) }
        #expect(view.addresses == addresses)
        _ = try apply(.addressRemoved(addresses[0]))
        #expect(view.addresses == [addresses[1]])
    }

    @Test("only an added or removed default route makes the default routes stale", arguments: ["0.0.0.0/0", "::/0"])
    mutating func defaultRoute(text: String) throws {
        let route = Route(destination: try prefix(text), nextHops: [NextHop(interfaceIndex: 3)])
        let effects = Effects(isRelevant: true, staleRoutes: [route.family])
        #expect(try apply(.route(route)) == effects)
        #expect(try apply(.routeRemoved(route)) == effects)
        let other = Route(destination: try prefix("192.0.2.0/24"), nextHops: [NextHop(interfaceIndex: 3)])
        #expect(try apply(.route(other)) == Effects(isRelevant: true))
    }

    @Test("rules make the default routes of both families stale, nexthop objects those of families that use some")
    mutating func rulesAndNextHops() throws {
        let both = Set(AddressFamily.allCases)
        let rule = RoutingRule(family: .ipv4, priority: 5, table: 100)
        for message in [MessageBuilder.rule(rule), .ruleRemoved(rule)] {
            #expect(try apply(message) == Effects(isRelevant: true, staleRules: true, staleRoutes: both))
        }
        for users in [[], [.ipv4], [.ipv6], both] as [Set<AddressFamily>] {
            for family in both {
                view.defaultRoutes[family] = [defaultRoute(family, object: users.contains(family) ? 9 : nil)]
            }
            for removed in [false, true] {
                let message = MessageBuilder.nextHopObject(7, removed: removed)
                #expect(try apply(message) == Effects(isRelevant: true, staleRoutes: users))
            }
        }
        #expect(try apply(.nextHopBucket(5, of: 7, nextHop: 9)) == Effects(isRelevant: true))
        let neighbour = MessageBuilder.neighbour(try ip("fe80::1"), interface: 3, state: 0x20)
        for message in [MessageBuilder.done(), .reply(errno: 1), neighbour] {
            #expect(try apply(message) == Effects())
        }
    }

    @Test("the relevant tables are the main one, those of the family's rules, and those of VRFs")
    mutating func tables() throws {
        view.rules = [
            RoutingRule(family: .ipv4, priority: 0, table: 255), RoutingRule(family: .ipv4, priority: 9, table: 51820),
            RoutingRule(family: .ipv4, priority: 10, table: 0, action: 7),
            RoutingRule(family: .ipv6, priority: 1, table: 7),
        ]
        #expect(view.tables(.ipv4) == [254, 51820])
        #expect(view.tables(.ipv6) == [7, 254])
    }
}
