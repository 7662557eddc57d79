internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

struct AddressMessageTests {
    /// One address as it travels, and as it is understood.
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        var length = 24
        var peer: String?
        var scope: UInt8 = 0
        var flags: InterfaceAddress.Flags = [.permanent]

        var testDescription: String { "\(text)/\(length)" }

        func value() throws -> InterfaceAddress {
            InterfaceAddress(
                interfaceIndex: 3,
                address: try ip(text),
                prefixLength: length,
                peer: try peer.map(ip),
                scope: scope,
                flags: flags
            )
        }
    }

    @Test(
        "an encoded address is parsed back unchanged",
        arguments: [
            Row(text: "192.168.50.2"),
            Row(text: "10.8.0.2", length: 32, peer: "10.8.0.1"),
            Row(text: "169.254.3.4", length: 16, scope: 253),
            Row(text: "fe80::ff:fe00:100", length: 64, scope: 253, flags: .init(rawValue: 0x880)),
            Row(text: "2001:db8::7", length: 128, peer: "2001:db8::1"),
            Row(text: "2001:db8::8", length: 64, flags: [.tentative, .optimistic]),
        ]
    )
    func roundTrip(_ row: Row) throws {
        let address = try row.value()
        #expect(try parse(.address(address)) == .address(address))
        #expect(try parse(.addressRemoved(address)) == .addressRemoved(address))
    }

    @Test("without IFA_FLAGS the eight flags of the header count")
    func shortFlags() throws {
        var message = MessageBuilder.address(try Row(text: "192.0.2.1", flags: [.permanent, .temporary]).value())
        message.attributes.removeAll { $0.type == Rtnetlink.Address.flags }
        guard case .address(let address) = try parse(message) else {
            Issue.record("no address came out")
            return
        }
        #expect(address.flags == [.permanent, .temporary])
    }

    @Test("a refresh of the lifetimes is not a difference")
    func lifetimes() throws {
        let address = try Row(text: "2001:db8::9", length: 64).value()
        #expect(
            try parse(.address(address, validSeconds: 86400)) == parse(.address(address, validSeconds: 86399))
        )
    }

    @Test("addresses of other families are ignored")
    func otherFamily() throws {
        var message = MessageBuilder.address(try Row(text: "192.0.2.1").value())
        message.fixed[0] = 28  // AF_MPLS
        #expect(try parse(message) == .irrelevant(type: Rtnetlink.newAddress))
    }

    @Test("a missing address or a wrong size, prefix or interface is an error that names the place")
    func broken() throws {
        let good = MessageBuilder.address(try Row(text: "192.0.2.1").value())
        var nameless = good
        nameless.attributes = []
        var short = good
        short.attributes = [NetlinkAttribute(Rtnetlink.Address.local, [192, 0, 2])]
        var sixInFour = good
        sixInFour.attributes = [.address(Rtnetlink.Address.local, try ip("2001:db8::1"))]
        var longPrefix = good
        longPrefix.fixed[1] = 33
        var noInterface = good
        noInterface.fixed.replaceSubrange(4..., with: [0, 0, 0, 0])
        let type = Rtnetlink.newAddress
        #expect(failure(of: nameless) == .badAttributeValue(type: type, attribute: 1))
        #expect(failure(of: short) == .badAttributeValue(type: type, attribute: 2))
        #expect(failure(of: sixInFour) == .badAttributeValue(type: type, attribute: 2))
        #expect(failure(of: longPrefix) == .badAttributeValue(type: type, attribute: 1))
        #expect(failure(of: noInterface) == .badAttributeValue(type: type, attribute: 1))
    }
}

/// Neighbours and sysctls: what of them a route lookup depends on.
struct NeighbourMessageTests {
    @Test(
        "neighbour states are distinguished only as far as the kernel's choice of router depends on them",
        arguments: [
            (0x01, .resolving, .resolving), (0x02, .reachable, .usable), (0x04, .usable, .usable),
            (0x08, .usable, .usable), (0x10, .usable, .usable), (0x20, .failed, .failed), (0x80, .usable, .usable),
        ] as [(UInt16, NeighbourState, NeighbourState)]
    )
    func states(bits: UInt16, ipv4: NeighbourState, ipv6: NeighbourState) throws {
        for (text, state) in [("192.0.2.1", ipv4), ("fe80::1", ipv6)] {
            let router = Router(interfaceIndex: 3, address: try ip(text))
            let message = MessageBuilder.neighbour(router.address, interface: 3, state: bits)
            #expect(try parse(message) == .neighbour(router, state))
        }
    }

    @Test(
        "the last confirmation of an entry is dated no later than it was, and of a short structure nothing is read",
        arguments: [
            ([0, 0, 0, 0] + [UInt8](repeating: 9, count: 12), Duration.milliseconds(20)),
            (withUnsafeBytes(of: UInt32(4500)) { Array($0) }, .milliseconds(45_020)),
            ([255, 255, 255, 255], .milliseconds(42_949_672_970)), ([1, 0, 0], nil), ([], nil),
        ] as [([UInt8], Duration?)]
    )
    func confirmation(bytes: [UInt8], age: Duration?) throws {
        let router = Router(interfaceIndex: 3, address: try ip("192.0.2.1"))
        let message = MessageBuilder.neighbour(router.address, interface: 3, state: 2, cacheInformation: bytes)
        #expect(try parse(message) == .neighbour(router, .reachable, confirmedBefore: age))
        let removed = MessageBuilder.neighbour(
            router.address,
            interface: 3,
            state: 2,
            removed: true,
            cacheInformation: bytes
        )
        #expect(try parse(removed) == .neighbour(router, .absent))
    }

    @Test("a removed neighbour entry has no state, whatever its last one was")
    func removed() throws {
        let four = MessageBuilder.neighbour(try ip("192.0.2.1"), interface: 3, state: 0x20, removed: true)
        #expect(try parse(four) == .neighbour(Router(interfaceIndex: 3, address: ip("192.0.2.1")), .absent))
        let six = MessageBuilder.neighbour(try ip("fe80::1"), interface: 3, state: 0x20, removed: true)
        #expect(try parse(six) == .neighbour(Router(interfaceIndex: 3, address: ip("fe80::1")), .usable))
    }

    @Test("forwarding entries of a bridge and entries without an address are ignored")
    func others() throws {
        var bridge = MessageBuilder.neighbour(try ip("192.0.2.1"), interface: 3, state: 2)
        bridge.fixed[0] = Rtnetlink.familyBridge
        #expect(try parse(bridge) == .irrelevant(type: Rtnetlink.newNeighbour))
        var anonymous = MessageBuilder.neighbour(try ip("192.0.2.1"), interface: 3, state: 2)
        anonymous.attributes = []
        #expect(try parse(anonymous) == .irrelevant(type: Rtnetlink.newNeighbour))
    }

    @Test("a sysctl that lookups depend on is named; others, and those of new interfaces, are ignored")
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
        // NETCONFA_IFINDEX_DEFAULT: net.ipv4.conf.default, which is set along with net.ipv4.conf.all.
        let defaults = MessageBuilder.setting(.ipv4, interface: -2, [(2, 1)])
        #expect(try parse(defaults) == .irrelevant(type: Rtnetlink.newSetting))
    }
}

/// The byte counters of interfaces.
struct StatisticsMessageTests {
    @Test("byte counters of both directions are read, and packet counters are not mistaken for them")
    func counters() throws {
        let message = MessageBuilder.statistics(interface: 7, received: 5, sent: .max)
        let bytes = InterfaceBytes(received: 5, sent: .max)
        #expect(try parse(message) == .statistics(interfaceIndex: 7, bytes))
        #expect(bytes.total == 4)
    }

    @Test("an answer without counters is ignored; one with no interface or truncated counters is malformed")
    func malformed() throws {
        var message = MessageBuilder.statistics(interface: 7, received: 5, sent: 6)
        message.attributes[0].value.removeLast()
        #expect(throws: MessageError.self) { try parse(message) }
        message.attributes = []
        #expect(try parse(message) == .irrelevant(type: Rtnetlink.newStatistics))
        #expect(throws: MessageError.self) { try parse(.statistics(interface: 0, received: 5, sent: 6)) }
    }

    @Test("the counters of the loopback interface can be read and do not decrease")
    func kernel() throws {
        var counters = try #require(InterfaceCounters(of: "lo"))
        let readings = [counters.read(), counters.read()].compactMap(\.self)
        #expect(readings.count == 2 && readings[0].total <= readings[1].total)
        let absent = InterfaceCounters(of: "no-such-if0")
        #expect(absent.map { _ in true } == nil)
    }
}
