package import ForeignText
internal import Glibc

/// Standard output and standard error of a command that prints and ends.
///
/// Text for people is a `String`, and reaches a descriptor through ``TerminalText`` alone; bytes are JSON or a file.
package enum Terminal {
    /// Prints text and the end of a line to standard output, without any control character of a stranger's.
    ///
    /// A reader that has gone away is no error.
    package static func print(_ text: String) {
        write(TerminalText.bytes(of: text) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Prints a line of JSON to standard output; see ``json(_:)``.
    package static func print(_ line: [UInt8]) { write(json(line) + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

    /// A line of JSON for standard output: as it is for a program, and without active characters for a terminal.
    package static func json(_ line: [UInt8]) -> [UInt8] { isTerminal ? TerminalText.json(line) : line }

    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes the bytes of a file format to standard output, as they are.
    package static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Prints text and the end of a line to standard error, without any control character of a stranger's.
    package static func printError(_ text: String) {
        write(TerminalText.bytes(of: text) + [UInt8(ascii: "\n")], to: STDERR_FILENO)
    }

    /// Writes bytes to standard error, as they are.
    package static func writeError(_ bytes: [UInt8]) { write(bytes, to: STDERR_FILENO) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return }
                continue
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// The abilities of the terminal that reads our output.
package struct TerminalStyle {
    /// True where colours may be used.
    package var hasColour: Bool
    /// True where characters beyond ASCII may be used.
    package var hasUnicode: Bool
    /// The number of columns of a line.
    package var columns: Int
    /// The beginning of a colour: an escape sequence's own, unless ``TerminalText`` makes it one.
    package var introducer: String

    /// A style.
    package init(hasColour: Bool, hasUnicode: Bool, columns: Int, introducer: String = "\u{1B}[") {
        self.hasColour = hasColour
        self.hasUnicode = hasUnicode
        self.columns = columns
        self.introducer = introducer
    }

    /// Neither colours nor more than ASCII, for files and pipes.
    package static let plain = TerminalStyle(hasColour: false, hasUnicode: false, columns: 80)

    /// The style of standard output, by `--color`, the conventions of `NO_COLOR` and `TERM`, and the locale.
    package static func standardOutput(color: ColorMode = .auto) -> TerminalStyle { of(STDOUT_FILENO, color: color) }

    /// The style of what a descriptor leads to; see ``standardOutput(color:)``.
    package static func of(_ descriptor: Int32, color: ColorMode = .auto) -> TerminalStyle {
        let isTerminal = isatty(descriptor) == 1
        let locale = [value("LC_ALL"), value("LC_CTYPE"), value("LANG")].compactMap(\.self).first { !$0.isEmpty } ?? ""
        let isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().firstRange(of: $0) != nil }
        let size = isTerminal ? Self.size(of: descriptor) : nil
        return TerminalStyle(
            hasColour: takesColour(descriptor, color),
            hasUnicode: isTerminal && isUTF8,
            columns: size.map { min(max($0.columns, 20), 120) } ?? 80,
            introducer: TerminalText.introducer
        )
    }

    /// The size of the terminal that a descriptor leads to; `nil` where it is unknown.
    package static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// True where output to a descriptor is coloured: with `auto` where it is a terminal that shows colours, and `NO_COLOR` is
    /// not set.
    package static func takesColour(_ descriptor: Int32, _ mode: ColorMode = .auto) -> Bool {
        switch mode {
        case .always: true
        case .never: false
        case .auto: isatty(descriptor) == 1 && (value("NO_COLOR") ?? "").isEmpty && value("TERM") != "dumb"
        }
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The colours that our output uses.
    package enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case bold = "1"
        case dim = "2"
    }

    /// `text` in a colour, where there are colours.
    package func paint(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\(introducer)\(colour.rawValue)m\(text)\(introducer)0m" : text
    }
}

extension ForeignText {
    /// Text from the network as a line for a person has it: as ``shown(_:limit:)-swift.type.method`` shows it, up to 2 KiB.
    package static func line(_ text: String) -> String { shown(text, limit: 2048) }
}
