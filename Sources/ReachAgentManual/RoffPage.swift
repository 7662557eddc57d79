/// Writes a manual page with the macros of man(7), for both man-db's groff and mandoc.
struct RoffPage {
    /// The page's source so far.
    private(set) var text: String
    /// The column at which source lines are broken.
    private static let width = 78
    /// The maximum length of a line of an example: 80 columns without the margins.
    static let exampleWidth = 68
    /// `true` directly after a heading, where mandoc warns about a new paragraph.
    private var isBelowHeading = false

    /// Creates a page with its title and name.
    ///
    /// - Parameters:
    ///   - name: The argument of `man`.
    ///   - section: The manual's section.
    ///   - summary: The summary in whatis(1), without a full stop.
    ///   - heading: The date as `2026-11-21`, the source of the page, and the name of the section.
    init(name: String, section: Int, summary: String, heading: (date: String, source: String, manual: String)) {
        // Names of options and codes must be neither hyphenated nor stretched by justification. groff's macros
        // hyphenate again after each paragraph unless the register also forbids it.
        text = """
            .TH \(Self.argument(name)) \(section) \(heading.date) \(Self.argument(heading.source)) \
            \(Self.argument(heading.manual))
            .nr HY 0
            .nh
            .ad l
            .SH NAME
            \(RoffText.literal(name)) \\- \(RoffText.prose(summary))

            """
    }

    /// Starts a section.
    mutating func section(_ title: String) { head(".SH \(Self.argument(title.uppercased()))") }

    /// Starts a subsection.
    mutating func subsection(_ title: String) { head(".SS \(Self.argument(title))") }

    private mutating func head(_ line: String) {
        text += "\(line)\n"
        isBelowHeading = true
    }

    private mutating func beginParagraph() {
        if !isBelowHeading { text += ".PP\n" }
        isBelowHeading = false
    }

    /// Writes a heading below a subsection.
    mutating func heading(_ title: String) {
        beginParagraph()
        text += "\\fB\(RoffText.prose(title))\\fP\n"
    }

    /// Writes a paragraph.
    mutating func paragraph(_ spans: [Span]) {
        guard !spans.isEmpty else { return }
        beginParagraph()
        fill(spans)
    }

    /// Writes separate lines.
    mutating func lines(_ lines: [[Span]]) {
        beginParagraph()
        for (place, line) in lines.enumerated() {
            if place > 0 { text += ".br\n" }
            fill(line)
        }
    }

    /// Writes a tagged item; each body starts on a new line.
    mutating func item(_ tag: [Span], _ bodies: [[Span]]) {
        text += ".TP\n\(RoffText.line(tag.map(\.roff).joined()))\n"
        isBelowHeading = false
        let bodies = bodies.filter { !$0.isEmpty }
        // Without any text, the next macro would become part of the tag.
        if bodies.isEmpty { text += "\\&\n" }
        for (place, body) in bodies.enumerated() {
            if place > 0 { text += ".br\n" }
            fill(body)
        }
    }

    /// Writes a list item, with a bullet or a number.
    mutating func listItem(_ mark: String?, _ spans: [Span]) {
        text += mark.map { ".IP \(Self.argument($0)) 4\n" } ?? ".IP \\(bu 2\n"
        isBelowHeading = false
        fill(spans)
    }

    /// Writes verbatim lines; a line that is too long is broken at a space and indented.
    mutating func example(_ lines: [String]) {
        beginParagraph()
        text += ".RS 4\n.EX\n"
        for line in lines.flatMap(Self.folded) { text += RoffText.line(RoffText.literal(line)) + "\n" }
        text += ".EE\n.RE\n"
    }

    private static func folded(_ line: String) -> [String] {
        var lines: [String] = []
        var rest = (line.count > exampleWidth ? squeezed(line) : line)[...]
        let indentation = String(line.prefix { $0 == " " }) + "    "
        while rest.count > exampleWidth {
            let head = rest.prefix(exampleWidth)
            guard let space = head.lastIndex(of: " "), head[..<space].contains(where: { $0 != " " }) else { break }
            lines.append(String(rest[..<space]))
            rest = (indentation + rest[rest.index(after: space)...])[...]
        }
        return lines + [String(rest)]
    }

    /// Returns a line without the padding before its comment, which aligns it with other lines.
    private static func squeezed(_ line: String) -> String {
        guard let comment = line.firstRange(of: "  #") else { return line }
        var head = line[..<comment.lowerBound]
        while head.last == " " { head.removeLast() }
        return "\(head)\(line[comment.lowerBound...])"
    }

    /// Writes words, breaking lines between them.
    private mutating func fill(_ spans: [Span]) {
        var line = ""
        for word in spans.map(\.roff).joined().split(separator: " ") {
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > Self.width {
                text += Self.finished(line)
                line = ""
            }
            line += line.isEmpty ? word : " \(word)"
        }
        if !line.isEmpty { text += Self.finished(line) }
    }

    /// Returns a line of text; one that ends like a sentence is protected from getting two spaces after it when it is
    /// joined with the next line.
    private static func finished(_ line: String) -> String {
        var end = line[...]
        while let closing = ["\\fP", "\\(dq", "\\(aq", ")", "]"].first(where: end.hasSuffix) {
            end.removeLast(closing.count)
        }
        let isSentence = [".", "?", "!"].contains { end.hasSuffix($0) }
        return RoffText.line(line) + (isSentence ? "\\&\n" : "\n")
    }

    private static func argument(_ text: String) -> String { "\"\(RoffText.literal(text))\"" }
}

extension RoffPage {
    /// Writes blocks of a document; headings are parts of the current section.
    ///
    /// - Parameter level: The level of the headings that start a subsection; lower ones are set in bold.
    mutating func set(_ blocks: [MarkdownBlock], headings level: Int = 2) {
        for block in blocks {
            switch block {
            case .heading(level, let spans): subsection(spans.plainText)
            case .heading(_, let spans): heading(spans.plainText)
            case .paragraph(let spans): paragraph(spans)
            case .code(let lines): example(lines)
            case .list(let items): for item in items { listItem(item.mark, item.text) }
            case .table(let head, let rows):
                // A table of the values of one member has the member's name in its heading.
                if case .literal(let name)? = head[0].first { heading(name) }
                for row in rows { item(row[0], Self.bodies(row, head: head.map(\.plainText))) }
            }
        }
    }

    /// Returns the cells of a row after the first one, which is the tag: the meaning, followed by the others with their
    /// column names.
    static func bodies(_ row: [[Span]], head: [String]) -> [[Span]] {
        let meaning = head.firstIndex(of: "Meaning") ?? 1
        let others = row.indices.dropFirst().filter { $0 != meaning && !row[$0].isEmpty }
        return [row[meaning]] + others.map { [.plain("\(head[$0]): ")] + row[$0] }
    }
}

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
private enum RoffText {
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
            // Control characters are not allowed on a page, because roff would interpret them.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += " "
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return result
    }
}
