import HTTPSerialization
import Testing

@Suite struct SnippetTests {
    @Test(arguments: [
        ("plain", "'plain'"), ("it's\\", #"'it\'s\\'"#),
        ("a\r\n\t\u{0}\u{1B}\u{7F}\u{85}", #"'a\r\n\t\u{0}\u{1b}\u{7f}\u{85}'"#),
        ("\u{202E}x\u{200B}\u{2028}", #"'\u{202e}x\u{200b}\u{2028}'"#), ("é😀", "'é😀'"), ("", "''"),
        (String(repeating: "x", count: 80), "'" + String(repeating: "x", count: 80) + "'"),
        (String(repeating: "x", count: 81), "'" + String(repeating: "x", count: 80) + "…'"),
        (String(repeating: "x", count: 1000), "'" + String(repeating: "x", count: 80) + "…'"),
    ])
    func `text is bounded and on one line`(text: String, wanted: String) {
        #expect(Snippet.quoted(text) == wanted)
        #expect(Snippet.quoted(Array(text.utf8)) == wanted)
    }

    @Test func `invalid UTF-8 is replaced`() {
        #expect(Snippet.quoted([0x61, 0xFF, 0x62]) == "'a\u{FFFD}b'")
        let combining = "a" + String(repeating: "\u{301}", count: 500)
        #expect(Snippet.quoted(combining).unicodeScalars.count <= Snippet.limit + 3)
    }

    @Test(arguments: [
        ("{\"user\":1,\"Password\":\"hunter2\"}", "'{\"user\":1,\"Password…'"), ("access_token=abc", "'access_token…'"),
        ("Set-Cookie: a", "'Set-Cookie…'"), ("ends with secret", "'ends with secret'"),
        ("my passwor and a tokem", "'my passwor and a tokem'"), ("SESSION_TOKEN=1", "'SESSION…'"),
        ("sécret", "'sécret'"), ("e\u{301}secret\u{301}=1", "'e\u{301}secret…'"),
    ])
    func `text after a word like password is not shown`(text: String, wanted: String) {
        #expect(Snippet.quoted(text) == wanted)
    }
}
