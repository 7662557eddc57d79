/// A piece of a line, by what it is.
enum Span: Hashable {
    /// A sentence's words.
    case plain(String)
    /// What is typed or printed exactly so.
    case literal(String)
    /// What stands for something else, or matters.
    case emphasis(String)
    /// Another page of the manual.
    case page(name: String, section: Int)
}

extension Span {
    /// The piece in roff: literal text is bold, what stands for something else is italic (man-pages(7)).
    var roff: String {
        switch self {
        case .plain(let text): RoffText.prose(text)
        case .literal(let text): "\\fB\(RoffText.literal(text))\\fP"
        case .emphasis(let text): "\\fI\(RoffText.prose(text))\\fP"
        case .page(let name, let section): "\\fB\(RoffText.literal(name))\\fP(\(section))"
        }
    }
}

/// Escapes what roff would take for its own.
enum RoffText {
    /// A sentence: hyphens stay hyphens, and only quotes are kept straight.
    static func prose(_ text: String) -> String { escape(text, hyphen: "-") }

    /// What a reader may copy: a hyphen is the minus sign of the keyboard.
    static func literal(_ text: String) -> String { escape(text, hyphen: "\\-") }

    /// A line that a macro or a request must not be read from, however it begins.
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
            // A control character has no place on a page; roff would act on it.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += " "
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return result
    }
}
