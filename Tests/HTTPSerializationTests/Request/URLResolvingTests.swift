import HTTPSerialization
import Testing

@Suite
struct URLResolvingTests {
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
        ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"),
    ])
    func `the normal examples of RFC 3986 section 5.4.1 resolve as it says`(reference: String, target: String) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference: reference).description == "http://a\(target)")
    }

    @Test(arguments: [
        ("../../../g", "/g"), ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."),
        (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"),
        ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"),
        ("g?y/./x", "/b/c/g?y/./x"), ("g?y/../x", "/b/c/g?y/../x"), ("g#s/./x", "/b/c/g"), ("g#s/../x", "/b/c/g"),
    ])
    func `the abnormal examples of section 5.4.2 resolve as it says`(reference: String, target: String) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference: reference).description == "http://a\(target)")
    }

    @Test(arguments: [
        ("//g", "http://g/"),
        ("//g:81?y", "http://g:81/?y"),
        ("https://g", "https://g/"),
        ("HTTP://G:80/x", "http://g/x"),
        ("http://a/b/../c#s", "http://a/c"),
        ("a b", "http://a/b/c/a%20b"),
        ("\\\\evil.example\\x", "http://a/b/c/%5C%5Cevil.example%5Cx"),
        ("/\\evil.example", "http://a/%5Cevil.example"),
        ("/a@b:c", "http://a/a@b:c"),
        ("ä?ö", "http://a/b/c/%C3%A4?%C3%B6"),
        ("?", "http://a/b/c/d;p?"),
        ("%2E%2e/g", "http://a/b/g"),
        ("./x:y", "http://a/b/c/x:y"),
        ("1:2", "http://a/b/c/1:2"),
    ])
    func `absolute, scheme-relative and untidy references resolve strictly`(reference: String, target: String) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference: reference).description == target)
    }

    @Test
    func `a reference without scheme and port keeps those of its base`() throws {
        let base = try HTTPURL(parsing: "https://a:8443/x/y?z")
        #expect(try base.resolving(reference: "../w").description == "https://a:8443/w")
        #expect(try base.resolving(reference: "//b/w").description == "https://b/w")
    }

    @Test(arguments: [
        ("g:h", HTTPURLError.unsupportedScheme("g")),
        ("http:g", .notAbsolute),
        ("http:", .notAbsolute),
        ("//", .emptyHost),
        ("///x", .emptyHost),
        ("//user:secret@g/", .userInformation),
        ("http://user@g/", .userInformation),
        ("/a\r\nSet-Cookie: b", .controlCharacter(13)),
        ("/a\u{0}", .controlCharacter(0)),
        ("//g:x/", .invalidPort("x")),
        ("file:///etc/passwd", .unsupportedScheme("file")),
    ])
    func `an invalid reference is an error with its reason`(reference: String, error: HTTPURLError) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        #expect(throws: error) { try base.resolving(reference: reference) }
    }

    @Test
    func `a reference that is too long, or makes an address too long, is an error`() throws {
        let base = try HTTPURL(parsing: "http://a/" + String(repeating: "b", count: 5000) + "/")
        let reference = String(repeating: "c", count: 5000)
        #expect(throws: HTTPURLError.tooLong) { try base.resolving(reference: reference) }
        #expect(throws: HTTPURLError.tooLong) { try base.resolving(reference: reference + reference) }
        #expect(throws: Never.self) { try base.resolving(reference: "/" + reference) }
    }
}
