/// A part of a document in Markdown, as far as ours go.
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

/// What a document has that pages are not made of.
struct MarkdownError: Error, Hashable, CustomStringConvertible {
    let document: String
    let line: Int
    let message: String

    var description: String { "\(document):\(line): \(message)" }
}

extension [MarkdownBlock] {
    /// What follows the heading with this text, up to the next one of the same level; nil without such a heading.
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

    /// What stands before the first heading below the title.
    var introduction: [MarkdownBlock] {
        Array(drop { $0.headingText != nil }.prefix { $0.headingText == nil })
    }

    /// The texts of the headings of a level, in their order.
    func titles(level: Int) -> [String] {
        compactMap { block in
            if case .heading(level, let spans) = block { return spans.plainText }
            return nil
        }
    }
}

extension MarkdownBlock {
    /// The words of a heading; nil of anything else.
    var headingText: String? {
        if case .heading(_, let spans) = self { return spans.plainText }
        return nil
    }
}

extension [Span] {
    /// The words without what they are.
    var plainText: String {
        map { span in
            switch span {
            case .plain(let text), .literal(let text), .emphasis(let text): text
            case .page(let name, let section): "\(name)(\(section))"
            }
        }.joined()
    }
}
