import Foundation
import Hooks
import Testing

@Suite
struct WebhookBodyTests {
    private func body(_ text: String, _ variables: [String: String] = [:]) throws -> String {
        String(decoding: try WebhookBody(parsing: text).bytes(variables), as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""),
        ("plain", "plain"),
        (#"{"text": "now ${REACH_TO_VIA}"}"#, #"{"text": "now wifi"}"#),
        ("${REACH_TO_VIA}${REACH_TO_VIA}", "wifiwifi"),
        ("[${REACH_FROM_VIA}]", "[]"),
        ("$$", "$"),
        ("5 $$ for $${REACH_TO_VIA}, $$$$", "5 $ for ${REACH_TO_VIA}, $$"),
        ("{REACH_TO_VIA} } é", "{REACH_TO_VIA} } é"),
    ])
    func `placeholders are filled, and everything else is kept`(text: String, expected: String) throws {
        #expect(try body(text, ["REACH_TO_VIA": "wifi"]) == expected)
        #expect(try WebhookBody(parsing: text).text == text)
    }

    @Test
    func `every variable of hooks has a placeholder`() throws {
        let names = HookEnvironment.variables.map(\.name)
        let text = names.map { "${\($0)}" }.joined(separator: " ")
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, "<\($0)>") })
        #expect(try body(text, values) == names.map { "<\($0)>" }.joined(separator: " "))
    }

    @Test(arguments: [
        ("$", WebhookBody.Mistake.strayDollar),
        ("a $REACH_TO_VIA", .strayDollar),
        ("$$$", .strayDollar),
        ("${}", .unknownVariable("")),
        ("${HOME}", .unknownVariable("HOME")),
        ("${ REACH_TO_VIA }", .unknownVariable(" REACH_TO_VIA ")),
        ("${REACH_TO_VIA", .unknownVariable("REACH_TO_VIA")),
        ("${REACH_TO_VIA\n}", .unknownVariable("REACH_TO_VIA")),
        ("${", .unknownVariable("")),
    ])
    func `an invalid placeholder is an error`(text: String, mistake: WebhookBody.Mistake) {
        #expect(throws: mistake) { try WebhookBody(parsing: text) }
    }

    @Test
    func `a placeholder that is never closed is shown briefly`() throws {
        let error = #expect(throws: WebhookBody.Mistake.self) {
            try WebhookBody(parsing: "${" + String(repeating: "x", count: 100_000))
        }
        #expect(try #require(error).description.utf8.count < 120)
    }

    @Test(arguments: [
        (#"say "hi""#, #"say \"hi\""#),
        (#"C:\temp"#, #"C:\\temp"#),
        ("a\nb\r\tc\u{8}\u{C}", #"a\nb\r\tc\b\f"#),
        ("\u{0}\u{1}\u{1f}\u{7f}", "\\u0000\\u0001\\u001f\u{7f}"),
        ("Büro 🛜 \u{2028}", "Büro 🛜 \u{2028}"),
        ("${REACH_ID} $$", "${REACH_ID} $$"),
    ])
    func `values are escaped, and placeholders in them are not filled`(value: String, escaped: String) throws {
        #expect(try body("${REACH_CAUSE_DETAIL}", ["REACH_CAUSE_DETAIL": value]) == escaped)
    }

    @Test
    func `a JSON reader finds every value as it was`() throws {
        let value = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init))) + "🛜\u{10FFFF}"
        let text = try body(#"{"text":"${REACH_REASON}"}"#, ["REACH_REASON": value])
        let decoded = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        // Compared as scalars: strings are equal that only mean the same.
        #expect(decoded["text"].map { Array($0.unicodeScalars) } == Array(value.unicodeScalars))
    }

    @Test
    func `bodies are the same when their texts are`() throws {
        #expect(try WebhookBody(parsing: "a ${REACH_ID}") == WebhookBody(parsing: "a ${REACH_ID}"))
        #expect(try WebhookBody(parsing: "a ${REACH_ID}") != WebhookBody(parsing: "a ${REACH_SEQ}"))
    }
}
