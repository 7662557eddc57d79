internal import ArgumentParser
internal import Glibc

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

    /// `…`, or what stands for it.
    package var ellipsis: String { hasUnicode ? "…" : "..." }
    /// `→`, or what stands for it.
    package var arrow: String { hasUnicode ? "→" : "->" }
    /// `–`, or what stands for it.
    package var dash: String { hasUnicode ? "–" : "-" }
}

/// The output that is coloured.
package enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    /// A terminal's, unless `NO_COLOR` is set.
    case auto
    case always, never
}

/// The colours of a command that prints for people.
package struct ColorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Color the output; auto: on a terminal, unless NO_COLOR is set.", valueName: "when"))
    package var color = ColorMode.auto

    /// The default.
    package init() {}
}
