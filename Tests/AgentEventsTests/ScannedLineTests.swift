import Testing

@testable import AgentEvents

@Suite struct ScannedLineTests {
    private func scan(_ text: String) -> ScannedLine? { scan(Array(text.utf8)) }
    private func scan(_ bytes: [UInt8]) -> ScannedLine? { ScannedLine(bytes.span) }

    /// A line with a value in its `data`.
    private func scan(data: [UInt8]) -> ScannedLine? { scan(Array("{\"type\":\"t\",\"data\":".utf8) + data + [0x7D]) }

    @Test func `the envelope's members are found`() throws {
        let text = """
            {"specversion":"1.0","type":"reachagent.path.changed","subject":"office",\
            "time":"2026-11-21T07:00:00.123456Z","seq":42,"data":{"type":"x","seq":7,"time":"never"}}
            """
        let line = try #require(scan(text))
        let bytes = Array(text.utf8)
        #expect(String(decoding: bytes[line.type], as: UTF8.self) == "reachagent.path.changed")
        #expect(String(decoding: bytes[line.subject], as: UTF8.self) == "office")
        #expect(line.sequence == 42)
        #expect(line.time?.description == "2026-11-21T07:00:00.123456Z")
    }

    @Test func `a line that the agent writes is scanned`() throws {
        let draft = EventDraft(
            .agentStopping,
            subject: "a \"b\" \\ \u{1}\u{7F} é€😀",
            .agentStopping(AgentStopping(reason: "\n\t"))
        )
        let event = Event(
            draft,
            from: EventOrigin(streamID: "x", host: "h"),
            at: Timestamp(microsecondsSince1970: 1),
            number: 9
        )
        let line = try #require(scan(event.line))
        #expect(line.sequence == 9)
        #expect(line.time == Timestamp(microsecondsSince1970: 1))
    }

    @Test func `of several members with one name the scanner and the decoder take the first`() throws {
        let text = """
            {"specversion":"1.0","id":"x-1","source":"/reachagent/h","type":"reachagent.agent.stopping","subject":"agent",\
            "time":"2026-11-21T07:00:00.000001Z","seq":1,"data":{"reason":"SIGTERM"},"seq":2,"type":"reachagent.agent.started",\
            "subject":"office","time":"2026-11-21T08:00:00.000000Z"}
            """
        let bytes = Array(text.utf8)
        let line = try #require(scan(bytes))
        let event = try #require(AgentEvent(line: bytes))
        #expect(line.sequence == 1)
        #expect(event.sequence == 1)
        #expect(String(decoding: bytes[line.type], as: UTF8.self) == event.type)
        #expect(String(decoding: bytes[line.subject], as: UTF8.self) == event.subject)
        #expect(line.time == event.time)
        #expect(event.content == .agentStopping(AgentStopping(reason: "SIGTERM")))
    }

    @Test(arguments: [
        "{\"type\":\"t\"}", " \t{ \"type\" : \"t\" } \r", "{\"type\":\"t\",\"seq\":1}",
        "{\"a\":1,\"type\":\"t\",\"b\":[]}",
        "{\"type\":\"t\",\"seq\":18446744073709551615}", "{\"type\":\"\"}", "{\"type\":\"t\",\"type\":\"u\"}",
        "{\"type\":\"t\",\"\":{}}", "{\"type\":\"t\",\"time\":\"no time\"}",
    ])
    func `a line that is one object with a type is accepted`(text: String) { #expect(scan(text) != nil) }

    @Test(arguments: [
        "", " ", "{", "}", "{}", "[]", "null", "\"type\"", "{\"type\":\"t\"", "{\"type\":\"t\"}}", "{\"type\":\"t\"} x",
        "{\"type\":\"t\",}", "{,\"type\":\"t\"}", "{\"type\"}", "{\"type\":}", "{type:\"t\"}", "{\"type\" \"t\"}",
        "{\"type\":1}", "{\"type\":null}", "{\"type\":\"t\",\"subject\":1}", "{\"type\":\"t\",\"time\":0}",
        "{\"type\":\"t\"}{\"type\":\"t\"}", "{\"type\":\"t\"\n}", "{\"type\":\"t\",\"seq\":0}",
        "{\"type\":\"t\",\"seq\":01}",
        "{\"type\":\"t\",\"seq\":-1}", "{\"type\":\"t\",\"seq\":1.0}", "{\"type\":\"t\",\"seq\":1e3}",
        "{\"type\":\"t\",\"seq\":\"1\"}", "{\"type\":\"t\",\"seq\":}", "{\"type\":\"t\",\"seq\":null}",
        "{\"type\":\"t\",\"seq\":18446744073709551616}", "{\"type\":\"t\",\"seq\":99999999999999999999999}",
        "\u{FEFF}{\"type\":\"t\"}", "{\"type\":\"t\",\"data\"", "{\"type\":\"t\",\"data\":",
        "{\"type\":\"t\",\"data\":{",
    ])
    func `any other line is rejected`(text: String) { #expect(scan(text) == nil) }

    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "1.5", "-0.25", "1e5", "1E5", "1e+5", "1e-5", "0.0e0",
        "123456789012345678901234567890",
        "true", "false", "null", "\"\"", "[]", "{}", "[ ]", "{ }", "[1,2]", "[[],{}]", "{\"a\":{\"b\":[1,\"x\",null]}}",
        "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : 2 }", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD\\ud800\"", "\"a'b\"",
        "\"\u{7F}\"", "\"é€😀\u{10FFFF}\u{D7FF}\u{E000}\"",
    ])
    func `a value of JSON is accepted`(value: String) { #expect(scan(data: Array(value.utf8)) != nil) }

    @Test(arguments: [
        "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e5", "0x10", "1_0", "NaN", "Infinity", "-Infinity",
        "tru",
        "True", "nul", "nulll", "'a'", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u\"",
        "\"\t\"",
        "\"\u{0}\"", "\"\u{1F}\"", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{1:2}", "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}", "{\"a\":1]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "// x", "1 // x",
    ])
    func `text that is not a JSON value is rejected`(value: String) { #expect(scan(data: Array(value.utf8)) == nil) }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x41],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]]
    )
    func `invalid UTF-8 is rejected, even at the end of the bytes`(text: [UInt8]) {
        #expect(scan(data: [0x22] + text + [0x22]) == nil)
        #expect(scan(Array("{\"type\":\"".utf8) + text) == nil)
        #expect(scan(text) == nil)
    }

    @Test func `nesting is accepted up to the limit`() {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        let accepted = (1...200).filter { scan(data: nested($0)) != nil }
        #expect(accepted == Array(1...ScannedLine.maximumDepth))
        #expect(scan(data: Array(String(repeating: "[", count: 1_000_000).utf8)) == nil)
    }

    @Test func `objects and arrays close as they were opened, at every depth`() {
        let open = String(repeating: "[{\"a\":", count: 30)
        let close = String(repeating: "}]", count: 30)
        #expect(scan(data: Array((open + "1" + close).utf8)) != nil)
        #expect(scan(data: Array((open + "1" + close.dropLast() + "}").utf8)) == nil)
    }

    @Test func `a line is accepted up to the limit`() {
        func line(_ count: Int) -> [UInt8] {
            let frame = "{\"type\":\"t\",\"x\":\"\"}"
            return Array(frame.dropLast(2).utf8) + [UInt8](repeating: 0x61, count: count - frame.utf8.count) + [
                0x22, 0x7D,
            ]
        }
        #expect(scan(line(ScannedLine.maximumBytes)) != nil)
        #expect(scan(line(ScannedLine.maximumBytes + 1)) == nil)
    }

    @Test func `no beginning of a line is a line`() {
        let text = Array("{\"type\":\"t\\u00e9\",\"seq\":12,\"data\":[true,{\"é\":-1.5e3}],\"time\":\"x\"}".utf8)
        #expect(scan(text) != nil)
        for count in 0..<text.count { #expect(scan(Array(text.prefix(count))) == nil) }
    }
}
