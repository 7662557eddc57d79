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
        "an address is read as it was built",
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

    @Test("addresses of other families are passed over")
    func otherFamily() throws {
        var message = MessageBuilder.address(try Row(text: "192.0.2.1").value())
        message.fixed[0] = 28  // AF_MPLS
        #expect(try parse(message) == .irrelevant(type: Rtnetlink.newAddress))
    }

    @Test("an address without one, of the wrong size, prefix or interface is an error that names the place")
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
