import ForeignText
import HTTPSerialization
import Testing

@Suite struct JSONParserTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1.5", "1e5", "1E-5", "1e+5", "-1.0e0", "\"\"", "[]", "{}", " [ ] ",
        "\t\n\r 1 \t\n\r", "[1,2,3]", #"{"a":1,"b":{"c":[]}}"#, #""\u0000""#, #""\"\\\/\b\f\n\r\t""#,
        #""\ud83d\ude00""#,
        #""\uD83D\uDE00""#, "\"é😀\"", "\"\u{7F}\"", "\u{FEFF}[]", #"{"":0}"#, "[[[[]]]]", "1.0E+2",
        "123456789012345678901",
        "\"\u{2028}\"", #"{"a":1,"a":2}"#, "[null]",
    ])
    func `text that RFC 8259 allows is read`(text: String) {
        #expect(throws: Never.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x10",
        "1_0",
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
        "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1]", "{,}", "{\"a\":,}", "'a'", "\"", "\"a", "\"\\\"",
        "\"\\x41\"", "\"\\u12\"", "\"\\u12G4\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", #""\ud83d""#, #""\ude00""#,
        #""\ud83d\u0041""#, #""\ud83dx""#, #""\ud83d\n""#, "[] []", "1 2", "// c\n1", "/* */1", "\u{A0}1", "[1]\u{0}",
        "1e1234567890",
    ])
    func `text that RFC 8259 forbids is an error`(text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xFF, 0x22], [0xFF, 0xFE, 0x5B, 0x00], [0x00, 0x5B],
            [0xEF, 0xBB],
            [0xEF, 0xBB, 0xBF],
        ] as [[UInt8]]
    )
    func `invalid UTF-8 is an error`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
    }

    @Test func `escapes are decoded to their characters`() throws {
        let value = try JSONParser.parse(Array(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#.utf8))
        #expect(value == .string("\"\\/\u{8}\u{C}\n\r\té😀"))
    }

    @Test func `the last of equal names counts`() throws {
        #expect(try JSONParser.parse(Array(#"{"a":1,"a":true}"#.utf8)) == .object(["a": .bool(true)]))
    }

    @Test func `nulls are removed at any depth, and the last of equal names may be one`() throws {
        let text = #"{"a":null,"b":{"c":null,"d":[null,false,[null]]},"e":true,"e":null}"#
        let value = try JSONParser.parse(Array(text.utf8), removesNulls: true)
        #expect(value == .object(["b": .object(["d": .array([.bool(false), .array([])])])]))
        #expect(try JSONParser.parse(Array("null".utf8), removesNulls: true) == .null)
    }

    @Test func `nesting is allowed up to the limit`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONParser.parse(nested(128)) }
        #expect(throws: JSONError.self) { try JSONParser.parse(nested(513)) }
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(nested(3), maximumDepth: 2) }
        #expect(error?.description == "nested more than 2 deep at byte 2")
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func `a hundred thousand levels are an error`(level: String) {
        let bytes = Array(String(repeating: level, count: 100_000).utf8)
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
        #expect(error?.reason == "nested more than 128 deep")
    }

    @Test func `a wide array is read in one go`() throws {
        let text = "[" + Array(repeating: "1", count: 200_000).joined(separator: ",") + "]"
        guard case .array(let elements) = try JSONParser.parse(Array(text.utf8)) else {
            Issue.record("not an array")
            return
        }
        #expect(elements.count == 200_000)
    }

    @Test func `hundreds of thousands of small containers are read in one go`() throws {
        let text = "[" + Array(repeating: #"[],{"a":[]}"#, count: 80_000).joined(separator: ",") + "]"
        guard case .array(let elements) = try JSONParser.parse(Array(text.utf8), removesNulls: true) else {
            Issue.record("not an array")
            return
        }
        #expect(elements.count == 160_000)
    }

    @Test(arguments: [("[1 2]", 3), ("{\"a\":x}", 5), ("[1]]", 3), ("\"a", 0), ("[\"\\q\"]", 2), ("tru", 0)])
    func `an error names the place`(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test func `no prefix and no changed byte crashes the parser`() {
        let text = Array(#"{"a":[1.5e3,"\ud83d\ude00é",null],"b":{"c":true}}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.prefix(count))) }
        }
        var refused = 0
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                if (try? JSONParser.parse(changed)) == nil { refused += 1 }
            }
        }
        #expect(refused > 0)
    }
}

@Suite struct JSONNumberTests {
    @Test(arguments: [
        ("1", "1.0"), ("1", "10e-1"), ("100", "1e2"), ("0", "-0"), ("0", "0e999"), ("0.001", "1E-3"),
        ("-2.50", "-25e-1"),
        ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
    ])
    func `equal values are equal however they are written`(left: String, right: String) throws {
        let left = try #require(JSONNumber(left))
        let right = try #require(JSONNumber(right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(!(left < right) && !(right < left))
    }

    @Test(arguments: [
        ("9007199254740992", "9007199254740993"), ("-1", "0"), ("-2", "-1"), ("0.1", "0.11"), ("9", "10"),
        ("-10", "-9"),
        ("1e-400", "2e-400"), ("1e308", "1e309"), ("18446744073709551615", "18446744073709551616"),
        ("0", "1e-999999999"),
        ("-1e999999999", "-1"), ("0.09", "0.1"), ("1", "1.0000000000000000000000000001"),
    ])
    func `unlike values have an order, exact to the last digit`(smaller: String, larger: String) throws {
        let smaller = try #require(JSONNumber(smaller))
        let larger = try #require(JSONNumber(larger))
        #expect(smaller < larger)
        #expect(!(larger < smaller))
        #expect(smaller != larger)
    }

    @Test func `integers and floating-point numbers are returned only when they fit`() {
        #expect(JSONNumber("-9223372036854775808")?.int64 == .min)
        #expect(JSONNumber("9223372036854775808")?.int64 == nil)
        #expect(JSONNumber("18446744073709551615")?.uint64 == .max)
        #expect(JSONNumber("18446744073709551616")?.uint64 == nil)
        #expect(JSONNumber("1.5")?.double == 1.5)
        #expect(JSONNumber("1.5")?.int64 == nil)
        #expect(JSONNumber("1e400")?.double == nil)
    }

    @Test(arguments: ["", "+1", "1 ", "0x1", "nan", "1e9999999999", "--1"])
    func `text that is not a JSON number is rejected`(text: String) {
        #expect(JSONNumber(text) == nil)
    }
}
