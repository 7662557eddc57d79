import Testing

@testable import ReachAgent

/// The last place that all text for people passes.
@Suite struct TerminalTextTests {
    private func written(_ text: String) -> String { String(decoding: TerminalText.bytes(of: text), as: UTF8.self) }

    /// The characters that act on a terminal or on the order of reading.
    private static let active =
        (0..<0x20).filter { $0 != 0x0A }.map { UInt32($0) } + Array(0x7F...0x9F)
        + [0xAD, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF] + Array(0x202A...0x202E)
        + Array(0x2066...0x2069) + [0xE0001, 0xF0000]

    @Test func `no control character, separator or mark of direction is written`() throws {
        for value in Self.active {
            let scalar = try #require(Unicode.Scalar(value))
            #expect(written("a\(scalar)b") == "a\\u{\(String(value, radix: 16))}b")
        }
    }

    @Test(arguments: ["", "plain ~", "two\nlines\n", "é → – ── ✓", "日本"])
    func `other text is written as it is`(text: String) { #expect(written(text) == text) }

    @Test func `colours of the style are written, and a stranger's are not`() {
        let style = TerminalStyle(hasColour: true, hasUnicode: true, columns: 80, introducer: TerminalText.introducer)
        let text = style.paint("\u{1B}[31mwlan0", .green) + "\u{1B}[0m"
        #expect(written(text) == "\u{1B}[32m\\u{1b}[31mwlan0\u{1B}[0m\\u{1b}[0m")
        #expect(text.displayWidth >= 5)
    }

    @Test func `JSON on a terminal means the same, and has no active character`() {
        let line = #"{"a":"é \u001b"# + "\u{9B}\u{202E}\u{F0000}日\"}"
        let shown = String(decoding: TerminalText.json(Array(line.utf8)), as: UTF8.self)
        #expect(shown == #"{"a":"é \u001b\u009b\u202e\udb80\udc00日"}"#)
    }

    @Test func `a line's end in the middle keeps the lines around it apart`() {
        #expect(written("\u{1B}\n\u{9B}\r\n") == "\\u{1b}\n\\u{9b}\\u{d}\n")
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("\u{1B}[31mred\u{1B}[0m", 3), ("→", 1)])
    func `the width is that of the visible text`(text: String, width: Int) {
        #expect(text.displayWidth == width)
        #expect(text.padded(to: 10).displayWidth == 10)
    }

    @Test func `a painted text is as wide as a plain one`() {
        let style = TerminalStyle(hasColour: true, hasUnicode: true, columns: 80, introducer: TerminalText.introducer)
        #expect(style.paint("wlan0", .red).displayWidth == 5)
    }
}
