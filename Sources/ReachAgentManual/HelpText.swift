/// Parses the longer text of a command's help, which has a fixed format.
///
/// A line in capitals is a heading, indented lines are verbatim, and everything else is a paragraph. In verbatim lines,
/// two spaces separate the columns.
enum HelpText {
    /// A block of such a text.
    enum Block: Hashable {
        case heading(String)
        case paragraph(String)
        case rows([Row])
        case example([String])
    }

    /// A row of a small table.
    struct Row: Hashable {
        var tag: String
        var text: String
    }

    /// Returns the blocks of a text, in order.
    static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var kept: [String] = []
        func flush() {
            if !kept.isEmpty { blocks.append(block(kept)) }
            kept = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("  ") {
                kept.append(line)
                continue
            }
            flush()
            if line.isEmpty { continue }
            let isHeading = line.allSatisfy { $0.isUppercase || $0 == " " }
            blocks.append(isHeading ? .heading(line) : .paragraph(line))
        }
        flush()
        return blocks
    }

    /// A part of a text, from a heading to the next; the first one has no title.
    struct Section: Hashable {
        var title: String?
        var blocks: [Block] = []
    }

    /// Returns the sections of a text, in order.
    static func sections(of text: String) -> [Section] {
        var sections = [Section()]
        for block in blocks(text) {
            if case .heading(let title) = block {
                sections.append(Section(title: title))
            } else {
                sections[sections.count - 1].blocks.append(block)
            }
        }
        return sections
    }

    /// Returns rows if every line is a row or continues the previous one.
    private static func block(_ lines: [String]) -> Block {
        var rows: [Row] = []
        for line in lines {
            let body = line.trimmed
            if line.hasPrefix("   ") || line.dropFirst(2).first == " " {
                guard !rows.isEmpty else { return example(lines) }
                rows[rows.count - 1].text += " \(body)"
            } else if let gap = body.firstRange(of: "  ") {
                rows.append(Row(tag: String(body[..<gap.lowerBound]), text: String(body[gap.upperBound...]).trimmed))
            } else {
                return example(lines)
            }
        }
        return .rows(rows)
    }

    private static func example(_ lines: [String]) -> Block { .example(lines.map { String($0.dropFirst(2)) }) }

    /// Parses a sentence of a help text: quoted words and options are literal.
    static func spans(_ text: String) -> [Span] {
        var spans: [Span] = []
        var plain = ""
        var rest = text[...]
        func flush() {
            if !plain.isEmpty { spans.append(.plain(plain)) }
            plain = ""
        }
        while let character = rest.first {
            let isStart = plain.last.map { " (".contains($0) } ?? spans.isEmpty
            if character == "'", isStart, let (quoted, end) = quotation(rest) {
                flush()
                spans.append(.literal(quoted))
                rest = rest[end...]
            } else if isStart, rest.hasPrefix("--") || rest.hasPrefix("$") {
                flush()
                var word = String(rest.prefix { !" ,;:)".contains($0) })
                while word.last == "." { word.removeLast() }
                spans.append(.literal(word))
                rest = rest.dropFirst(word.count)
            } else {
                plain.append(character)
                rest.removeFirst()
            }
        }
        flush()
        return spans
    }

    /// Returns the text between two single quotes, of which the second one ends a word.
    private static func quotation(_ rest: Substring) -> (text: String, end: Substring.Index)? {
        let body = rest.dropFirst()
        guard let end = body.firstIndex(of: "'"), end != body.startIndex else { return nil }
        let after = body.index(after: end)
        guard after == body.endIndex || !body[after].isLetter else { return nil }
        return (String(body[..<end]), after)
    }
}
