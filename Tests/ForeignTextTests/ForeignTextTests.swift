import ForeignText
import Testing

@Suite
struct ForeignTextTests {
    private static let shownCases: [([UInt8], String)] = [
        (Array("plain é 漢".utf8), "plain é 漢"),
        ([0x1B, 0x5B, 0x33, 0x31, 0x6D], "\\u{1b}[31m"),
        (Array("a\nb\tc\u{7F}".utf8), "a\\u{a}b\\u{9}c\\u{7f}"),
        (Array("\u{9B}2J\u{202E}x\u{2028}y\u{FEFF}\u{E000}".utf8), "\\u{9b}2J\\u{202e}x\\u{2028}y\\u{feff}\\u{e000}"),
        ([0x61, 0xFF, 0x62], "a\u{FFFD}b"),
        ([0xC3], "\u{FFFD}"),
        ([], ""),
    ]

    @Test(arguments: shownCases)
    func `nothing that is shown acts on a terminal or forges a line`(_ bytes: [UInt8], _ shown: String) {
        #expect(ForeignText(bytes).description == shown)
    }

    @Test func `an ASCII character acts if it is a control character`() {
        for scalar in (UInt8(0)...0x7F).map({ Unicode.Scalar($0) }) {
            #expect(ForeignText.isActive(scalar) == (scalar.properties.generalCategory == .control), "\(scalar.value)")
        }
    }

    @Test(arguments: [(0, "…"), (1, "a…"), (2, "a…"), (3, "aé…"), (4, "aéb…"), (5, "aébc")])
    func `a long text is cut between characters, and says so`(_ limit: Int, _ shown: String) {
        #expect(ForeignText.shown("aébc", limit: limit) == shown)
    }

    @Test
    func `texts that Unicode calls equal are different keys when their bytes differ`() {
        let composed = ForeignText("\u{E9}")
        let decomposed = ForeignText("e\u{301}")
        #expect("\u{E9}" == "e\u{301}", "a String cannot tell them apart")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, ForeignText(Array("\u{E9}".utf8))]).count == 2)
        #expect(decomposed < composed)
    }

    @Test
    func `text is compared with the program's own byte by byte`() {
        let name = ForeignText(Array("name".utf8))
        #expect(name == "name")
        #expect(name != "Name")
        #expect(ForeignText("e\u{301}") != "\u{E9}")
    }
}
