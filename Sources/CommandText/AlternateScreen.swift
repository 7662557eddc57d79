internal import Glibc

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
