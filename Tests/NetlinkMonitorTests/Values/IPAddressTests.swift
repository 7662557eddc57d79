internal import Testing

@testable internal import NetlinkMonitor

struct IPAddressTests {
    @Test(
        "a valid address is parsed and written in canonical form",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("2001:db8:0:1:0:0:0:1", "2001:db8:0:1::1"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("fe80::0001", "fe80::1"), ("0:0:0:0:0:ffff:255.255.255.255", "::ffff:255.255.255.255"),
        ]
    )
    func text(given: String, canonical: String) throws {
        let address = try ip(given)
        #expect(address.description == canonical)
        #expect(IPAddress(networkBytes: address.networkBytes) == address)
        #expect(IPAddress(canonical) == address)
    }

    @Test(
        "anything else is rejected",
        arguments: [
            "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "0x1.2.3.4", "1.2.3.4 ", " 1.2.3.4",
            "1.2.3.4/32",
            "::1%lo", "fe80::1%2", ":::", "1::2::3", "12345::", "::1/128", "localhost", "1.2.3.4\n", "[::1]",
            String(repeating: "1", count: 4096), "١.2.3.4",
        ]
    )
    func refusal(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("a zero byte does not end the text")
    func zeroByte() {
        #expect(IPAddress("1.2.3.4\0") == nil)
        #expect(IPAddress("::1\0 and more") == nil)
    }

    @Test("only 4 or 16 bytes form an address", arguments: 0...20)
    func bytes(count: Int) {
        #expect((IPAddress(networkBytes: [UInt8](repeating: 1, count: count)) != nil) == [4, 16].contains(count))
    }

    /// An address, and the classes that it belongs to.
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let classes: Set<String>
        init(_ text: String, _ classes: String...) {
            self.text = text
            self.classes = Set(classes)
        }
        var testDescription: String { text }
    }

    @Test(
        "addresses are classified, including the edges of each range",
        arguments: [
            Row("0.0.0.0", "unspecified"), Row("0.0.0.1"), Row("126.255.255.255"), Row("127.0.0.0", "loopback"),
            Row("127.255.255.255", "loopback"), Row("128.0.0.0"), Row("169.253.255.255"),
            Row("169.254.0.0", "link-local"),
            Row("169.254.255.255", "link-local"), Row("169.255.0.0"), Row("223.255.255.255"),
            Row("224.0.0.0", "multicast"), Row("239.255.255.255", "multicast"), Row("240.0.0.0"),
            Row("255.255.255.254"), Row("255.255.255.255", "broadcast"),
            Row("::", "unspecified"), Row("::1", "loopback"), Row("::2"), Row("1::1"), Row("fe7f:ffff::"),
            Row("fe80::", "link-local"), Row("febf:ffff::1", "link-local"), Row("fec0::"), Row("fd00::1"),
            Row("feff::"), Row("ff00::", "multicast"), Row("ff02::1", "multicast"), Row("::ffff:127.0.0.1"),
            Row("::127.0.0.1"), Row("::255.255.255.255"),
        ]
    )
    func classification(_ row: Row) throws {
        let address = try ip(row.text)
        var classes: Set<String> = []
        if address.isUnspecified { classes.insert("unspecified") }
        if address.isLoopback { classes.insert("loopback") }
        if address.isLinkLocal { classes.insert("link-local") }
        if address.isMulticast { classes.insert("multicast") }
        if address.isLimitedBroadcast { classes.insert("broadcast") }
        #expect(classes == row.classes)
    }

    @Test("a mapped address differs from the IPv4 one, and the unspecified addresses of both families differ")
    func families() throws {
        #expect(try ip("::ffff:192.0.2.1") != ip("192.0.2.1"))
        #expect(IPAddress.unspecified(.ipv4) != .unspecified(.ipv6))
        #expect(try ip("::").family == .ipv6)
    }

    @Test(
        "only an IPv4-mapped address is an IPv4 one in another form",
        arguments: [
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:0.0.0.0", "0.0.0.0"), ("192.0.2.1", "192.0.2.1"),
            ("::192.0.2.1", "::192.0.2.1"), ("::ffff:0:192.0.2.1", "::ffff:0:192.0.2.1"),
            ("64:ff9b::192.0.2.1", "64:ff9b::192.0.2.1"), ("1::ffff:192.0.2.1", "1::ffff:192.0.2.1"),
        ]
    )
    func unmapped(_ text: String, _ other: String) throws {
        #expect(try ip(text).unmapped == ip(other))
    }

    @Test("the words that the route filter compares are in network byte order")
    func words() throws {
        #expect(try ip("192.0.2.1").words == [0xC000_0201])
        #expect(try ip("2001:db8:1:2:3:4:5:6").words == [0x2001_0DB8, 0x0001_0002, 0x0003_0004, 0x0005_0006])
    }

    @Test(
        "a prefix cannot be longer than an address of its family",
        arguments: [
            ("192.0.2.0", 0, true), ("192.0.2.0", 32, true), ("192.0.2.0", 33, false), ("192.0.2.0", -1, false),
            ("2001:db8::", 128, true), ("2001:db8::", 129, false),
        ]
    )
    func prefixLength(text: String, length: Int, isValid: Bool) throws {
        #expect((IPPrefix(address: try ip(text), length: length) != nil) == isValid)
    }

    @Test("a prefix is written in CIDR notation, and only one of length 0 is a default")
    func prefixes() throws {
        #expect(try prefix("10.64.0.0/30").description == "10.64.0.0/30")
        #expect(IPPrefix.everything(.ipv6).description == "::/0")
        #expect(IPPrefix.everything(.ipv4).isDefault)
        #expect(try !prefix("0.0.0.0/1").isDefault)
    }

    @Test(
        "a prefix contains the addresses that start with its bits",
        arguments: [
            ("0.0.0.0/0", "255.255.255.255", true), ("10.1.0.0/16", "10.1.255.1", true),
            ("10.1.0.0/16", "10.2.0.1", false),
            ("10.1.0.2/32", "10.1.0.2", true), ("::/0", "2001:db8::1", true), ("2001:db8::/64", "2001:db8::ffff", true),
            ("2001:db8::/64", "2001:db8:0:1::", false), ("2001:db8::8/125", "2001:db8::f", true),
            ("2001:db8::8/125", "2001:db8::10", false), ("0.0.0.0/0", "::1", false),
        ]
    )
    func contains(_ text: String, _ address: String, _ expected: Bool) throws {
        #expect(try prefix(text).contains(ip(address)) == expected)
    }
}
