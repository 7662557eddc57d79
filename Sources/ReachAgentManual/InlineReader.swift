/// A paragraph that cannot be parsed.
struct InlineError: Error {
    let message: String
}

/// Parses the inline elements of a paragraph: code, emphasis, links, and references to other manual pages.
struct InlineReader {
    /// Returns the replacement for a link to a document; `nil` to keep the link's own text.
    var place: @Sendable (_ target: String) -> [Span]? = { _ in nil }

    /// Returns the spans of a paragraph.
    func spans(_ text: String) throws(InlineError) -> [Span] {
        var spans: [Span] = []
        var plain = ""
        var rest = text[...]
        func flush() {
            spans += Self.withPages(plain)
            plain = ""
        }
        while let character = rest.first {
            if rest.hasPrefix("**") {
                flush()
                spans.append(.literal(try Self.enclosed(&rest, by: "**")))
            } else if character == "`" {
                flush()
                spans.append(.literal(try Self.enclosed(&rest, by: "`")))
            } else if character == "*", rest.dropFirst().first.map({ $0.isLetter }) == true, plain.last != "\\" {
                flush()
                spans.append(.emphasis(try Self.enclosed(&rest, by: "*")))
            } else if character == "[", let link = Self.link(rest) {
                flush()
                spans.append(contentsOf: try linked(link.text, to: link.target))
                rest = rest[link.end...]
            } else {
                plain.append(character)
                rest.removeFirst()
            }
        }
        flush()
        return spans
    }

    /// Returns the text up to the closing mark; the opening mark comes next.
    private static func enclosed(_ rest: inout Substring, by mark: String) throws(InlineError) -> String {
        let body = rest.dropFirst(mark.count)
        guard let end = body.firstRange(of: mark) else { throw InlineError(message: "'\(mark)' is not closed") }
        rest = body[end.upperBound...]
        return String(body[..<end.lowerBound])
    }

    private static func link(_ rest: Substring) -> (text: String, target: String, end: Substring.Index)? {
        guard let middle = rest.firstRange(of: "]("), !rest[..<middle.lowerBound].dropFirst().contains("["),
            let end = rest[middle.upperBound...].firstIndex(of: ")")
        else { return nil }
        let text = rest[rest.index(after: rest.startIndex)..<middle.lowerBound]
        return (String(text), String(rest[middle.upperBound..<end]), rest.index(after: end))
    }

    private func linked(_ text: String, to target: String) throws(InlineError) -> [Span] {
        if let place = place(target) { return place }
        let words = try spans(text)
        return target.hasPrefix("https://") ? words + [.plain(" <"), .literal(target), .plain(">")] : words
    }

    /// Returns spans in which names such as `fnmatch(3)` are manual pages.
    private static func withPages(_ text: String) -> [Span] {
        var spans: [Span] = []
        var plain = ""
        for (place, part) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            if place > 0 { plain += " " }
            let lead = part.prefix { $0 == "(" }
            let name = part.dropFirst(lead.count)
            guard let open = name.firstIndex(of: "("), open != name.startIndex,
                name[..<open].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }),
                let section = name[name.index(after: open)...].first?.wholeNumberValue, (1...9).contains(section),
                name[name.index(open, offsetBy: 2)...].hasPrefix(")")
            else {
                plain += part
                continue
            }
            spans.append(.plain(plain + lead))
            spans.append(.page(name: String(name[..<open]), section: section))
            plain = String(name[name.index(open, offsetBy: 3)...])
        }
        spans.append(.plain(plain))
        return spans.filter { $0 != .plain("") }
    }
}
