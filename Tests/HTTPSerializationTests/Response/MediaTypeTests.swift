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
