import Testing

@testable import ReachAgent

/// Lines that change in place: which rows of a terminal they take, and how the cursor goes back over them.
@Suite struct LiveLinesTests {
    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "^")
    }

    @Test func `the second display goes back over the first, and clears what is longer`() {
        var lines = LiveLines()
        #expect(Self.text(lines.show(["one", "two"], on: (80, 24))) == "^[?25l\rone^[K\r\ntwo^[K^[J")
        #expect(Self.text(lines.show(["three"], on: (80, 24))) == "\r^[1Athree^[K^[J")
        #expect(Self.text(lines.clear(columns: 80)) == "\r^[J^[?25h")
        #expect(lines.clear(columns: 80).isEmpty)
    }

    @Test(arguments: [(80, "\r^[1A"), (30, "\r^[1A"), (29, "\r^[3A"), (10, "\r^[5A"), (0, "\r^[59A")])
    func `a narrower terminal has wrapped the lines into more rows`(columns: Int, back: String) {
        let line = String(repeating: "x", count: 30)
        var lines = LiveLines()
        _ = lines.show([line, line], on: (80, 24))
        #expect(Self.text(lines.clear(columns: columns)) == "\(back)^[J^[?25h")
    }

    @Test func `of more lines than rows the last are shown`() {
        var lines = LiveLines()
        let shown = Self.text(lines.show((1...9).map { "line \($0)" }, on: (80, 4)))
        #expect(shown == "^[?25l\rline 7^[K\r\nline 8^[K\r\nline 9^[K^[J")
        #expect(Self.text(lines.show(["a", "b"], on: (80, 1))) == "\r^[2Ab^[K^[J")
    }

    @Test func `colours take no room`() {
        var lines = LiveLines()
        let style = TerminalStyle(
            hasColour: true,
            hasUnicode: true,
            columns: 10,
            introducer: TerminalText.introducer
        )
        _ = lines.show([style.paint("0123456789", .cyan)], on: (10, 5))
        #expect(Self.text(lines.clear(columns: 10)) == "\r^[J^[?25h")
    }
}
