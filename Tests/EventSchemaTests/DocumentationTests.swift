import AgentEvents
import CheckResults
import Foundation
import NetlinkMonitor
import Reachability
import Testing

/// The documentation of the schema names everything that the code can say.
struct DocumentationTests {
    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/events.md")

    @Test("the documentation lists every reason with its sentence", arguments: ReasonCode.allCases)
    func reasons(_ code: ReasonCode) throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(text.contains("| `\(code.rawValue)` | \(code.sentence) |"))
    }

    @Test("the documentation lists every change, every overrun and every kind of evidence")
    func codes() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        for code in NetworkChange.Code.allCases { #expect(text.contains("| `\(code.rawValue)` |")) }
        for code in Overrun.Code.allCases { #expect(text.contains("| `\(code.rawValue)` |")) }
        for evidence in Underlay.Evidence.allCases { #expect(text.contains("`\(evidence.rawValue)`")) }
    }

    @Test("the table of findings matches the source")
    func findings() throws {
        let page = Self.page.deletingLastPathComponent().appending(path: "findings.md")
        let rows = FindingCode.allCases.map { "| `\($0.rawValue)` | \($0.sentence) | \($0.remedy) |\n" }
        let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "|---|---|---|\n")
        let head = try #require(parts.first) + "|---|---|---|\n"
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try (head + rows.joined()).write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == head + rows.joined())
    }

    @Test("the tables of types match the source", arguments: [true, false])
    func typeTable(isNumbered: Bool) throws {
        let types = EventType.allCases.filter { $0.isNumbered == isNumbered }
        let rows = types.map { "| `\($0.rawValue)` | \($0.meaning) |\n" }
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(text.contains("| Type | Meaning |\n|---|---|\n" + rows.joined() + "\n"))
    }

    @Test("the documentation lists every event type", arguments: EventType.allCases)
    func types(_ type: EventType) throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let short = type.rawValue.dropFirst("reachagent.".count)
        #expect(text.contains(type.rawValue) || text.contains("…\(short)"))
    }
}
