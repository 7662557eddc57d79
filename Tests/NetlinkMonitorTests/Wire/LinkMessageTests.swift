internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

struct LinkMessageTests {
    private func link(_ message: MessageBuilder) throws -> LinkMessage {
        guard case .link(let link) = try parse(message) else { throw Unexpected() }
        return link
    }

    private struct Unexpected: Error {}

    @Test("a complete message describes the whole link")
    func complete() throws {
        let parsed = try link(
            .link(
                3,
                "wlan1",
                [.up, .lowerUp],
                .dormant,
                hardwareType: 801,
                attributes: [.parentDevice("hwsim1"), .master(9), .linkInfo("wwan")]
            )
        )
        #expect(parsed.isComplete && parsed.hasName)
        #expect(
            parsed.link
                == Link(
                    index: 3,
                    name: "wlan1",
                    flags: [.up, .lowerUp],
                    operationalState: .dormant,
                    hardwareType: 801,
                    driverKind: "wwan",
                    masterIndex: 9,
                    parentDevice: "hwsim1"
                )
        )
    }

    @Test("the short message of the wireless extensions is not complete")
    func wirelessEvent() throws {
        let parsed = try link(.wirelessEvent(3, "wlan1", [.up, .running]))
        #expect(!parsed.isComplete && parsed.hasName)
        #expect(parsed.link.flags == [.up, .running])
    }

    @Test("a message with a state and a wireless event is not complete either")
    func wirelessEventWithState() throws {
        let message = MessageBuilder.link(3, "wlan1").adding(NetlinkAttribute(Rtnetlink.Link.wireless, [1, 2, 3, 4]))
        #expect(try link(message).isComplete == false)
    }

    @Test(
        "messages of a bridge about its ports are not about the links themselves",
        arguments: [Rtnetlink.newLink, Rtnetlink.deleteLink]
    )
    func bridgePort(type: UInt16) throws {
        #expect(try parse(.bridgePort(type, 3, "eth0")) == .irrelevant(type: type))
    }

    @Test("a removed link is identified by its index")
    func removed() throws {
        #expect(try parse(.linkRemoved(7, "wwan0")) == .linkRemoved(index: 7))
    }

    @Test("every operational state is parsed, and an unrecognized one does not pass packets", arguments: 0...UInt8(9))
    func operationalState(number: UInt8) throws {
        var message = MessageBuilder.link(3, "eth0")
        message.attributes = [
            .text(Rtnetlink.Link.name, "eth0"), .uint8(Rtnetlink.Link.operationalState, number),
        ]
        let state = try link(message).link.operationalState
        #expect(state == OperationalState(rawValue: number) ?? .testing)
        if number > 6 { #expect(!state.allowsTraffic) }
    }

    @Test("a name that is not UTF-8 is kept as far as possible")
    func bytesInName() throws {
        var message = MessageBuilder.link(3, "")
        message.attributes[0] = NetlinkAttribute(Rtnetlink.Link.name, [0x65, 0xFF, 0x30, 0, 0x41])
        #expect(try link(message).link.name == "e\u{FFFD}0")
    }

    /// The attributes of a message about the interface below, and the index that counts.
    struct Lower: Sendable {
        let what: String
        let attributes: [NetlinkAttribute]
        let expected: UInt32?
    }

    @Test(
        "the lower interface counts only if it is a different one in this namespace",
        arguments: [
            Lower(what: "a VLAN", attributes: [.lower(2), .linkInfo("vlan")], expected: 2),
            Lower(what: "itself", attributes: [.lower(5)], expected: nil),
            Lower(what: "none", attributes: [.lower(0)], expected: nil),
            Lower(
                what: "of another namespace",
                attributes: [.lower(2), .uint32(Rtnetlink.Link.lowerNamespace, 0), .linkInfo("macvlan")],
                expected: nil
            ),
            Lower(what: "a veth's peer", attributes: [.lower(6), .linkInfo("veth")], expected: nil),
        ]
    )
    func lower(_ row: Lower) throws {
        #expect(try link(.link(5, "x", attributes: row.attributes)).link.lowerIndex == row.expected, "\(row.what)")
    }

    /// The attribute of a tunnel's driver about the far end, and the address that counts.
    struct Remote: Sendable {
        let kind: String
        let type: UInt16
        let value: [UInt8]
        let expected: String?
    }

    @Test(
        "the remote address of a tunnel is read from its driver's attribute",
        arguments: [
            Remote(kind: "gre", type: 7, value: [192, 0, 2, 1], expected: "192.0.2.1"),
            Remote(
                kind: "ip6gre",
                type: 7,
                value: [0x20, 1] + [UInt8](repeating: 0, count: 13) + [9],
                expected: "2001::9"
            ),
            Remote(kind: "ipip", type: 3, value: [192, 0, 2, 2], expected: "192.0.2.2"),
            Remote(kind: "sit", type: 3, value: [0, 0, 0, 0], expected: nil),
            Remote(kind: "vti", type: 5, value: [192, 0, 2, 3], expected: "192.0.2.3"),
            Remote(kind: "vxlan", type: 2, value: [192, 0, 2, 4], expected: "192.0.2.4"),
            Remote(kind: "vxlan", type: 2, value: [239, 1, 1, 1], expected: nil),
            Remote(
                kind: "vxlan",
                type: 16,
                value: [0x20, 1] + [UInt8](repeating: 0, count: 13) + [8],
                expected: "2001::8"
            ),
            Remote(kind: "geneve", type: 2, value: [192, 0, 2, 5], expected: "192.0.2.5"),
            Remote(
                kind: "geneve",
                type: 7,
                value: [0x20, 1] + [UInt8](repeating: 0, count: 13) + [7],
                expected: "2001::7"
            ),
            Remote(kind: "wireguard", type: 7, value: [192, 0, 2, 1], expected: nil),
        ]
    )
    func remote(_ row: Remote) throws {
        let info = NetlinkAttribute.linkInfo(row.kind, data: [NetlinkAttribute(row.type, row.value)])
        #expect(try link(.link(5, "t", attributes: [info])).link.tunnelRemote?.description == row.expected)
    }

    @Test(
        "a tunnel's local address, device and mark are read with its remote address, and 0 means none",
        arguments: [("gre", 1, 6, 7, 20), ("ipip", 1, 2, 3, 20), ("vxlan", 3, 4, 2, nil)]
            as [(String, UInt16, UInt16, UInt16, UInt16?)]
    )
    func tunnelEnds(_ kind: String, _ device: UInt16, _ local: UInt16, _ remote: UInt16, _ mark: UInt16?) throws {
        func tunnel(_ number: UInt32) throws -> Link {
            let ends = [NetlinkAttribute(local, [192, 0, 2, 2]), NetlinkAttribute(remote, [192, 0, 2, 9])]
            let data = ends + ([device] + [mark].compactMap { $0 }).map { .uint32($0, number) }
            return try link(.link(5, "t", attributes: [.linkInfo(kind, data: data)])).link
        }
        let bound = try tunnel(7)
        #expect(try bound.tunnelRemote == ip("192.0.2.9"))
        #expect(try bound.tunnelLocal == ip("192.0.2.2"))
        #expect(bound.tunnelDeviceIndex == 7)
        #expect(bound.tunnelMark == (mark == nil ? nil : 7))
        let free = try tunnel(0)
        #expect(free.tunnelDeviceIndex == nil && free.tunnelMark == nil)
    }

    @Test(
        arguments: [("vxlan", 2, 15, 4789), ("geneve", 2, 5, 4789), ("gre", 7, 15, nil)]
            as [(String, UInt16, UInt16, UInt16?)]
    )
    func `the port of a tunnel over UDP is read`(kind: String, remote: UInt16, port: UInt16, expected: UInt16?) throws {
        let data = [NetlinkAttribute(remote, [192, 0, 2, 9]), NetlinkAttribute(port, [0x12, 0xB5])]
        #expect(try link(.link(5, "t", attributes: [.linkInfo(kind, data: data)])).link.tunnelPort == expected)
    }

    @Test("the packets of a VTI use neither its device nor its mark", arguments: ["vti", "vti6"])
    func associationEnds(kind: String) throws {
        let ends = [NetlinkAttribute(4, [192, 0, 2, 2]), NetlinkAttribute(5, [192, 0, 2, 9])]
        let info = NetlinkAttribute.linkInfo(kind, data: ends + [.uint32(1, 7), .uint32(6, 7)])
        let tunnel = try link(.link(5, "t", attributes: [info])).link
        #expect(try tunnel.tunnelRemote == ip("192.0.2.9"))
        #expect(try tunnel.tunnelLocal == ip("192.0.2.2"))
        #expect(tunnel.tunnelDeviceIndex == nil && tunnel.tunnelMark == nil)
    }

    @Test(
        "another namespace carries the packets of what was created in it, except those of a pair",
        arguments: [("vxlan", true), ("xfrm", true), ("macvlan", true), ("veth", false), ("netkit", false)]
    )
    func foreignUnderlay(kind: String, isForeign: Bool) throws {
        let attributes = [NetlinkAttribute.lower(2), .linkInfo(kind)]
        let other = NetlinkAttribute.uint32(Rtnetlink.Link.lowerNamespace, 0)
        #expect(try link(.link(5, "x", attributes: attributes)).link.hasForeignUnderlay == false)
        #expect(try link(.link(5, "x", attributes: attributes + [other])).link.hasForeignUnderlay == isForeign)
    }

    @Test(
        "the device of a tunnel is that of its remote or multicast group, and none if it is routed in another namespace",
        arguments: [
            ("192.0.2.9", 7, false), ("239.1.1.1", 7, false), (nil, nil, false), ("239.1.1.1", nil, true),
            ("192.0.2.9", nil, true),
        ] as [(String?, UInt32?, Bool)]
    )
    func deviceOfGroup(_ group: String?, _ expected: UInt32?, isForeign: Bool) throws {
        let remote = try group.map { NetlinkAttribute.address(2, try ip($0)) }
        let info = NetlinkAttribute.linkInfo("vxlan", data: [.uint32(3, 7)] + [remote].compactMap { $0 })
        let attributes = [info] + (isForeign ? [.uint32(Rtnetlink.Link.lowerNamespace, 0)] : [])
        let parsed = try link(.link(5, "vx0", attributes: attributes)).link
        #expect(parsed.tunnelDeviceIndex == expected)
        #expect(parsed.tunnelRemote?.description == (group == "192.0.2.9" && !isForeign ? group : nil))
        #expect(parsed.driverKind == "vxlan")
    }

    @Test("a bond's active member and a VRF's table are read")
    func infoData() throws {
        let bond = NetlinkAttribute.linkInfo("bond", data: [.uint8(1, 1), .uint32(2, 4)])
        #expect(try link(.link(5, "bond0", attributes: [bond])).link.activeMemberIndex == 4)
        let vrf = NetlinkAttribute.linkInfo("vrf", data: [.uint32(1, 1001)])
        #expect(try link(.link(6, "vrf0", attributes: [vrf])).link.vrfTable == 1001)
    }

    @Test("a link with index 0 is malformed", arguments: [Rtnetlink.newLink, Rtnetlink.deleteLink])
    func withoutIndex(type: UInt16) {
        var message = MessageBuilder.link(0, "x")
        message.type = type
        #expect(failure(of: message) == .badAttributeValue(type: type, attribute: 0))
    }
}
