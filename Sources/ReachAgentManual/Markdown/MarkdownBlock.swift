/// A block of a Markdown document, in the subset that ours use.
enum MarkdownBlock: Hashable {
    case heading(level: Int, [Span])
    case paragraph([Span])
    /// Items with a number of their own, or with a bullet.
    case list([Item])
    case code([String])
    case table(head: [[Span]], rows: [[[Span]]])

    /// An item of a list.
    struct Item: Hashable {
        /// Its number with the full stop; nil for a bullet.
        let mark: String?
        let text: [Span]
    }
}

/// An element of a document that pages do not support.
struct MarkdownError: Error, Hashable, CustomStringConvertible {
    let document: String
    let line: Int
    let message: String

    var description: String { "\(document):\(line): \(message)" }
}

extension [MarkdownBlock] {
    /// Returns the content after the heading with this text, up to the next one of the same level; nil without such a
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
    /// The text of a heading; nil for anything else.
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
