import CheckResults
import HTTPSerialization
import Testing

@Suite struct BodyPatternTests {
    private func findings(_ pattern: String, _ body: [UInt8]) throws -> [Finding] {
        let expectations = ResponseExpectations(bodyExpectations: [.matches(try BodyPattern(parsing: pattern))])
        return expectations.evaluate(ReceivedResponse(status: 200, body: body)).findings
    }

    @Test(arguments: [
        ("up", "it is up"), ("^ok$", "ok"), ("(?i)OK", "is ok"), ("(?m)^b$", "a\nb\nc"), ("(?s)a.b", "a\nb"),
        (#"\d{3}"#, "x123"),
        ("é", "caf\u{E9}"), (#"\w"#, "é"), ("^$", ""), ("^.$", "😀"), ("a(?=b)", "ab"), ("(a)\\1", "aa"),
    ])
    func `a match anywhere is enough`(pattern: String, body: String) throws {
        #expect(try findings(pattern, Array(body.utf8)).isEmpty)
    }

    @Test func `no match is a finding that shows the expression and the body`() throws {
        let finding = try #require(try findings("^up$", Array("down\u{1B}[31m\n".utf8)).first)
        #expect(finding.code == .httpBody)
        #expect(finding.evidence == "no match of '^up$' in it; it begins with 'down\\u{1b}[31m\\n'")
        #expect(try findings("x", []).first?.evidence == "no match of 'x' in it; it is empty")
    }

    @Test func `a body that is not UTF-8 matches in its valid parts`() throws {
        #expect(try findings("up", [0xFF, 0xFE] + Array("up".utf8) + [0xC3]).isEmpty)
        #expect(try !findings("^..$", [0x75, 0xFF]).isEmpty)
    }

    @Test(arguments: [
        ("(a", 2, "missing closing parenthesis"), ("a**+", 2, "quantifier does not follow"),
        ("[z-a]", 3, "range out of order"),
        ("*", 0, "quantifier does not follow"), (#"a\"#, 2, "at end of pattern"), (#"\C"#, 2, #"\C"#),
        ("(?:(?:a{1000}){1000}){1000}", 27, "too large"),
    ])
    func `an expression that cannot be compiled names the place`(pattern: String, offset: Int, reason: String) {
        let error = #expect(throws: ExpectationError.self) { try BodyPattern(parsing: pattern) }
        guard case .invalidPattern(pattern, let place, let words) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place == offset)
        #expect(words.contains(reason))
    }

    @Test func `an empty or overlong expression is an error`() {
        #expect(throws: ExpectationError.self) { try BodyPattern(parsing: "") }
        #expect(throws: ExpectationError.self) { try BodyPattern(parsing: String(repeating: "a", count: 4097)) }
        #expect(throws: ExpectationError.self) { try BodyPattern(parsing: String(repeating: "(", count: 4000)) }
    }

    /// Steps that multiply with each character, steps for each place where a match may begin, and memory for each character.
    @Test(arguments: [
        "(a+)+$", "(a|aa)+$", "a*a*a*a*a*c", "(?:a*+d)|(?:a*+e)", "(?s)(?:.|.)*z", "(a|b)*c", "((?:a?){50}){50}z",
    ])
    func `a search that does not end is given up`(pattern: String) throws {
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20) + Array("bzced".utf8.prefix(1))
        let began = ContinuousClock.now
        let finding = try #require(try findings(pattern, body).first)
        #expect(finding.code == .httpBody)
        #expect(began.duration(to: .now) < .seconds(60))
    }

    @Test func `the finding of an abandoned search says so`() throws {
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 50_000) + [UInt8(ascii: "b")]
        let finding = try #require(try findings("(a+)+$", body).first)
        #expect(finding.evidence.hasPrefix("the search for '(a+)+$' in 50001 bytes was given up: it takes "))
    }

    /// Few steps from each place, but a long way in each of them, and a million places: no limit of PCRE2 counts that.
    @Test func `the time of the whole search is bounded`() throws {
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20) + Array("bcd".utf8)
        let finding = try #require(try findings("a*+[b]d", body).first)
        #expect(finding.evidence.hasSuffix("was given up: it takes longer than 1.0 seconds"))
    }

    @Test func `one expression may be used by many at once`() async throws {
        let pattern = try BodyPattern(parsing: "(?i)b+c")
        let expectations = ResponseExpectations(bodyExpectations: [.matches(pattern)])
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                let body = Array((index.isMultiple(of: 2) ? "aBBc" : "aBB").utf8)
                group.addTask { expectations.evaluate(ReceivedResponse(status: 200, body: body)).isAccepted }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 100)
    }
}
