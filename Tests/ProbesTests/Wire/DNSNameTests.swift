import Probes
import Testing

@Suite
struct DNSNameTests {
    @Test(arguments: [
        (".", "."), ("host.test", "host.test."), ("host.test.", "host.test."), (#"a\.b.c"#, #"a\.b.c."#),
        (#"\000\255"#, #"\000\255."#), (#"\065"#, "A."), (#"\\.x"#, #"\\.x."#), ("_dmarc.x", "_dmarc.x."),
    ])
    func `a name is read in the form of zone files and shown so`(text: String, expected: String) throws {
        #expect(try DNSName(parsing: text).description == expected)
    }

    @Test(
        arguments: [
            ("", .empty), (".a", .emptyLabel), ("a..b", .emptyLabel), ("a..", .emptyLabel), ("..", .emptyLabel),
            (String(repeating: "a", count: 64), .labelTooLong), (#"a\"#, .badEscape), (#"\25"#, .badEscape),
            (#"\256"#, .badEscape), (#"\2x5"#, .badEscape), ("ä.test", .notASCII), (#"\ä"#, .notASCII),
            (String(repeating: "abc.", count: 64), .nameTooLong),
        ] as [(String, DNSName.ParsingError)]
    )
    func `text that is not a name is an error`(text: String, expected: DNSName.ParsingError) {
        #expect(throws: expected) { try DNSName(parsing: text) }
    }

    @Test
    func `names are compared without the case of ASCII letters`() throws {
        #expect(try DNSName(parsing: "Host.TEST") == DNSName(parsing: "hOST.test."))
        #expect(try Set([DNSName(parsing: "A"), DNSName(parsing: "a")]).count == 1)
        #expect(try DNSName(parsing: "a[") != DNSName(parsing: "a{"))
        #expect(try DNSName(parsing: #"a\.b"#) != DNSName(parsing: "a.b"))
    }

    @Test(
        arguments: [("a", .a), ("AAAA", .aaaa), ("https", .https), ("TYPE257", .caa), ("type0", .init(rawValue: 0))]
            as [(String, DNSRecordType)]
    )
    func `a type is read by its name or number`(name: String, expected: DNSRecordType) {
        #expect(DNSRecordType(name: name) == expected)
    }

    @Test(arguments: ["", "B", "TYPE", "TYPE-1", "TYPE+1", "TYPE65536", "TYPE 1", "A "])
    func `text that is not a type is rejected`(name: String) { #expect(DNSRecordType(name: name) == nil) }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1:53"), ("2001:db8::1", "[2001:db8::1]:53"), ("fe80::1%eth0", "[fe80::1%eth0]:53"),
    ])
    func `an endpoint is an address and no name`(text: String, expected: String) throws {
        #expect(try #require(WireEndpoint(text, port: 53)).description == expected)
    }

    @Test(arguments: ["", "host", "192.0.2.1%eth0", "fe80::1%", "192.0.2", "[::1]", "%eth0"])
    func `text that is not an address makes no endpoint`(text: String) {
        #expect(WireEndpoint(text, port: 53) == nil)
    }
}
