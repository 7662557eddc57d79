internal import Glibc

/// Lines that change in place at the end of a terminal's output.
///
/// Each change is one piece of output, written over what stood there, so that nothing flickers. The lines are on a screen that
/// may have become narrower since, where a terminal has wrapped them: the cursor goes back over as many rows as they take
/// now.
package struct LiveLines {
    private static let hideCursor = Array("\u{1B}[?25l".utf8)
    private static let showCursor = Array("\u{1B}[?25h".utf8)

    /// The columns of each line on the screen; empty while there is none.
    private var widths: [Int] = []

    /// No lines yet.
    package init() {}

    /// The output that shows lines in place of those before.
    ///
    /// - Parameters:
    ///   - lines: Text for people, each shorter than the screen is wide. Of more lines than the screen has rows, the last are
    ///     shown: the cursor cannot go back to the others.
    ///   - size: The present size of the terminal.
    package mutating func show(_ lines: [String], on size: (columns: Int, rows: Int)) -> [UInt8] {
        let shown = lines.suffix(max(1, size.rows - 1))
        var bytes = widths.isEmpty ? Self.hideCursor : []
        bytes += back(columns: size.columns)
        for (index, line) in shown.enumerated() {
            bytes += index == 0 ? [] : Array("\r\n".utf8)
            bytes += TerminalText.bytes(of: line)
            bytes += Array("\u{1B}[K".utf8)
        }
        bytes += Array("\u{1B}[J".utf8)
        widths = shown.map(\.displayWidth)
        return bytes
    }

    /// The output that removes the lines; empty where there are none.
    package mutating func clear(columns: Int) -> [UInt8] {
        guard !widths.isEmpty else { return [] }
        let bytes = back(columns: columns) + Array("\u{1B}[J".utf8) + Self.showCursor
        widths = []
        return bytes
    }

    /// Moves the cursor from the end of the last line to the beginning of the first.
    private func back(columns: Int) -> [UInt8] {
        let columns = max(1, columns)
        let rows = widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        return Array((rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r").utf8)
    }
}

/// A terminal's second screen, which leaves the first one as it was.
///
/// Keys are neither shown nor kept until the end of a line meanwhile.
package struct AlternateScreen {
    private let former: termios?

    /// Changes to the second screen, with the cursor hidden, and lines cut instead of wrapped.
    package init() {
        var settings = termios()
        // A job in the background must not change the terminal: that would stop it.
        if tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &settings) == 0 {
            former = settings
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else {
            former = nil
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    /// Goes back to the first screen.
    package func leave() {
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if var former { tcsetattr(STDIN_FILENO, TCSANOW, &former) }
    }

    /// Shows lines, as many as there are rows, with a footer in the last row.
    ///
    /// Everything is written at once and over what stood there: nothing flickers.
    package func show(_ lines: [Substring], footer: String, on size: (columns: Int, rows: Int)) {
        let shown = lines.prefix(max(size.rows - 1, 0))
        var bytes = Array("\u{1B}[H".utf8)
        for line in shown {
            bytes += "\u{1B}[2K".utf8
            bytes += TerminalText.bytes(of: String(line))
            bytes += "\r\n".utf8
        }
        bytes += "\u{1B}[J\u{1B}[\(size.rows);1H".utf8
        bytes += TerminalText.bytes(of: String(footer.prefix(size.columns)))
        Terminal.write(bytes)
    }

    private static func write(_ text: String) { Terminal.write(Array(text.utf8)) }
}
