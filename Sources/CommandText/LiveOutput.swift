internal import Glibc

/// Lines that are updated in place at the end of a terminal's output.
///
/// Each update is a single write that overwrites the former lines, so that nothing flickers. If the screen has become
/// narrower, the terminal has wrapped the lines, so the cursor moves back over the number of rows that they occupy now.
package struct LiveLines {
    private static let hideCursor = Array("\u{1B}[?25l".utf8)
    private static let showCursor = Array("\u{1B}[?25h".utf8)

    /// The width of each line on the screen, in columns; empty without lines.
    private var widths: [Int] = []

    /// Creates a value without lines.
    package init() {}

    /// Returns the output that replaces the former lines.
    ///
    /// - Parameters:
    ///   - lines: Text for people, each line shorter than the width of the screen. Only the last ones are shown if
    ///     there are more lines than rows, because the cursor cannot move back to the others.
    ///   - size: The current size of the terminal.
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

    /// Returns the output that removes the lines; empty without lines.
    package mutating func clear(columns: Int) -> [UInt8] {
        guard !widths.isEmpty else { return [] }
        let bytes = back(columns: columns) + Array("\u{1B}[J".utf8) + Self.showCursor
        widths = []
        return bytes
    }

    /// Returns the output that moves the cursor from the end of the last line to the start of the first.
    private func back(columns: Int) -> [UInt8] {
        let columns = max(1, columns)
        let rows = widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        return Array((rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r").utf8)
    }
}

/// The alternate screen of a terminal, which preserves the content of the main screen.
///
/// Meanwhile, typed keys are not echoed and not buffered by line.
package struct AlternateScreen {
    private let former: termios?

    /// Switches to the alternate screen, with the cursor hidden, and lines truncated instead of wrapped.
    ///
    /// A background job is stopped until it is in the foreground.
    package init() {
        Self.awaitForeground()
        var settings = termios()
        // One that the kernel does not stop, because its process group is orphaned, must not change the settings.
        if tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &settings) == 0 {
            former = settings
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else {
            former = nil
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    /// Lets the kernel stop a background job (SIGTTOU), also each time that it is continued there; signals that end the
    /// process still do.
    private static func awaitForeground() {
        let foreground = tcgetpgrp(STDOUT_FILENO)
        guard foreground >= 0, foreground != getpgrp() else { return }
        var (ending, former) = (sigset_t(), sigset_t())
        sigemptyset(&ending)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, signal) }
        pthread_sigmask(SIG_UNBLOCK, &ending, &former)
        // Resumes output that is not suspended: it has no effect, but is for the foreground alone.
        tcflow(STDOUT_FILENO, TCOON)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// Switches back to the main screen.
    package func leave() {
        Terminal.restore(Array("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8))
        if var former { tcsetattr(STDIN_FILENO, TCSANOW, &former) }
    }

    /// Shows as many lines as there are rows, with a footer in the last row.
    ///
    /// A single write overwrites the former content, so that nothing flickers.
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
