import Foundation
import Testing

@testable import AgentEvents

/// The text that the writer makes, and that Foundation reads it back.
struct JSONWriterTests {
    @Test(
        "any string is written on a single line and read back unchanged",
        arguments: [
            "", "plain", "quo\"te", "back\\slash", "line\nbreak\r\t", "\u{0}\u{1}\u{1F}\u{7F}", "Grüße 🛰️", "\u{2028}",
        ]
    )
    func strings(_ text: String) throws {
        var json = JSONWriter()
        json.object { $0.member("text", text) }
        #expect(!json.bytes.contains { $0 < 0x20 || $0 == 0x7F })
        let object = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: String]
        #expect(object?["text"] == text)
    }

    @Test("commas separate members, elements and containers exactly where required")
    func commas() {
        var json = JSONWriter()
        json.object { json in
            json.name("empty")
            json.object { _ in }
            json.name("list")
            json.array([1, 2]) { $0.number($1) }
            json.name("none")
            json.array([Int]()) { $0.number($1) }
            json.member("absent", ifPresent: nil)
            json.member("yes", true)
            json.name("nothing")
            json.null()
        }
        #expect(json.text == #"{"empty":{},"list":[1,2],"none":[],"yes":true,"nothing":null}"#)
    }

    @Test(
        "a time is written in UTC with microseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (1_795_244_400_123_456, "2026-11-21T07:00:00.123456Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        ]
    )
    func timestamps(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microsecondsSince1970: microseconds).description == text)
    }
}
