internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The alternative names of a link: in the kernel's message, and in comparisons with the names of a configuration.
struct AlternativeNameTests {
    private struct Unexpected: Error {}

    private static func message(_ properties: [NetlinkAttribute]) -> MessageBuilder {
        .link(3, "eth0", attributes: [.nested(Rtnetlink.Link.properties, properties)])
    }

    private static func name(_ bytes: [UInt8], claimedLength: UInt16? = nil) -> NetlinkAttribute {
        NetlinkAttribute(Rtnetlink.Link.alternativeName, bytes, claimedLength: claimedLength)
    }

    /// The properties in a message, and the names that are read.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let properties: [NetlinkAttribute]
        let expected: [String]

        init(_ what: String, _ properties: [NetlinkAttribute], _ expected: [String]) {
            (testDescription, self.properties, self.expected) = (what, properties, expected)
        }
    }

    private static let long = [UInt8](repeating: 0x61, count: 127)

    @Test(arguments: [
        Row("none", [], []),
        Row("two, in the kernel's order", [name(Array("enp3s0\0".utf8)), name(Array("a\0".utf8))], ["enp3s0", "a"]),
        Row("without a zero byte", [name(Array("enp3s0".utf8))], ["enp3s0"]),
        Row("ends at the first zero byte", [name([0x61, 0, 0x62, 0])], ["a"]),
        Row("not UTF-8", [name([0x65, 0xFF, 0x30, 0])], ["e\u{FFFD}0"]),
        Row("empty", [name([]), name([0]), name([0x61, 0])], ["a"]),
        Row("as long as possible", [name(long + [0])], [String(repeating: "a", count: 127)]),
        Row("too long", [name(long + [0x61, 0]), name(long + [0x61])], []),
        Row("another property", [NetlinkAttribute(52, [0x62, 0]), name([0x61, 0]), NetlinkAttribute(99, [])], ["a"]),
        Row("many", (0..<500).map { name(Array("n\($0)".utf8)) }, (0..<64).map { "n\($0)" }),
    ])
    func `the alternative names are read, and those that no kernel accepts are left out`(_ row: Row) throws {
        guard case .link(let parsed) = try parse(Self.message(row.properties)) else { throw Unexpected() }
        #expect(parsed.link.alternativeNames == row.expected)
        #expect(parsed.link.name == "eth0" && parsed.isComplete)
    }

    @Test(arguments: [
        ([name([0x61, 0], claimedLength: 40)], 0), ([name([0x61, 0]), name([0x62, 0], claimedLength: 9)], 8),
        ([name([0x61, 0], claimedLength: 3)], 0),
    ])
    func `a malformed list is an error of the whole message`(properties: [NetlinkAttribute], offset: Int) {
        #expect(
            failure(of: Self.message(properties)) == .badAttributeLength(type: Rtnetlink.newLink, offset: offset)
        )
    }

    @Test(
        arguments: [
            ("eth0", 2), ("enp3s0", 2), ("a name of more than 15 bytes", 2), ("eth1", 3), ("lan", 3), ("enp3", nil),
            ("", nil),
        ] as [(String, UInt32?)]
    )
    func `an interface is found by each of its names`(name: String, index: UInt32?) {
        let links = [
            Link(index: 2, name: "eth0", alternativeNames: ["enp3s0", "a name of more than 15 bytes"]),
            Link(index: 3, name: "eth1", alternativeNames: ["lan"]), Link(index: 4, name: "eth2"),
        ]
        #expect(NetworkSnapshot(links: links).link(named: name)?.index == index)
        let names = InterfaceNames(LinkTable(links))
        #expect(names.ownName(of: name) == links.first { $0.index == index }?.name)
        #expect(names.alternatives(to: "eth1") == ["lan"] && names.alternatives(to: "lan").isEmpty)
        #expect(names.all == ["eth0", "enp3s0", "a name of more than 15 bytes", "eth1", "lan", "eth2"])
    }

    @Test func `an own name takes precedence over an alternative one while messages of a swap are on their way`() {
        let links = [Link(index: 2, name: "eth0", alternativeNames: ["lan"]), Link(index: 3, name: "lan")]
        #expect(NetworkSnapshot(links: links).link(named: "lan")?.index == 3)
    }

    @Test func `links that differ only in the way in which their names were removed are equal`() {
        var link = Link(index: 2, name: "eth0", alternativeNames: ["enp3s0"])
        #expect(link != Link(index: 2, name: "eth0"))
        link.alternativeNames = []
        #expect(link == Link(index: 2, name: "eth0"))
    }
}
