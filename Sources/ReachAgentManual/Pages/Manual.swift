import Foundation

/// The context for all pages.
struct Manual {
    /// The directory of the documentation in Markdown.
    let documentation: URL
    /// The directory of the examples.
    let examples: URL
    /// The agent's version.
    let version: String
    /// The date of the pages as `2026-11-21`.
    let date: String

    /// The installation directory of the documentation: the README, `docs` and `examples`, laid out as in the sources.
    static let installed = "/usr/share/doc/reachagent"

    /// Creates a page with its title.
    func page(_ name: String, _ section: Int, _ summary: String) -> RoffPage {
        let manual = [5: "File Formats Manual", 7: "Miscellaneous Information Manual", 8: "System Manager's Manual"]
        return RoffPage(
            name: name,
            section: section,
            summary: summary,
            heading: (date, "ReachAgent \(version)", manual[section] ?? "")
        )
    }

    /// Reads one of the documents for a page.
    func document(_ name: String, page: String) throws -> [MarkdownBlock] {
        let text = try String(contentsOf: documentation.appending(path: name), encoding: .utf8)
        return try Self.blocks(text, document: name, page: page)
    }

    /// Returns a section of a document; a missing heading is an error, not a gap in a page.
    func section(_ title: String, of name: String, page: String) throws -> [MarkdownBlock] {
        guard let section = try document(name, page: page).section(title) else {
            throw MarkdownError(document: name, line: 1, message: "there is no section '\(title)'")
        }
        return section
    }

    /// Parses a page's own Markdown text.
    static func blocks(_ text: String, page: String) throws -> [MarkdownBlock] {
        try blocks(text, document: page, page: page)
    }

    private static func blocks(_ text: String, document: String, page: String) throws -> [MarkdownBlock] {
        let inline = InlineReader { target in
            let file = String(target.prefix { $0 != "#" })
            if target.hasPrefix("https://") || file.isEmpty { return nil }
            return place(of: file, from: page)
        }
        return try MarkdownReader.blocks(text, document: document, inline: inline)
    }

    /// Returns the reference to a document for the readers of a page; `nil` if it is not installed.
    private static func place(of file: String, from page: String) -> [Span]? {
        let events = Span.page(name: "reachagent-events", section: 7)
        let isOnEventsPage = page == "reachagent-events"
        switch file {
        case "configuration.md": return [.page(name: "reachagent.toml", section: 5)]
        case "events.md": return [isOnEventsPage ? .plain("above") : events]
        case "findings.md": return [.emphasis("FINDINGS")] + (isOnEventsPage ? [] : [.plain(" in "), events])
        default:
            if file.hasPrefix("../examples/") { return [.emphasis("\(installed)/\(file.dropFirst(3))")] }
            return file.hasPrefix("../") ? nil : [.emphasis("\(installed)/docs/\(file)")]
        }
    }
}
