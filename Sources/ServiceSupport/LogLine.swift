internal import AgentEvents
internal import CommandText
internal import ForeignText
internal import Glibc
package import Logging

/// The conversion of a log message to lines.
///
/// Messages contain untrusted text from certificates, hooks and servers: it cannot forge a line, move a terminal's
/// cursor, or exceed the size of an atomic write.
enum LogLine {
    /// The maximum number of bytes of a line with its newline, which is that of an atomic write to a pipe (PIPE_BUF).
    static let maximumBytes = 4096
    /// The maximum number of lines of one message.
    static let maximumLines = 64
    private static let ellipsis = Array("...".utf8)

    /// Returns the lines of a message, each with its prefix and its newline.
    ///
    /// - Parameter program: The name of the program, which is included in the plain format.
    static func lines(
        _ message: String,
        of program: String,
        level: Logger.Level,
        format: LogFormat,
        time: Timestamp
    ) -> [[UInt8]] {
        let prefix = Array(prefix(program, level, format, time).utf8)
        // Only at line feeds: other separators in foreign text would make lines of their own, and are escaped.
        let texts = message.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
        }
        .filter { !$0.isEmpty }.cut(to: maximumLines)
        return (texts.isEmpty ? [""] : texts).map { text in
            let message = format.style.spelled(ForeignText.shown(text, limit: maximumBytes))
            return prefix + cut(message, to: maximumBytes - prefix.count - 1) + [UInt8(ascii: "\n")]
        }
    }

    /// Returns the prefix of every line.
    private static func prefix(
        _ program: String,
        _ level: Logger.Level,
        _ format: LogFormat,
        _ time: Timestamp
    ) -> String {
        switch format {
        case .journal: return "<\(level.priority)>"
        case .plain: return "\(time) \(program): \(level): "
        case .terminal:
            let clock = time.localDescription.split(separator: "T").last ?? ""
            let word = "\(level)".padded(to: 8)
            return "\(clock)  \(level.colour.map { format.style.paint(word, $0) } ?? word)  "
        }
    }

    /// Returns at most a number of bytes of a text, without splitting a character.
    private static func cut(_ text: String, to limit: Int) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count > limit else { return bytes }
        var end = limit - ellipsis.count
        // The text must not be cut before a continuation byte of a character.
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[..<end] + ellipsis
    }
}

extension [String] {
    /// Returns at most `maximum` lines; the last one gives the number of omitted lines.
    package func cut(to maximum: Int) -> [String] {
        count > maximum ? prefix(maximum - 1) + ["... and \(count - maximum + 1) more lines"] : self
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    package var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// The colour on a terminal of warnings and errors; `nil` for other levels.
    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .trace, .debug, .info, .notice: nil
        case .warning: .yellow
        case .error, .critical: .red
        }
    }
}

/// The format of a log message, which depends on the reader of standard error.
package enum LogFormat: Sendable, Equatable {
    /// systemd's journal, which records the time and the program itself: `<4>message`.
    case journal
    /// A terminal: local time, level, message.
    case terminal(hasColour: Bool, hasUnicode: Bool)
    /// A file, a pipe, another log daemon: `2026-11-21T07:00:00.123456Z reachagent: warning: message`.
    case plain

    /// Returns the format for the file that a descriptor refers to.
    ///
    /// - Parameter journalStream: `JOURNAL_STREAM`, which systemd sets to the device and inode of the connection to its
    ///   journal (systemd.exec(5)). It stays set when standard error is redirected, so its presence alone proves
    ///   nothing.
    package static func of(
        _ descriptor: Int32,
        journalStream: String? = getenv("JOURNAL_STREAM").map { String(cString: $0) }
    ) -> LogFormat {
        var status = stat()
        if fstat(descriptor, &status) == 0,
            names(journalStream, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        {
            return .journal
        }
        guard isatty(descriptor) == 1 else { return .plain }
        let style = TerminalStyle.of(descriptor)
        return .terminal(hasColour: style.hasColour, hasUnicode: style.hasUnicode)
    }

    /// The style of the messages: a file or the journal takes any character.
    fileprivate var style: TerminalStyle {
        switch self {
        case .journal, .plain: TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)
        case .terminal(let hasColour, let hasUnicode):
            TerminalStyle(hasColour: hasColour, hasUnicode: hasUnicode, columns: 80)
        }
    }

    /// Returns whether a value of `JOURNAL_STREAM` identifies this file.
    static func names(_ journalStream: String?, device: UInt64, inode: UInt64) -> Bool {
        journalStream == "\(device):\(inode)"
    }
}
