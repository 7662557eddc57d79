import Testing

@testable import AgentEvents

@Suite
struct JSONDocumentTests {
    private static func root(_ text: String) -> JSONNode? { JSONDocument(Array(text.utf8))?.root }

    private static let refused = [
        "", " ", "{", "}", "[", "]", "{]", "[}", "[1,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, "[1 2]",
        "01", "1.", ".5", "1e", "+1", "-", "nul", "truee", #""a"#, #""\x""#, #""\u12""#, "\"\u{1}\"", "[1]]", "{}{}",
        "1 2",
        "[\"a\nb\"]", "NaN", #"{"a":1 "b":2}"#, #"["\"#,
    ]

    @Test(arguments: refused)
    func `text that is not JSON is rejected`(_ text: String) { #expect(JSONDocument(Array(text.utf8)) == nil) }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
    ])
    func `text that is not UTF-8 is rejected`(_ bytes: [UInt8]) { #expect(JSONDocument(bytes) == nil) }

    private static let strings: [(String, String)] = [
        (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u6f22""#, "é漢"),
        (#""\ud83d\ude00""#, "😀"), (#""\ud83d""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"),
        (#""\ude00""#, "\u{FFFD}"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""é""#, "é"), (#""""#, ""),
    ]

    @Test(arguments: strings)
    func `a string is read with its escapes decoded`(_ text: String, _ string: String) {
        #expect(Self.root(text)?.string == string)
    }

    @Test
    func `a whole number is read exactly or not at all`() {
        #expect(Self.root("18446744073709551615")?.integer() == UInt64.max)
        #expect(Self.root("18446744073709551616")?.integer() == UInt64?.none)
        #expect(Self.root("-9223372036854775808")?.integer() == Int64.min)
        #expect(Self.root("-1")?.integer() == UInt8?.none)
        #expect(Self.root("256")?.integer() == UInt8?.none)
        #expect(Self.root("1.0")?.integer() == Int?.none)
        #expect(Self.root("1e2")?.integer() == Int?.none)
        #expect(Self.root("1e2")?.double == 100)
        #expect(Self.root(#""1""#)?.integer() == Int?.none)
    }

    @Test
    func `members and elements are found in containers of any nesting`() throws {
        let root = try #require(Self.root(#" { "a" : [ 1 , {"b":[]} , "x" ] , "c" : {"d":{}} , "a" : 2 } "#))
        #expect(root.members.map(\.name.string) == ["a", "c", "a"])
        let first = try #require(root.member("a"))
        #expect(first.elements.map(\.kind) == [.number, .object, .string])
        #expect(first.elements[1].member("b")?.elements.isEmpty == true)
        #expect(root.member("c")?.member("d")?.kind == .object)
        #expect(root.member("d") == nil)
        #expect(first.member("a") == nil)
        #expect(root.elements.isEmpty)
    }

    @Test
    func `nesting is bounded`() {
        let most = ScannedLine.maximumDepth
        #expect(Self.root(String(repeating: "[", count: most) + String(repeating: "]", count: most)) != nil)
        #expect(Self.root(String(repeating: "[", count: most + 1) + String(repeating: "]", count: most + 1)) == nil)
    }

    @Test(arguments: ["[1,2,3]", #"{"a":1,"b":2}"#, #"[[],[]]"#, #"{"a":{"b":[]}}"#])
    func `the number of values and names is bounded`(_ text: String) {
        let bytes = Array(text.utf8)
        let count = JSONDocument(bytes)?.entries.count ?? 0
        #expect(count > 2)
        #expect(JSONDocument(bytes, maximumValues: count) != nil)
        #expect(JSONDocument(bytes, maximumValues: count - 2) == nil)
        #expect(JSONDocument(bytes, maximumValues: 0) == nil)
    }

    @Test
    func `a hostile text of nothing but values is rejected`() {
        let text = "[" + String(repeating: "1,", count: JSONDocument.maximumValues + 1) + "1]"
        #expect(JSONDocument(Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u00e9\ud83d\ude00x""#, "é😀x"),
            (#""é""#, "é"),
            (#""\ud83d""#, nil), (#""\ud83dx""#, nil), (#""\ude00""#, nil), (#""\ud83d\u0041""#, nil), ("7", nil),
            ("\"", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `the characters of a string are read only when each escape is valid`(text: String, expected: String?) {
        #expect(Self.root(text)?.characters == expected.map { Array($0.utf8) })
    }
}
