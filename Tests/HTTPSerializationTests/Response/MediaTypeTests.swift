import CheckResults
import HTTPSerialization
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("text/html", "text/html", []), (" Text/HTML ", "text/html", []), ("text/html;", "text/html", []),
        ("text/html ; Charset=UTF-8", "text/html", ["charset=UTF-8"]),
        (#"text/html;a="b;c\"d";e=f"#, "text/html", ["a=b;c\"d", "e=f"]),
        ("application/vnd.a.b+json;q=1;;x=y", "application/vnd.a.b+json", ["q=1", "x=y"]),
        (#"a/b;c="""#, "a/b", ["c="]),
    ])
    func `types are read with their parameters`(text: String, essence: String, parameters: [String]) {
        let type = MediaType(parsing: text.utf8)
        #expect(type?.essence == essence)
        #expect(type?.parameters.map { "\($0.name)=\($0.value)" } == parameters)
    }

    @Test(arguments: [
        "", " ", "text", "text/", "/html", "text/html/x", "text /html", "text/ html", "text/html;a", "text/html;a=",
        "text/html;a =b", "text/html;a= b", #"text/html;a="b"#, #"text/html;a="b\"#, "text/html,text/plain", "*",
        "text/html;=b", "té/xt", "text/html\n", "text/html;a=\"\u{7F}\"", "text/html\u{0};a=b",
    ])
    func `anything else is rejected`(text: String) {
        #expect(MediaType(parsing: text.utf8) == nil)
    }

    @Test(arguments: [
        ("application/*", "a media range is not supported, give each type"),
        ("*/*", "a media range is not supported, give each type"),
        ("text/html; charset=utf-8", "parameters are not compared, give text/html alone"),
        ("json", "expected a type and a subtype, such as application/json"),
        ("", "expected a type and a subtype, such as application/json"),
    ])
    func `a type that no response could match is an error`(text: String, reason: String) {
        let error = ExpectationError.invalidMediaType(text, reason: reason)
        #expect(throws: error) { try MediaType.accepted(parsing: text) }
        #expect(error.description == "'\(text)' is not a media type to accept: \(reason)")
    }

    @Test func `a type to accept is in lower case`() throws {
        #expect(try MediaType.accepted(parsing: "Application/JSON") == "application/json")
    }

    @Test func `no byte at any position of a type crashes the parser`() {
        let text = Array(#"text/html;a="b\"c""#.utf8)
        var read = 0
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                if MediaType(parsing: changed) != nil { read += 1 }
            }
        }
        #expect(read > text.count)
        #expect(MediaType(parsing: text.map { $0 | 0x80 }) == nil)
    }
}
