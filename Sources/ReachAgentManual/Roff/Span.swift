/// A piece of a line, with its role.
enum Span: Hashable {
    /// Ordinary words.
    case plain(String)
    /// Literal input or output.
    case literal(String)
    /// A placeholder, or emphasis.
    case emphasis(String)
    /// Another manual page.
    case page(name: String, section: Int)
}

extension Span {
    /// The piece in roff: literal text is bold, placeholders are italic (man-pages(7)).
    var roff: String {
        switch self {
        case .plain(let text): RoffText.prose(text)
        case .literal(let text): "\\fB\(RoffText.literal(text))\\fP"
        case .emphasis(let text): "\\fI\(RoffText.prose(text))\\fP"
        case .page(let name, let section): "\\fB\(RoffText.literal(name))\\fP(\(section))"
        }
    }
}

/// Escapes roff's special characters.
enum RoffText {
    /// Escapes a sentence: hyphens stay hyphens, and only quotes are kept straight.
    static func prose(_ text: String) -> String { escape(text, hyphen: "-") }

    /// Escapes text that a reader may copy: a hyphen becomes the keyboard's minus sign.
    static func literal(_ text: String) -> String { escape(text, hyphen: "\\-") }

    /// Protects the start of a line from being read as a macro or a request.
    static func line(_ escaped: String) -> String {
        escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
    }

    private static func escape(_ text: String, hyphen: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += hyphen
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case "…": result += "..."
            case "→": result += "\\(->"
            case "—": result += "\\(em"
            case "–": result += "\\(en"
            case "−": result += "\\-"
            case "\u{20}"..."\u{7E}": result.unicodeScalars.append(scalar)
            // Control characters are not allowed on a page; roff would act on them.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += " "
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return result
    }
}
