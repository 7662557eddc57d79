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

    @Test("every member of an event, of a report and of the status is documented")
    func members() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        let documented = try Self.words(of: "events.md")
        let both = try documented.union(Self.words(of: "status.md"))
        var count = 0
        for file in try FileManager.default.contentsOfDirectory(at: golden, includingPropertiesForKeys: nil) {
            let known = file.lastPathComponent.hasPrefix("status.") ? both : documented
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let members = Self.members(of: try JSONSerialization.jsonObject(with: Data(line.utf8)))
                #expect(members.subtracting(known).isEmpty, "\(file.lastPathComponent)")
                count += members.count
            }
        }
        #expect(count > 500)
    }

    /// The names in all objects of a value, except for objects whose names are codes: `findings.md` has those.
    private static func members(of value: Any) -> Set<String> {
        switch value {
        case let array as [Any]: array.reduce(into: []) { $0.formUnion(members(of: $1)) }
        case let object as [String: Any]:
            object.reduce(into: Set(object.keys)) { all, member in
                if !["failed", "not_checked"].contains(member.key) { all.formUnion(members(of: member.value)) }
            }
        default: []
        }
    }

    /// The words of a document that are set as code.
    private static func words(of document: String) throws -> Set<String> {
        let file = page.deletingLastPathComponent().appending(path: document)
        let parts = try String(contentsOf: file, encoding: .utf8).split(
            separator: "`",
            omittingEmptySubsequences: false
        )
        return Set(
            parts.indices.filter { $0 % 2 == 1 }.flatMap { index in
                parts[index].split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            }
        )
    }

    @Test("the documentation lists every event type", arguments: EventType.allCases)
    func types(_ type: EventType) throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let short = type.rawValue.dropFirst("reachagent.".count)
        #expect(text.contains(type.rawValue) || text.contains("…\(short)"))
    }
}
