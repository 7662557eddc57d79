extension RoffPage {
    /// Writes blocks of a document; headings are parts of the current section.
    ///
    /// - Parameter level: The level of the headings that begin a subsection; those below are set in bold.
    mutating func set(_ blocks: [MarkdownBlock], headings level: Int = 2) {
        for block in blocks {
            switch block {
            case .heading(level, let spans): subsection(spans.plainText)
            case .heading(_, let spans): heading(spans.plainText)
            case .paragraph(let spans): paragraph(spans)
            case .code(let lines): example(lines)
            case .list(let items): for item in items { listItem(item.mark, item.text) }
            case .table(let head, let rows):
                // A table of the values of one member has the member's name as its head.
                if case .literal(let name)? = head[0].first { heading(name) }
                for row in rows { item(row[0], Self.bodies(row, head: head.map(\.plainText))) }
            }
        }
    }

    /// Returns the cells of a row after the first one, which is the tag: the meaning, and then the others with their
    /// column names.
    static func bodies(_ row: [[Span]], head: [String]) -> [[Span]] {
        let meaning = head.firstIndex(of: "Meaning") ?? 1
        let others = row.indices.dropFirst().filter { $0 != meaning && !row[$0].isEmpty }
        return [row[meaning]] + others.map { [.plain("\(head[$0]): ")] + row[$0] }
    }
}
