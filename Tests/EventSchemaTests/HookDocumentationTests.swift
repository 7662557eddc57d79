import AgentEvents
import Foundation
import Hooks
import Testing

@testable import ReachAgent

/// The documentation of hooks names everything that the code can give and refuse.
@Suite struct HookDocumentationTests {
    private static func page(_ name: String) throws -> String {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: directory.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// The first cells of the rows that follow a table's head.
    private static func rows(_ head: String, in text: String) throws -> [String] {
        let parts = text.components(separatedBy: head + "\n")
        let rows = try #require(parts.dropFirst().first).split(separator: "\n", omittingEmptySubsequences: false)
        return rows.dropFirst().prefix { $0.hasPrefix("|") }.map(String.init)
    }

    @Test func `the table of variables is the one of the source`() throws {
        let rows = try Self.rows("| Variable | Meaning |", in: try Self.page("hooks.md"))
        #expect(rows == HookEnvironment.variables.map { "| `\($0.name)` | \($0.meaning) |" })
    }

    @Test func `every refusal is in the documentation with what to do, in the order of the source`() throws {
        let rows = try Self.rows("| Code | Problem | Remedy |", in: try Self.page("hooks.md"))
        let codes = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(codes == HookRefusal.Code.allCases.map(\.rawValue))
        for row in rows { #expect(row.split(separator: "|").filter { $0.contains { $0.isLetter } }.count == 3) }
    }

    @Test func `every member of the event and every outcome is in the documentation`() throws {
        let text = try Self.page("events.md")
        let rest = try #require(text.components(separatedBy: "## Hooks\n").last)
        let section = try #require(rest.components(separatedBy: "\n## ").first)
        for (_, draft) in GoldenTests.hookDrafts {
            let event = Event(draft, from: GoldenTests.origin, at: GoldenTests.time, number: 42)
            let object = try #require(JSONSerialization.jsonObject(with: Data(event.line)) as? [String: Any])
            let data = try #require(object["data"] as? [String: Any])
            for name in data.keys { #expect(section.contains("`\(name)`"), "\(name) is missing") }
            let outcome = try #require(data["outcome"] as? String)
            #expect(section.contains("| `\(outcome)` |"))
        }
    }
}
