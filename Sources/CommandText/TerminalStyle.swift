internal import ArgumentParser
internal import Glibc

/// The capabilities of the terminal, the file or the pipe that takes the output.
package struct TerminalStyle {
    /// `true` if colours may be used.
    package var hasColour: Bool
    /// `true` if non-ASCII characters may be used.
    package var hasUnicode: Bool
    /// The number of columns of a line.
    package var columns: Int
    /// `true` if a cell that has no room is truncated: on a terminal, where longer lines would be wrapped.
    package var truncates: Bool
    /// The start of a colour: that of an escape sequence, or the one that ``TerminalText`` replaces with it.
    package var introducer: String

    /// Creates a style.
    package init(
        hasColour: Bool,
        hasUnicode: Bool,
        columns: Int,
        truncates: Bool = true,
        introducer: String = "\u{1B}["
    ) {
        self.hasColour = hasColour
        self.hasUnicode = hasUnicode
        self.columns = columns
        self.truncates = truncates
        self.introducer = introducer
    }

    /// The style without any capabilities: ASCII only, and no colours.
    package static let plain = TerminalStyle(hasColour: false, hasUnicode: false, columns: 80)

    /// Returns the style of standard output, by `--color`, the conventions of `NO_COLOR` and `TERM`, and the locale.
    package static func standardOutput(color: ColorMode = .auto) -> TerminalStyle { of(STDOUT_FILENO, color: color) }

    /// Returns the style of the file that a descriptor refers to; see ``standardOutput(color:)``.
    package static func of(_ descriptor: Int32, color: ColorMode = .auto) -> TerminalStyle {
        let isTerminal = isatty(descriptor) == 1
        let size = isTerminal ? Self.size(of: descriptor) : nil
        return TerminalStyle(
            hasColour: takesColour(descriptor, color),
            hasUnicode: isUTF8(value),
            columns: size.map { min(max($0.columns, 20), 120) } ?? 80,
            truncates: isTerminal,
            introducer: TerminalText.introducer
        )
    }

    /// The style of a file that a command makes, by the locale.
    package static var file: TerminalStyle {
        TerminalStyle(hasColour: false, hasUnicode: isUTF8(value), columns: plain.columns, truncates: false)
    }

    /// Returns whether the character set of the locale is UTF-8, by the environment (setlocale(3)).
    ///
    /// Without any of the variables the locale is `C`, whose characters are those of ASCII.
    package static func isUTF8(_ environment: (String) -> String?) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }?.lowercased() ?? ""
        return ["utf-8", "utf8"].contains { locale.firstRange(of: $0) != nil }
    }

    /// Returns the size of the terminal that a descriptor refers to; `nil` if it is unknown.
    package static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Returns whether output to a descriptor is coloured, which requires a terminal with colours and an unset
    /// `NO_COLOR` with `auto`.
    package static func takesColour(_ descriptor: Int32, _ mode: ColorMode = .auto) -> Bool {
        switch mode {
        case .always: true
        case .never: false
        case .auto: canRedraw(descriptor) && (value("NO_COLOR") ?? "").isEmpty
        }
    }

    /// Returns whether a descriptor refers to a terminal with escape sequences, so that its text can be replaced in place.
    ///
    /// - Parameter descriptor: The output. `TERM` is `dumb` for a terminal that shows the sequences as text.
    package static func canRedraw(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 && value("TERM") != "dumb" }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The colours of the output.
    package enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case bold = "1"
        case dim = "2"
    }

    /// Returns `text` in a colour, if colours may be used.
    package func paint(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\(introducer)\(colour.rawValue)m\(text)\(introducer)0m" : text
    }

    /// Returns `text`, with arrows, dashes and ellipses in ASCII if other characters may not be used.
    package func spelled(_ text: String) -> String {
        guard !hasUnicode, text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var spelled = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "→": spelled += "->"
            case "…": spelled += "..."
            case "–", "—", "─": spelled += "-"
            default: spelled.unicodeScalars.append(scalar)
            }
        }
        return spelled
    }

    /// `…`, or its ASCII replacement.
    package var ellipsis: String { spelled("…") }
    /// `→`, or its ASCII replacement.
    package var arrow: String { spelled("→") }
    /// `–`, or its ASCII replacement.
    package var dash: String { spelled("–") }
}

/// The mode of coloured output.
package enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    /// Coloured on a terminal, unless `NO_COLOR` is set.
    case auto
    case always, never
}

/// The colour option of commands that print for people.
package struct ColorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Color the output; auto: on a terminal, unless NO_COLOR is set.", valueName: "when"))
    package var color = ColorMode.auto

    /// Creates the default options.
    package init() {}
}
