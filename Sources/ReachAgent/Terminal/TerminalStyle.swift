internal import Glibc

/// What the terminal that reads our output can show.
struct TerminalStyle {
    /// Whether colours may be used.
    var hasColour: Bool
    /// Whether characters beyond ASCII may be used.
    var hasUnicode: Bool
    /// How many columns a line has.
    var columns: Int

    /// Neither colours nor more than ASCII, for files and pipes.
    static let plain = TerminalStyle(hasColour: false, hasUnicode: false, columns: 80)

    /// The style of standard output, by the conventions of `NO_COLOR`, `TERM` and the locale.
    static func standardOutput() -> TerminalStyle {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let locale = [value("LC_ALL"), value("LC_CTYPE"), value("LANG")].compactMap(\.self).first { !$0.isEmpty } ?? ""
        let isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().firstRange(of: $0) != nil }
        var size = winsize()
        let hasSize = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 40
        return TerminalStyle(
            hasColour: takesColour(STDOUT_FILENO),
            hasUnicode: isTerminal && isUTF8,
            columns: hasSize ? min(Int(size.ws_col), 120) : 80
        )
    }

    /// Whether a descriptor leads to a terminal that shows colours, and nobody has asked for none.
    static func takesColour(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && (value("NO_COLOR") ?? "").isEmpty && value("TERM") != "dumb"
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The colours that our output uses.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case bold = "1"
        case dim = "2"
    }

    /// `text` in a colour, where there are colours.
    func paint(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
