import AgentTestKit
import Testing

@testable import StateClient

/// Bytes become lines, however they come.
@Suite struct LineBufferTests {
    private func lines(_ pieces: [[UInt8]], maximumBytes: Int = 8) throws(StateClientError) -> [String] {
        var buffer = LineBuffer(maximumBytes: maximumBytes)
        var lines: [String] = []
        for piece in pieces {
            buffer.append(piece[...])
            while let line = try buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        return lines
    }

    @Test("a text gives the same lines in chunks of every size", arguments: 1...12)
    func pieces(_ size: Int) throws {
        let text = Array("one\n\nthree\n12345678\nrest".utf8)
        let pieces = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min(text.count, $0 + size)]) }
        #expect(try lines(pieces) == ["one", "", "three", "12345678"])
    }

    @Test("a line that is too long is an error, complete or not", arguments: ["123456789\n", "123456789"])
    func tooLong(_ text: String) {
        #expect(throws: StateClientError.malformed("a line is longer than 8 bytes")) { try lines([Array(text.utf8)]) }
    }
}

/// The parsing of a reply around its parameters.
@Suite struct ReplyTests {
    private func texts(_ text: String) -> (parameters: String?, error: String?)? {
        // A slice that does not begin at 0, as lines do not.
        switch try? Reply(Array("##\(text)".utf8)[2...]) {
        case .parameters(let text, _): (String(decoding: text, as: UTF8.self), nil)
        case .error(let reply): (nil, reply.error)
        case nil: nil
        }
    }

    @Test(
        "the parameters and the error are found in any position",
        arguments: [
            (#"{}"#, "{}", nil), (#" { } "#, "{}", nil), (#"{"parameters":{}}"#, "{}", nil),
            (#"{"x":[1,{"parameters":2}],"parameters" : {"a":"}\"]"} ,"continues":true}"#, #"{"a":"}\"]"}"#, nil),
            (#"{"error":"a_code","parameters":{"b":[[]]}}"#, nil, "a_code"),
            (#"{"parameters":-1.5e3}"#, "-1.5e3", nil), (#"{"parameters":true,"error":""}"#, nil, ""),
        ] as [(String, String?, String?)]
    )
    func found(_ text: String, _ parameters: String?, _ error: String?) throws {
        let found = try #require(texts(text))
        #expect(found.parameters == parameters)
        #expect(found.error == error)
    }

    @Test(
        "anything but an object is rejected",
        arguments: [
            "", " ", "[]", "x", "{", "}", "{}x", "{}{}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":1"#,
            #"{"a":"b}"#, #"{"a":"\"#, #"{"a":[}"#, #"{"error":1}"#, #"{"error":"}"#, #"{"error":{}}"#, #"{"a":1}}"#,
            #"{"a":[1,]}"#, #"{"a":01}"#, #"{"a":nul}"#, #"{"a":[1 2]}"#,
        ]
    )
    func refused(_ text: String) { #expect(texts(text) == nil) }

    @Test(
        "the number of dropped events is a whole number of 64 bits",
        arguments: [
            ("12", 12), ("0", 0), ("18446744073709551615", .max), ("18446744073709551616", nil), ("-1", nil),
            ("-0", nil),
            ("1.0", nil), ("1e3", nil), (#""12""#, nil), ("null", nil), ("[12]", nil), ("{}", nil),
            (String(repeating: "9", count: 1000), nil), ("12,\"dropped\":13", 12),
        ] as [(String, UInt64?)]
    )
    func dropped(_ text: String, _ expected: UInt64?) {
        let line = Array(#"{"parameters":{"a":1},"dropped":\#(text),"continues":true}"#.utf8)[...]
        guard let expected else {
            let flaw = "the number of dropped events is not a whole number of 64 bits"
            #expect(throws: StateClientError.malformed(flaw)) { try Reply(line) }
            return
        }
        guard case .parameters(let parameters, expected)? = try? Reply(line) else {
            Issue.record("\(text.prefix(40)) is not the number \(expected)")
            return
        }
        #expect(parameters.elementsEqual(#"{"a":1}"#.utf8))
    }

    @Test func `no damage to a reply traps`() {
        let line = Array(AgentLines.reply(AgentLines.path(42)).utf8)
        var generator = SystemRandomNumberGenerator()
        var accepted = 0
        for _ in 0..<5000 {
            var damaged = line
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: damaged[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: damaged[place] = Array("{}[]\",:\\".utf8).randomElement(using: &generator) ?? 0
                default: damaged.removeSubrange(place...)
                }
                if damaged.isEmpty { break }
            }
            if case .parameters(let parameters, _)? = try? Reply(damaged[...]) {
                accepted += 1
                #expect(parameters.count <= damaged.count)
                _ = StreamLine(Array(parameters))
            }
        }
        #expect(accepted > 0, "no damage was small enough to get this far")
    }
}
