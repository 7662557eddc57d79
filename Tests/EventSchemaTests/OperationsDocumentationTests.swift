import CheckResults
import Foundation
import NetlinkMonitor
import Reachability
import Testing

import struct AgentEvents.HookEnding
import enum AgentEvents.SinkCode

@testable import Hooks

/// An operator who looks for a code finds it, and what to do about it.
@Suite struct OperationsDocumentationTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs")

    /// The rows of a page's tables that begin with codes, by code.
    private static func rows(of name: String) throws -> [String: [Substring]] {
        let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
        var rows: [String: [Substring]] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            for (index, word) in (cells.first ?? "").split(separator: "`").enumerated() where index % 2 == 0 {
                rows[String(word), default: []].append(line)
            }
        }
        return rows
    }

    /// Every code that this module's events can have, with the page that says what to do.
    private static let codes: [(page: String, codes: [String])] = [
        ("findings.md", FindingCode.allCases.map(\.rawValue)),
        ("hooks.md", HookRefusal.Code.allCases.map(\.rawValue)),
        ("operations.md", ReasonCode.allCases.map(\.rawValue)),
        ("operations.md", NetworkChange.Code.allCases.map(\.rawValue)),
        ("operations.md", Overrun.Code.allCases.map(\.rawValue)),
        ("operations.md", HookRefusal.Code.allCases.map(\.rawValue)),
        ("operations.md", SinkCode.allCases.map(\.rawValue)),
        (
            "operations.md",
            [ChangeCause.start.code, "flapping_started", "flapping_stopped", "config_reloaded", "suspended"]
        ),
    ]

    @Test(arguments: codes.indices)
    func `every code is at the beginning of a row`(_ index: Int) throws {
        let (page, codes) = Self.codes[index]
        let rows = try Self.rows(of: page)
        for code in codes { #expect(rows[code] != nil, "\(code) is missing in \(page)") }
    }

    @Test func `each reason for a loss has a cause and something to do`() throws {
        let rows = try Self.rows(of: "operations.md")
        for code in ReasonCode.allCases {
            let isComplete = rows[code.rawValue]?.contains { row in
                row.split(separator: "|").filter { $0.contains(where: \.isLetter) }.count == 3
            }
            #expect(isComplete == true, "\(code.rawValue) has no cause or no action")
        }
    }

    @Test func `every hook outcome other than success has a row`() throws {
        let rows = try Self.rows(of: "operations.md")
        for outcome: HookRunEnd.Outcome in [
            .exited(status: 1), .signaled(11), .timedOut, .notStarted(reason: ""), .stopped,
            .undelivered(code: "", detail: ""),
        ] {
            let name = HookEnding(HookRunEnd(outcome: outcome), of: .command).outcome
            #expect(rows[name] != nil, "\(name) is missing")
        }
    }

    @Test func `links between the pages lead somewhere`() throws {
        let root = Self.directory.deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path())
        let pages = names.filter { $0.hasSuffix(".md") }.map { Self.directory.appending(path: $0) }
        for page in pages + [root.appending(path: "README.md"), root.appending(path: "CONTRIBUTING.md")] {
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: /\]\((?<path>[^)#:\s]*)(?:#(?<place>[^)\s]*))?\)/) {
                let target = match.path.isEmpty ? page : page.deletingLastPathComponent().appending(path: match.path)
                let exists = FileManager.default.fileExists(atPath: target.path())
                #expect(exists, "\(page.lastPathComponent): \(match.path) is not there")
                guard exists, let place = match.place, target.pathExtension == "md" else { continue }
                let places = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
                    .filter { $0.hasPrefix("#") }.map(Self.place)
                let isThere = places.contains(String(place))
                #expect(isThere, "\(page.lastPathComponent): \(match.path)#\(place) is not there")
            }
        }
    }

    /// Returns the anchor of a heading: lower case, hyphens for spaces, no punctuation.
    private static func place(of heading: Substring) -> String {
        String(
            heading.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { letter in
                letter == " " ? "-" : letter.isLetter || letter.isNumber || "-_".contains(letter) ? letter : nil
            }
        )
    }
}
