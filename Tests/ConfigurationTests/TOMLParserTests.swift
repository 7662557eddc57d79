import Testing

@testable import Configuration

/// TOML 1.0: values, positions, and texts that are refused.
@Suite struct TOMLParserTests {
    private static func parse(_ text: String) throws -> Node {
        try TOMLParser.parse(try SourceText(Array(text.utf8), file: "a"))
    }

    private static func error(_ text: String) -> ConfigurationError? {
        do {
            _ = try parse(text)
            return nil
        } catch {
            return (error as? ConfigurationErrors)?.errors.first
        }
    }

    /// The value of a key, or of an element of an array by its number.
    private static func node(at path: [String], in text: String) -> Node? {
        var node = try? parse(text)
        for key in path {
            switch node?.value {
            case .array(let elements)?: node = Int(key).flatMap { elements.dropFirst($0).first }
            case .table(let members)?: node = members[TOMLKey(key)]
            default: return nil
            }
        }
        return node
    }

    /// A value as one text, to compare with.
    private static func shown(_ node: Node) -> String {
        switch node.value {
        case .string(let text): return "'\(text)'"
        case .integer(let number): return "\(number)"
        case .number(let number): return "\(number)"
        case .boolean(let flag): return "\(flag)"
        case .date: return "date"
        case .array(let nodes): return "[\(nodes.map(shown).joined(separator: ","))]"
        case .table(let members):
            let sorted = members.sorted { $0.key.text < $1.key.text }
            return "{\(sorted.map { "\($0.key.text):\(shown($0.value))" }.joined(separator: ","))}"
        }
    }

    // MARK: Positions

    static let text = """
        # a comment with [brackets] and key = 1
        top = 1
        a.b . "c d".'e' = [1,
          2, # ] not the end
          [ { x = 3 },
            { y = 4 } ] ]

        [table] # behind
        one = "#no comment" # comment
        two = \"\"\"
        [no.table]
        three = 3 \"\"\"\"
        four = '''
        \\'''
        five = { six.seven = 7, "ei\\u0067ht" = [ ] }
        [ table . sub ]
        nine = 2026-11-21 10:00:00
        [[list]]
        ten = 1
        [[list]]
        ten = 2
        [list.under]
        eleven = 11
        """

    @Test(arguments: [
        (["top"], 2, 1), (["a"], 3, 1), (["a", "b"], 3, 3), (["a", "b", "c d", "e"], 3, 13),
        (["a", "b", "c d", "e", "0"], 3, 20), (["a", "b", "c d", "e", "1"], 4, 3),
        (["a", "b", "c d", "e", "2", "0", "x"], 5, 7), (["a", "b", "c d", "e", "2", "1", "y"], 6, 7),
        (["table"], 8, 1), (["table", "one"], 9, 1), (["table", "two"], 10, 1), (["table", "four"], 13, 1),
        (["table", "five"], 15, 1), (["table", "five", "six", "seven"], 15, 14), (["table", "five", "eight"], 15, 25),
        (["table", "sub"], 16, 1), (["table", "sub", "nine"], 17, 1), (["list"], 18, 1),
        (["list", "0", "ten"], 19, 1), (["list", "1", "ten"], 21, 1), (["list", "1", "under", "eleven"], 23, 1),
    ])
    func `a key has its position in the file`(path: [String], line: Int, column: Int) throws {
        let origin = try #require(Self.node(at: path, in: Self.text)).origin
        #expect(origin.line == line)
        #expect(origin.column == column)
    }

    @Test(arguments: [["no"], ["three"], ["table", "three"], ["table", "no"]])
    func `text in a string is not a key`(path: [String]) {
        #expect(Self.node(at: path, in: Self.text) == nil)
    }

    @Test func `a column counts characters, and a line ends with LF or CR LF`() throws {
        let origin = try #require(Self.node(at: ["a", "k"], in: "# é\r\na = { 'é' = 1, k = 2 }\r\n")).origin
        #expect(origin.line == 2)
        #expect(origin.column == 16)
    }

    // MARK: Values

    @Test(arguments: [
        ("+99", "99"), ("-0", "0"), ("1_000", "1000"), ("0xDEAD_beef", "3735928559"), ("0o755", "493"),
        ("0b1101_0110", "214"), ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"), ("3.1415", "3.1415"), ("-0.01", "-0.01"),
        ("5e+22", "5e+22"), ("1e06", "1000000.0"), ("-2E-2", "-0.02"), ("6.626e-34", "6.626e-34"),
        ("224_617.445_991_228", "224617.445991228"), ("inf", "inf"), ("-inf", "-inf"), ("+nan", "nan"),
        ("true", "true"), ("false", "false"),
    ])
    func `a number has its value`(text: String, value: String) throws {
        #expect(Self.shown(try Self.parse("a = \(text)")) == "{a:\(value)}")
    }

    @Test(arguments: [
        "1979-05-27T07:32:00Z", "1979-05-27T00:32:00-07:00", "1979-05-27 07:32:00z", "1979-05-27T07:32:00.999999",
        "1979-05-27", "07:32:00", "00:32:00.5", "2024-02-29", "1990-12-31t23:59:60Z",
    ])
    func `a date is one`(text: String) throws {
        #expect(Self.shown(try Self.parse("a = \(text)")) == "{a:date}")
    }

    @Test(arguments: [
        (#""a\tb\n\"\\\u00e9\U0001F600""#, "a\tb\n\"\\é😀"), (#"'C:\path'"#, #"C:\path"#), ("\"\"", ""),
        ("\"\"\"\na\r\nb\"\"\"", "a\nb"), ("\"\"\"a \\\n   \n  b\"\"\"", "a b"),
        ("\"\"\"a\"\"b\"\"\"\"\"", "a\"\"b\"\""),
        ("'''\na''b'''''", "a''b''"), ("'''it's \\n'''", "it's \\n"), ("\"\"\"\\\\\"\"\"", "\\"),
    ])
    func `a string has its characters`(text: String, value: String) throws {
        guard case .string(let read)? = Self.node(at: ["a"], in: "a = \(text)")?.value else {
            Issue.record("no string: \(Self.error("a = \(text)")?.description ?? "")")
            return
        }
        #expect(Array(read.utf8) == Array(value.utf8))
    }

    @Test func `keys and strings keep their bytes, and two spellings of a character are two keys`() throws {
        let text = "'e\u{301}' = '\u{E9}'\n'\u{E9}' = 'e\u{301}'\n"
        guard case .table(let members) = try Self.parse(text).value else {
            Issue.record("no table")
            return
        }
        #expect(members.count == 2)
        let values = ["e\u{301}", "\u{E9}"].map { key in
            if case .string(let read)? = members[TOMLKey(key)]?.value { Array(read.utf8) } else { [UInt8]() }
        }
        #expect(values == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test(arguments: [
        ("[a]\n[a.b]\nc = 1\n[a.d]\n", "{a:{b:{c:1},d:{}}}"), ("[a.b]\nc = 1\n[a]\nd = 2\n", "{a:{b:{c:1},d:2}}"),
        ("a.b = 1\na.c.d = 2\n", "{a:{b:1,c:{d:2}}}"), ("[a]\nb.c = 1\n[a.b.d]\ne = 2\n", "{a:{b:{c:1,d:{e:2}}}}"),
        ("[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 1\n[[a.e]]\n[[a.e]]\n", "{a:[{b:1},{c:{d:1},e:[{},{}]}]}"),
        ("a = { b = { }, c.d = [ 1, [ ], 'x', ], }", ""),
        ("a = { b = { }, c.d = [ 1, [ ], 'x', ] }", "{a:{b:{},c:{d:[1,[],'x']}}}"),
        ("'' = 1\n1.2 = 3\n", "{:1,1:{2:3}}"),
    ])
    func `tables are put together`(text: String, value: String) {
        #expect((try? Self.parse(text)).map(Self.shown) ?? "" == value)
    }

    // MARK: Refusals

    @Test(arguments: [
        "a = 1\na = 2", "a = 1\n\"a\" = 2", "[a]\n[a]", "[a]\nb = 1\n[a.b]", "a.b = 1\n[a]", "a = {}\n[a.b]",
        "a = { b = 1 }\na.c = 2", "a = []\n[[a]]", "[[a]]\n[a]", "[a]\n[[a]]", "[a.b.c]\nz = 9\n[a]\nb.c.t = 1",
        "[a]\nb.c = 1\n[a.b]", "a = 1\na.b = 2", "[[a.b]]\n[a]\nb.c = 1",
    ])
    func `nothing is defined twice`(text: String) throws {
        let error = try #require(Self.error(text))
        #expect(error.message.contains("is already defined"))
        #expect(error.line == text.split(separator: "\n").count)
    }

    @Test(arguments: [
        "a", "a =", "a = [", "a = {", "[a", "[[a]", "[[a] ]", "[ [a]]", "a = \"\"\"x", "= 1", "a..b = 1", "[a] b = 1",
        "a = 1 b = 2", "a = [1 2]", "a = { b = 1, }", "a = { b = 1\n}", "a = {,}", "[]", "[a.]", "a = 'x", "a = \"x",
        "a = \"\\x\"", "a = \"\\u12\"", "a = \"\\uD800\"", "a = \"\\U00110000\"", "a = \"\u{1}\"", "a = '\u{7F}'",
        "# \u{8}", "a = 1\rb = 2", "a = 01", "a = +0x1", "a = 0x", "a = 1__0", "a = _1", "a = 1_", "a = 1.", "a = .5",
        "a = 1.e3", "a = 1e", "a = 1e1.5", "a = 0xg", "a = 0b2", "a = 9223372036854775808", "a = True", "a = infinity",
        "a = 1979-13-01", "a = 2023-02-29", "a = 24:00:00", "a = 07:32", "a = 1979-05-27T07:32:00+24:00",
        "a = 1979-05-27 7:32:00", "a = 1979-5-27", "a b = 1", "a = sixty", "é = 1", "a = '''x'''''' ", "a = 1#\u{0B}",
    ])
    func `text that is not TOML is an error with its position`(text: String) throws {
        let error = try #require(Self.error(text))
        #expect(error.message.hasPrefix("invalid TOML: "), "\(error)")
        #expect(error.line != nil && error.column != nil)
    }

    @Test(arguments: [
        ("a = [1,\n  x]", 2, 3), ("é = 1", 1, 1), ("\"é\" = \"ü\\q\"", 1, 9), ("[a]\nb = 1 c", 2, 7), ("a = '", 1, 6),
    ])
    func `an error names its line and column`(text: String, line: Int, column: Int) {
        let error = Self.error(text)
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test(arguments: [
        String(repeating: "a.", count: 40) + "a = 1", "[" + String(repeating: "a.", count: 20) + "a]",
        "a = " + String(repeating: "[", count: 20), "a = " + String(repeating: "{a=", count: 20),
        "[a.b.c.d.e.f.g.h]\ni.j.k.l = [[[[[[ 1 ]]]]]]",
    ])
    func `keys that are nested too deeply are an error`(text: String) {
        #expect(Self.error(text)?.message == "keys are nested more than 16 levels deep")
    }

    @Test(arguments: ["a = \"\\u0000\"", "a = \"\"\"\n\\U00000000\"\"\"", "\"\\u0000\" = 1"])
    func `a NUL is an error, however it is written`(text: String) {
        #expect(Self.error(text)?.message == "a string contains the character NUL")
    }

    @Test func `keys are bounded in number and in length`() {
        let many = "a = [" + String(repeating: "1,", count: TOMLParser.maxKeys) + "]"
        #expect(Self.error(many)?.message == "there are more than 200000 keys and elements")
        #expect(Self.error("a = [" + String(repeating: "1,", count: TOMLParser.maxKeys - 1) + "]") == nil)
        let long = String(repeating: "k", count: TOMLParser.maxKeyBytes)
        #expect(Self.error("\(long) = 1") == nil)
        #expect(Self.error("\(long)k = 1")?.message == "a key has 1025 bytes; at most 1024 are accepted")
    }
}
