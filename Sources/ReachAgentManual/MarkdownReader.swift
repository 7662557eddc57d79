/// Parses the Markdown of the project's documentation: headings, paragraphs, lists, code and tables.
///
/// Anything else is an error with its line, so that a page never omits or garbles content.
struct MarkdownReader {
    private let document: String
    private let lines: [Substring]
    private let inline: InlineReader
    private var place = 0

    /// Creates a reader of a document's text.
    init(_ text: String, document: String, inline: InlineReader = InlineReader()) {
        self.document = document
        self.inline = inline
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns all blocks of the document, in order.
    static func blocks(
        _ text: String,
        document: String,
        inline: InlineReader = InlineReader()
    ) throws(MarkdownError) -> [MarkdownBlock] {
        var reader = MarkdownReader(text, document: document, inline: inline)
        return try reader.all()
    }

    private mutating func all() throws(MarkdownError) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        while place < lines.count {
            let line = lines[place]
            if line.allSatisfy({ $0 == " " }) || line.hasPrefix("<!--") && line.hasSuffix("-->") {
                place += 1
            } else if line.hasPrefix("#") {
                blocks.append(try heading())
            } else if line.hasPrefix("```") {
                blocks.append(try fencedCode())
            } else if line.hasPrefix("    ") {
                blocks.append(indentedCode())
            } else if line.hasPrefix("|") {
                blocks.append(try table())
            } else if Self.item(line) != nil {
                blocks.append(try list())
            } else if line.hasPrefix(">") || line.hasPrefix("<") || line.hasPrefix("![") {
                throw error("neither quotations, HTML nor pictures can be set")
            } else {
                blocks.append(.paragraph(try spans(joined { !$0.isEmpty && !$0.hasPrefix("|") })))
            }
        }
        return blocks
    }

    private mutating func heading() throws(MarkdownError) -> MarkdownBlock {
        let line = lines[place]
        let level = line.prefix { $0 == "#" }.count
        guard level <= 4, line.dropFirst(level).hasPrefix(" ") else { throw error("this is not a heading") }
        let block = MarkdownBlock.heading(level: level, try spans(String(line.dropFirst(level + 1))))
        place += 1
        return block
    }

    private mutating func fencedCode() throws(MarkdownError) -> MarkdownBlock {
        let start = place
        place += 1
        guard let end = lines[place...].firstIndex(where: { $0.hasPrefix("```") }) else {
            place = start
            throw error("the code has no end")
        }
        defer { place = end + 1 }
        return .code(lines[place..<end].map(String.init))
    }

    private mutating func indentedCode() -> MarkdownBlock {
        var code: [String] = []
        while place < lines.count, lines[place].hasPrefix("    ") || lines[place].isEmpty {
            code.append(String(lines[place].dropFirst(4)))
            place += 1
        }
        while code.last == "" { code.removeLast() }
        return .code(code)
    }

    private mutating func table() throws(MarkdownError) -> MarkdownBlock {
        let head = try cells()
        guard place < lines.count, lines[place].hasPrefix("|"), lines[place].allSatisfy({ "|-: ".contains($0) }) else {
            throw error("a table needs a line of dashes below its head")
        }
        place += 1
        var rows: [[[Span]]] = []
        while place < lines.count, lines[place].hasPrefix("|") {
            let row = try cells()
            guard row.count == head.count else {
                place -= 1
                throw error("the row has \(row.count) cells, and the table \(head.count) columns")
            }
            rows.append(row)
        }
        return .table(head: head, rows: rows)
    }

    /// Parses the cells of a table row; a bar within a cell is written as `\|`.
    private mutating func cells() throws(MarkdownError) -> [[Span]] {
        let line = lines[place].replacing("\\|", with: "\u{1}")
        guard line.count > 1, line.hasSuffix("|") else { throw error("the line does not end with a bar") }
        var cells: [[Span]] = []
        for cell in line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false) {
            let text = String(cell).replacing("\u{1}", with: "|")
            cells.append(try spans(text.trimmed))
        }
        place += 1
        return cells
    }

    private mutating func list() throws(MarkdownError) -> MarkdownBlock {
        var items: [MarkdownBlock.Item] = []
        while place < lines.count, let (mark, indentation) = Self.item(lines[place]) {
            let first = String(lines[place].dropFirst(indentation))
            place += 1
            let hanging = String(repeating: " ", count: indentation)
            let rest = joined { $0.hasPrefix(hanging) && Self.item($0.dropFirst(indentation)) == nil }
            items.append(.init(mark: mark, text: try spans(rest.isEmpty ? first : "\(first) \(rest)")))
        }
        return .list(items)
    }

    /// Returns the number of a list item, if it has one, and the indentation of its text.
    private static func item(_ line: Substring) -> (mark: String?, indentation: Int)? {
        if line.hasPrefix("- ") { return (nil, 2) }
        let digits = line.prefix { $0.isASCII && $0.isNumber }
        guard (1...3).contains(digits.count), line.dropFirst(digits.count).hasPrefix(". ") else { return nil }
        return ("\(digits).", digits.count + 2)
    }

    /// Joins the lines that belong to the current block.
    private mutating func joined(while belongs: (Substring) -> Bool) -> String {
        var words: [String] = []
        while place < lines.count, belongs(lines[place]) {
            words.append(String(lines[place]).trimmed)
            place += 1
        }
        return words.joined(separator: " ")
    }

    private func spans(_ text: String) throws(MarkdownError) -> [Span] {
        do throws(InlineError) {
            return try inline.spans(text)
        } catch {
            throw self.error(error.message)
        }
    }

    private func error(_ message: String) -> MarkdownError {
        MarkdownError(document: document, line: min(place, lines.count - 1) + 1, message: message)
    }
}

extension String {
    /// The text without leading and trailing spaces.
    var trimmed: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// A block of a Markdown document, in the subset that the project's documents use.
enum MarkdownBlock: Hashable {
    case heading(level: Int, [Span])
    case paragraph([Span])
    /// Items with a number, or with a bullet.
    case list([Item])
    case code([String])
    case table(head: [[Span]], rows: [[[Span]]])

    /// An item of a list.
    struct Item: Hashable {
        /// Its number with the full stop; `nil` for a bullet.
        let mark: String?
        let text: [Span]
    }
}

/// An element of a document that manual pages do not support.
struct MarkdownError: Error, Hashable, CustomStringConvertible {
    let document: String
    let line: Int
    let message: String

    var description: String { "\(document):\(line): \(message)" }
}

extension [MarkdownBlock] {
    /// Returns the content after the heading with this text, up to the next one of the same level; `nil` without such a
    /// heading.
    func section(_ title: String) -> [MarkdownBlock]? {
        guard let start = firstIndex(where: { $0.headingText == title }), case .heading(let level, _) = self[start]
        else { return nil }
        let rest = self[(start + 1)...]
        let end = rest.firstIndex { block in
            if case .heading(let other, _) = block { return other <= level }
            return false
        }
        return Array(rest[..<(end ?? endIndex)])
    }

    /// The content before the first heading below the title.
    var introduction: [MarkdownBlock] {
        Array(drop { $0.headingText != nil }.prefix { $0.headingText == nil })
    }

    /// Returns the text of the headings of a level, in order.
    func titles(level: Int) -> [String] {
        compactMap { block in
            if case .heading(level, let spans) = block { return spans.plainText }
            return nil
        }
    }
}

extension MarkdownBlock {
    /// The text of a heading; `nil` for any other block.
    var headingText: String? {
        if case .heading(_, let spans) = self { return spans.plainText }
        return nil
    }
}

extension [Span] {
    /// The text without markup.
    var plainText: String {
        map { span in
            switch span {
            case .plain(let text), .literal(let text), .emphasis(let text): text
            case .page(let name, let section): "\(name)(\(section))"
            }
        }.joined()
    }
}
