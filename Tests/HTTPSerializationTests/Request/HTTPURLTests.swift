import AgentTestKit
import CheckResults
import HTTPSerialization
import Testing

@Suite
struct HTTPURLTests {
    @Test
    func `an address is split into its parts`() throws {
        let url = try HTTPURL(parsing: "HTTPS://Status.Example.COM:8443/a/b?c=d&e#frag")
        #expect(url.scheme == .https)
        #expect(url.host == .name("status.example.com"))
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "c=d&e")
        #expect(url.requestTarget == "/a/b?c=d&e")
        #expect(url.authority == "status.example.com:8443")
        #expect(url.origin == "https://status.example.com:8443")
    }

    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com:/x", "http://example.com/x"),
        ("http://example.com:08080/", "http://example.com:8080/"),
        ("http://Example.com.:8080/", "http://example.com.:8080/"),
        ("http://example.com?q", "http://example.com/?q"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com#f", "http://example.com/"),
        ("http://my_host/", "http://my_host/"),
        ("http://192.0.2.7/", "http://192.0.2.7/"),
        ("http://[2001:DB8:0::1]:8080/x", "http://[2001:db8::1]:8080/x"),
        ("http://[::ffff:192.0.2.7]:8080/", "http://192.0.2.7:8080/"),
        ("http://[::FFFF:c000:207]/", "http://192.0.2.7/"),
        ("http://[::ffff:0:192.0.2.7]/", "http://[::ffff:0:c000:207]/"),
        ("http://h/a b\\c", "http://h/a%20b%5Cc"),
        ("http://h/%zz%4%", "http://h/%25zz%254%25"),
        ("http://h/%2f%2F", "http://h/%2f%2F"),
        ("http://h/ä?ü=€", "http://h/%C3%A4?%C3%BC=%E2%82%AC"),
        ("http://h/?a[]=\"<>^`{|}", "http://h/?a%5B%5D=%22%3C%3E%5E%60%7B%7C%7D"),
        ("http://h/a/./b/../c/%2e%2E/d", "http://h/a/d"),
        ("http://h//a//b", "http://h//a//b"),
        ("http://h/..//a", "http://h//a"),
        ("http://h/@:!$&'()*+,;=~", "http://h/@:!$&'()*+,;=~"),
    ])
    func `an address is brought into normal form and stays in it`(text: String, normal: String) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.description == normal)
        #expect(try HTTPURL(parsing: url.description) == url)
        #expect(try url.resolving(reference: url.description) == url)
    }

    @Test
    func `addresses of hosts are bytes`() throws {
        #expect(try HTTPURL(parsing: "http://192.0.2.7/").host == .address([192, 0, 2, 7]))
        #expect(try HTTPURL(parsing: "http://[::ffff:192.0.2.7]/").host == .address([192, 0, 2, 7]))
        let bytes: [UInt8] = [0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11) + [1]
        #expect(try HTTPURL(parsing: "https://[2001:db8::1]/").host == .address(bytes))
    }

    @Test(arguments: [
        ("", HTTPURLError.notAbsolute),
        ("example.com", .notAbsolute),
        ("example.com:80/", .unsupportedScheme("example.com")),
        ("//example.com/", .notAbsolute),
        ("/path", .notAbsolute),
        (" http://h/", .notAbsolute),
        ("http:h", .notAbsolute),
        ("http:/h", .notAbsolute),
        ("1http://h/", .notAbsolute),
        ("ftp://user:secret@h/", .unsupportedScheme("ftp")),
        ("javascript:alert(1)", .unsupportedScheme("javascript")),
        ("http://", .emptyHost),
        ("http:///path", .emptyHost),
        ("http://:80/", .emptyHost),
        ("http://?q", .emptyHost),
        ("http://user@h/", .userInformation),
        ("http://user:secret@h/", .userInformation),
        ("http://@h/", .userInformation),
        ("http://good.example\\@evil.example/", .userInformation),
        ("http://user:secret/x@h/", .userInformation),
        ("http://user:secret?x@h/", .userInformation),
        ("http://user:secret#x@h/", .userInformation),
        ("http://us_er!:secret/x@h/", .userInformation),
        ("http://[secret/x@h/", .userInformation),
        ("http://[::1]secret/x@h/", .userInformation),
        ("http://h:0/", .invalidPort("0")),
        ("http://h:65536/", .invalidPort("65536")),
        ("http://h:-1/", .invalidPort("-1")),
        ("http://h:+80/", .invalidPort("+80")),
        ("http://h:8 0/", .invalidPort("8 0")),
        ("http://h:80:80/", .invalidPort("80:80")),
        ("http://h:99999999999999999999/", .invalidPort("99999999999999999999")),
        ("http://h:٨٠/", .invalidPort("٨٠")),
        ("http://2001:db8::1/", .invalidHost("2001:db8::1", reason: "is an IPv6 address without brackets")),
        ("http://bücher.example/", .internationalizedHost("bücher.example")),
        ("http://ｅxample.com/", .internationalizedHost("ｅxample.com")),
        ("http://[fe80::1%25eth0]/", .zone("fe80::1%25eth0")),
        ("http://[fe80::1%eth0]/", .zone("fe80::1%eth0")),
        ("http://h\u{0}/", .controlCharacter(0)),
        ("http://h/\r\nX: y", .controlCharacter(13)),
        ("http://h/\n", .controlCharacter(10)),
        ("http://h/a\tb", .controlCharacter(9)),
        ("http://h/?a\u{7F}", .controlCharacter(127)),
        ("http://h/#a\u{1B}", .controlCharacter(27)),
    ])
    func `a hostile or broken address is an error with its reason`(text: String, error: HTTPURLError) {
        #expect(throws: error) { try HTTPURL(parsing: text) }
    }

    @Test(arguments: [
        "[", "[]", "[::1", "[::1]x", "[::1]]", "[192.0.2.7]", "[v1.x]", "[::1::2]", "]", "a]b", "h%2e", "a b", "a\\b",
        "a..b", ".", "..", ".a", "-a", "a-", "a.-b", "a,b", "a;b", "a'b", "a\"b", "<a>", "127.1", "1", "0x7f.1",
        "2130706433", "0x", "1.2.3.4.5", "1.2.3.256", "example.0x1", "010.0.0.1x.7", "a|b", "a{b}", "a^b", "*",
    ])
    func `a host that is neither a name nor an address is an error`(host: String) {
        let error = #expect(throws: HTTPURLError.self) { try HTTPURL(parsing: "http://\(host)/") }
        guard case .invalidHost = error else {
            Issue.record("refused for another reason: \(String(describing: error))")
            return
        }
    }

    @Test
    func `lengths are bounded to the byte`() throws {
        let label = String(repeating: "a", count: 63)
        #expect(throws: Never.self) { try HTTPURL(parsing: "http://\(label).example/") }
        #expect(throws: HTTPURLError.self) { try HTTPURL(parsing: "http://a\(label).example/") }
        let name = [label, label, label, String(label.dropLast(2))].joined(separator: ".")
        #expect(name.utf8.count == 253)
        #expect(throws: Never.self) { try HTTPURL(parsing: "http://\(name)/") }
        #expect(throws: HTTPURLError.self) { try HTTPURL(parsing: "http://\(name)a/") }

        let longest = "http://h/" + String(repeating: "p", count: HTTPURL.maximumLength - 9)
        #expect(try HTTPURL(parsing: longest).description == longest)
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(parsing: longest + "p") }
        let growing = "http://h/" + String(repeating: " ", count: HTTPURL.maximumLength / 2)
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(parsing: growing) }
    }

    @Test
    func `no error shows a password or a control character`() {
        for text in [
            "http://user:secret@h/", "ftp://u:secret@h", "http://u:secret@h:x/", "http://u:secret@[/",
            "http://u:secret/x@h/", "https://u:secret?x@h:443/", "http://u:secret#x@h/", "http://u:99999secret/@h/",
            "http://u:secret:443/x@h/", "http://[secret/x@h/", "http://[u]:secret/x@h/",
        ] {
            let error = #expect(throws: HTTPURLError.self) { try HTTPURL(parsing: text) }
            #expect(error.map { "\($0)".contains("secret") } == false)
        }
        #expect("\(HTTPURLError.controlCharacter(13))" == "the URL holds the control character U+000D")
        #expect("\(HTTPURLError.controlCharacter(127))" == "the URL holds the control character U+007F")
        #expect("\(HTTPURLError.userInformation)".contains("--basic-auth-file"))
        #expect("\(HTTPURLError.internationalizedHost("bücher.example"))".contains("xn--"))
        #expect(!"\(HTTPURLError.internationalizedHost("a\u{202E}b\u{9B}"))".unicodeScalars.contains("\u{202E}"))
    }

    @Test
    func `a replaced query is held to the same rules`() throws {
        let url = try HTTPURL(parsing: "http://h/p?old")
        #expect(try url.replacingQuery("a b&c=%41").description == "http://h/p?a%20b&c=%41")
        #expect(try url.replacingQuery(nil).description == "http://h/p")
        #expect(throws: HTTPURLError.controlCharacter(13)) { try url.replacingQuery("a\r\nb") }
        #expect(throws: HTTPURLError.tooLong) { try url.replacingQuery(String(repeating: "a", count: 8190)) }
    }

    @Test
    func `no bytes make the parser trap`() throws {
        let base = try HTTPURL(parsing: "https://example.com/a/b?c")
        var generator = SplitMix(state: 1)
        let alphabet = Array("ht:/?#[]@.%-0x9aZ\\ é😀\u{0}\r|~..//".unicodeScalars)
        var accepted = 0
        for _ in 0..<20_000 {
            var text = Bool.random(using: &generator) ? "http://" : ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                if let scalar = alphabet.randomElement(using: &generator) { text.unicodeScalars.append(scalar) }
            }
            for url in [try? HTTPURL(parsing: text), try? base.resolving(reference: text)].compactMap({ $0 }) {
                accepted += 1
                #expect(try HTTPURL(parsing: url.description) == url, "\(text)")
                #expect(url.description.utf8.allSatisfy { (0x21..<0x7F).contains($0) }, "\(text)")
            }
        }
        #expect(accepted > 1000)
    }
}
