import EventJournal
import Foundation
import Testing

/// The documentation of the journal's codes.
@Suite struct JournalDocumentationTests {
    @Test(arguments: ["events.md", "operations.md"])
    func `every code of the journal is described`(page: String) throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/\(page)")
        let text = try String(contentsOf: docs, encoding: .utf8)
        // A sink has a code with the same beginning.
        let journal = try #require(text.split(separator: "\n### Sinks\n").first)
        let described = journal.split(separator: "\n").filter { $0.hasPrefix("| `journal_") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(described.sorted() == JournalCondition.Code.allCases.map(\.rawValue).sorted())
    }
}
