internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Neighbours and sysctls: what of them a route lookup depends on.
struct NeighbourMessageTests {
    @Test(
        "the bits of a neighbour's state count as far as the kernel's choice among routers depends on them",
        arguments: [
            (0x01, .resolving, .usable), (0x02, .reachable, .usable), (0x04, .usable, .usable),
            (0x08, .usable, .usable), (0x10, .usable, .usable), (0x20, .failed, .failed), (0x80, .usable, .usable),
        ] as [(UInt16, RouterState, RouterState)]
    )
    func states(bits: UInt16, ipv4: RouterState, ipv6: RouterState) throws {
        for (text, state) in [("192.0.2.1", ipv4), ("fe80::1", ipv6)] {
            let router = Router(interfaceIndex: 3, address: try ip(text))
            let message = MessageBuilder.neighbour(router.address, interface: 3, state: bits)
            #expect(try parse(message) == .neighbour(router, state))
        }
    }

    @Test("an entry that is gone has no state any more, whatever its last one was")
    func removed() throws {
        let four = MessageBuilder.neighbour(try ip("192.0.2.1"), interface: 3, state: 0x20, removed: true)
        #expect(try parse(four) == .neighbour(Router(interfaceIndex: 3, address: ip("192.0.2.1")), .absent))
        let six = MessageBuilder.neighbour(try ip("fe80::1"), interface: 3, state: 0x20, removed: true)
        #expect(try parse(six) == .neighbour(Router(interfaceIndex: 3, address: ip("fe80::1")), .usable))
    }

    @Test("a bridge's forwarding entries and entries without an address are passed over")
    func others() throws {
        var bridge = MessageBuilder.neighbour(try ip("192.0.2.1"), interface: 3, state: 2)
        bridge.fixed[0] = Rtnetlink.familyBridge
        #expect(try parse(bridge) == .irrelevant(type: Rtnetlink.newNeighbour))
        var anonymous = MessageBuilder.neighbour(try ip("192.0.2.1"), interface: 3, state: 2)
        anonymous.attributes = []
        #expect(try parse(anonymous) == .irrelevant(type: Rtnetlink.newNeighbour))
    }

    @Test("a sysctl that lookups depend on is named; others, and those of a new interface, are passed over")
    func settings() throws {
        let one = MessageBuilder.setting(.ipv4, interface: -1, [(6, 1)])
        let name = "ignore_routes_with_linkdown"
        #expect(try parse(one) == .setting(.ipv4, name: name, value: 1, interfaceIndex: nil))
        let other = MessageBuilder.setting(.ipv6, interface: 3, [(2, 0)])
        #expect(try parse(other) == .setting(.ipv6, name: "forwarding", value: 0, interfaceIndex: 3))
        for values: [(UInt16, Int32)] in [[(3, 1)], [(2, 0), (3, 0), (6, 0)], []] {
            let message = MessageBuilder.setting(.ipv4, interface: 3, values.map { (attribute: $0.0, value: $0.1) })
            #expect(try parse(message) == .irrelevant(type: Rtnetlink.newSetting))
        }
    }
}
