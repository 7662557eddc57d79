import CheckResults
import HTTPSerialization
import Testing

@Suite struct BodyExpectationTests {
    private func evidence(_ expectation: String, _ body: String) throws -> [String] {
        let expectations = ResponseExpectations(bodyExpectations: [try BodyExpectation(parsing: expectation)])
        return expectations.evaluate(ReceivedResponse(status: 200, body: Array(body.utf8))).findings.map(\.evidence)
    }

    @Test(arguments: [
        ("contains:up", "it is up"), ("contains:a:b", "xa:by"), ("contains:aab", "aaab"), ("contains:abab", "abaabab"),
        ("contains: x", "a x"), ("matches:^u", "up"), ("json:a=1", "{\"a\":1}"), ("contains:\u{E9}", "caf\u{E9}"),
    ])
    func `each kind is read and holds`(expectation: String, body: String) throws {
        #expect(try evidence(expectation, body).isEmpty)
    }

    @Test(arguments: [
        ("contains:up", "UP", "no 'up' in it; it begins with 'UP'"),
        ("contains:aab", "ababaa", "no 'aab' in it; it begins with 'ababaa'"),
        ("contains:x", "", "no 'x' in it; it is empty"),
        ("contains:e\u{301}", "\u{E9}", "no 'e\u{301}' in it; it begins with '\u{E9}'"),
        ("json:a=1", "{\"a\":2}", "expected = 1, got 2"),
    ])
    func `each kind has its evidence`(expectation: String, body: String, wanted: String) throws {
        #expect(try evidence(expectation, body) == [wanted])
    }

    @Test(arguments: ["", "up", "Contains:up", "contains:", "matches:", "matches:(", "json:", "regex:a"])
    func `anything else is an error`(text: String) {
        #expect(throws: ExpectationError.self) { try BodyExpectation(parsing: text) }
    }

    @Test func `all mismatches of a body are found, in order`() throws {
        let expectations = ResponseExpectations(
            bodyExpectations: try ["contains:x", "contains:b", "matches:y"].map { try BodyExpectation(parsing: $0) }
        )
        let verdict = expectations.evaluate(ReceivedResponse(status: 500, body: Array("abc".utf8)))
        #expect(verdict.findings.map(\.code) == [.httpStatus, .httpBody, .httpBody])
        #expect(verdict.error?.underlying?.finding.evidence.hasPrefix("no 'x'") == true)
    }

    @Test func `a long search through a hostile body ends`() throws {
        let body = String(repeating: "a", count: 1 << 20)
        let text = String(repeating: "a", count: 2000) + "b"
        #expect(try evidence("contains:" + text, body).count == 1)
    }
}
