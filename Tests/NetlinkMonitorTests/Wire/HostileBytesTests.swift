import AgentTestKit
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Bytes that no kernel sends: every one of them ends in an error or in fewer messages, never in a trap or a loop.
struct HostileBytesTests {
    /// One message of every type, so that every parser is reached.
    static let everyMessage: [MessageBuilder] = {
        let address = IPAddress.unspecified(.ipv6)
        let everything = IPPrefix.everything(.ipv4)
        let hops = [
            NextHop(interfaceIndex: 3, gateway: .unspecified(.ipv4)), NextHop(interfaceIndex: 4, gateway: address),
        ]
        return [
            .link(3, "eth0", [.up], .up, attributes: [.lower(2), .linkInfo("gre", data: [.uint32(7, 1)])]),
            .link(
                4,
                "bond0",
                [.up],
                .up,
                attributes: [.linkInfo("bond", data: [.uint32(2, 3)]), .parentDevice("usb")]
            ),
            .wirelessEvent(3, "wlan0", [.up]),
            .linkRemoved(3, "eth0"),
            .address(
                InterfaceAddress(interfaceIndex: 3, address: address, prefixLength: 64, peer: .unspecified(.ipv6))
            ),
            .address(InterfaceAddress(interfaceIndex: 3, address: .unspecified(.ipv4), prefixLength: 8)),
            .route(Route(destination: everything, metric: 5, nextHops: hops)),
            .route(Route(destination: everything, nextHops: [NextHop(interfaceIndex: 3, gateway: address)])),
            .rule(RoutingRule(family: .ipv4, priority: 5, table: 500, mark: 7, markMask: 7)),
            .nextHopObject(4),
            .reply(errno: 22, message: "no", to: MessageBuilder(26, fixed: [0, 0, 0, 0])),
            .done(),
            .route(Route(destination: .everything(.ipv6)), expiresInTicks: 300),
            .nextHopObject(5, members: [(4, 1), (6, 2)]),
            .nextHopObject(4, hop: hops[0]),
            .neighbour(address, interface: 3, state: 0x20),
            .neighbour(.unspecified(.ipv4), interface: 3, state: 0x02, removed: true),
            .setting(.ipv6, interface: 3, [(6, 1)]),
            .statistics(interface: 3, received: 5, sent: .max),
            .link(3, "eth0", attributes: [.alternativeNames(["enp3s0", "a-name-of-more-than-15-bytes"])]),
            .nextHopBucket(5, of: 5, nextHop: 4),
        ]
    }()

    @Test("a datagram truncated after any byte yields the messages before the cut", arguments: everyMessage)
    func truncation(message: MessageBuilder) {
        let whole = NetlinkDatagram([.linkRemoved(9, "x"), message])
        let first = MessageBuilder.linkRemoved(9, "x").bytes.count
        for (length, cut) in whole.truncations.enumerated() {
            let parsed = ParsedDatagram(cut)
            #expect(parsed.messages.count == (length >= first ? 1 : 0), "cut after \(length) bytes")
            #expect((parsed.failure == nil) == (length == 0 || length == first), "cut after \(length) bytes")
        }
    }

    @Test(
        "a truncated message whose header claims the shorter length yields a single message or error",
        arguments: everyMessage
    )
    func shortened(message: MessageBuilder) throws {
        let whole = NetlinkDatagram([message])
        for length in 16..<whole.bytes.count {
            let parsed = ParsedDatagram(whole.truncated(to: length).claiming(length: UInt32(length)))
            #expect(parsed.contents.count == 1 && parsed.failure == nil, "\(length) bytes")
        }
    }

    @Test(
        "the parser terminates with any value in any 16-bit word",
        arguments: everyMessage,
        [0, 1, 3, 4, 5, 7, 8, 15, 16, 0x7FFF, 0x8000, 0xFFFF]
    )
    func corruption(message: MessageBuilder, value: UInt16) {
        let datagram = NetlinkDatagram([message, .linkRemoved(9, "x")])
        for broken in datagram.corruptions(with: value) {
            let parsed = ParsedDatagram(broken)
            #expect(parsed.contents.count <= broken.bytes.count / 16)
        }
    }

    @Test("the parser terminates on random bytes too")
    func noise() {
        var generator = SplitMix(state: 7)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let parsed = ParsedDatagram(NetlinkDatagram(bytes: bytes))
            #expect(parsed.contents.count <= bytes.count / 16)
        }
    }

    @Test("an error names a header length that is too small or too large", arguments: [0, 1, 15, 33, 4096, UInt32.max])
    func badLength(length: UInt32) {
        let datagram = NetlinkDatagram([.linkRemoved(9, "x")]).truncated(to: 32).claiming(length: length)
        #expect(ParsedDatagram(datagram).failure == .badLength(type: 17, length: length, available: 32))
    }

    @Test("an error names an attribute that has no length or exceeds its message", arguments: [0, 3, 9, UInt16.max])
    func badAttribute(length: UInt16) {
        var message = MessageBuilder.link(3, "eth0")
        message.attributes = [NetlinkAttribute(Rtnetlink.Link.operationalState, [6], claimedLength: length)]
        #expect(failure(of: message) == .badAttributeLength(type: Rtnetlink.newLink, offset: 0))
    }

    @Test("a malformed nested attribute is an error of the whole message")
    func badNestedAttribute() {
        let inner = NetlinkAttribute(Rtnetlink.Link.infoKind, [0x67], claimedLength: 40)
        let message = MessageBuilder.link(3, "gre1", attributes: [.nested(Rtnetlink.Link.info, [inner])])
        #expect(failure(of: message) == .badAttributeLength(type: Rtnetlink.newLink, offset: 0))
    }

    @Test(
        "a number of the wrong size is an error that names the attribute",
        arguments: [0, 1, 2, 3, 5, 8]
    )
    func badNumber(size: Int) {
        let attribute = NetlinkAttribute(Rtnetlink.Link.master, [UInt8](repeating: 1, count: size))
        let message = MessageBuilder.link(3, "eth0", attributes: [attribute])
        #expect(failure(of: message) == .badAttributeValue(type: Rtnetlink.newLink, attribute: 10))
    }

    @Test("a malformed message does not hide the next one")
    func resumption() {
        var broken = MessageBuilder.link(3, "eth0")
        broken.attributes = [NetlinkAttribute(Rtnetlink.Link.operationalState, [], claimedLength: 4)]
        let parsed = ParsedDatagram(NetlinkDatagram([broken, .linkRemoved(9, "x")]))
        #expect(parsed.failure == nil)
        #expect(parsed.messages == [.linkRemoved(index: 9)])
        #expect(parsed.firstError == .badAttributeValue(type: Rtnetlink.newLink, attribute: 16))
    }

    @Test("unknown attributes are ignored, and the last of a type counts")
    func unknownAttributes() throws {
        let message = MessageBuilder.link(
            3,
            "eth0",
            attributes: [
                NetlinkAttribute(999, [1]), NetlinkAttribute(0, []), .text(Rtnetlink.Link.name, "eth1"),
                NetlinkAttribute(0x3FFF, [UInt8](repeating: 0xFF, count: 37)),
            ]
        )
        guard case .link(let parsed) = try parse(message) else {
            Issue.record("no link came out")
            return
        }
        #expect(parsed.link.name == "eth1")
    }

    @Test("errors name what was wrong, and where")
    func descriptions() {
        let expected: [(MessageError, String)] = [
            (.shortHeader(bytes: 3), "3 bytes are too few for a netlink message header"),
            (.badLength(type: 16, length: 0, available: 40), "message of type 16 claims 0 bytes where 40 are left"),
            (.shortBody(type: 24, bytes: 2), "message of type 24 has only 2 bytes of body"),
            (
                .badAttributeLength(type: 16, offset: 8),
                "message of type 16 has a broken attribute at byte 8 of its attributes"
            ),
            (.badAttributeValue(type: 20, attribute: 2), "message of type 20 has a bad value in attribute 2"),
        ]
        for (error, text) in expected { #expect(error.description == text) }
    }
}
