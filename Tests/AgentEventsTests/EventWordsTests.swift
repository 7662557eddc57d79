import Foundation
import Testing

@testable import AgentEvents

/// The bound on the names and codes of events that another device may have written.
@Suite struct EventWordsTests {
    /// A golden event, and its members that are compared or hashed.
    static let members: [(file: String, names: [String])] = [
        (
            "reachability.changed.portal",
            [
                "via", "connectivity", "connectivity_reason", "connectivity_probe", "ipv4", "ipv6", "reason",
                "interface", "kind", "gateway", "source", "prefix", "code",
            ]
        ),
        ("reachability.changed.alternative", ["code", "preferred", "interface"]),
        ("path.changed.legs", ["interface"]),
        ("uplink.changed", ["interface", "kind", "connectivity", "code"]),
        ("probe.changed.portal", ["probe", "interface", "verdict", "code", "kind"]),
        ("probe.summary", ["probe", "interface", "family"]),
        ("probe.completed", ["interface", "family", "verdict", "code"]),
        ("probe.progress", ["interface", "family", "phase"]),
        ("certificate.expiring", ["probe", "sha256"]),
        ("hook.completed.exited", ["outcome"]),
        ("journal.degraded.settled", ["code", "interface", "probe", "verdict", "family"]),
        ("network.snapshot", ["prefix"]),
    ]

    private static func line(_ file: String) throws -> String {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EventSchemaTests/Golden/\(file).json")
        return try String(contentsOf: golden, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    private static func hasShortWords(_ line: String) throws -> Bool {
        try #require(AgentEvent(line: Array(line.utf8))).content.hasShortWords
    }

    @Test(arguments: members)
    func `one long name or code is enough`(file: String, names: [String]) throws {
        let line = try Self.line(file)
        #expect(try Self.hasShortWords(line))
        let data = try #require(line.firstRange(of: "\"data\":")).upperBound
        for name in names {
            let found = line[data...].ranges(of: try Regex("\"\(name)\":\"[^\"]+\""))
            #expect(!found.isEmpty, "\(name)")
            for range in found {
                for (count, isShort) in [(255, true), (256, false)] {
                    let member = "\"\(name)\":\"\(String(repeating: "x", count: count))\""
                    let changed = line.replacingCharacters(in: range, with: member)
                    #expect(try Self.hasShortWords(changed) == isShort, "\(line[range]) in \(count) bytes")
                }
            }
        }
    }
}
