import EventEnvelope
import Foundation
import Testing

@testable import AgentEvents

@Suite
struct AgentEventTests {
    private static let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "EventSchemaTests/Golden")

    /// The golden events, by the names of their files.
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: golden.path())) ?? [])
        .filter { $0.hasSuffix(".json") && !$0.hasPrefix("status.") && !$0.hasPrefix("check.") }.sorted()

    private static func line(_ name: String) throws -> [UInt8] {
        var line = Array(try Data(contentsOf: golden.appending(path: name)))
        while line.last == UInt8(ascii: "\n") { line.removeLast() }
        return line
    }

    @Test(arguments: names)
    func `each golden event is read completely, and written again with the same bytes`(_ name: String) throws {
        let line = try Self.line(name)
        let event = try #require(AgentEvent(line: line))
        #expect(event.content != .unknown)
        let written = try EventEncoder.encode(event)
        #expect(String(decoding: written, as: UTF8.self) == String(decoding: line, as: UTF8.self))
    }

    @Test
    func `every type has a golden event`() throws {
        let types = try Self.names.compactMap { AgentEvent(line: try Self.line($0))?.knownType }
        #expect(Set(types) == Set(EventType.allCases))
    }

    @Test(arguments: ["check.ok.json", "check.refused.json"])
    func `each golden report is read completely, and written again with the same bytes`(_ name: String) throws {
        let line = try Self.line(name)
        let report = try EventDecoder.decode(CheckReport.self, from: line)
        #expect(try EventEncoder.encode(report) == line)
    }
}
