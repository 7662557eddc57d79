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

    @Test(arguments: ["status.eventful.json", "status.fresh.json", "status.hooks.json", "status.probes.json"])
    func `each golden status is read completely, and written again with the same bytes`(_ name: String) throws {
        let line = try Self.line(name)
        let status = try EventDecoder.decode(AgentStatus.self, from: line)
        #expect(
            String(decoding: try EventEncoder.encode(status), as: UTF8.self) == String(decoding: line, as: UTF8.self)
        )
    }

    private static let tolerated: [(String, String)] = [
        ("a member that is not known", #""data":{"new":[{"x":null}],"reason":"SIGTERM"}"#),
        ("another order", #""extra":1,"data":{"reason":"SIGTERM"}"#),
        ("an escaped name of a member that is not known", #""data":{"\u0041":1,"reason":"SIGTERM"}"#),
    ]

    @Test(arguments: tolerated)
    func `an event of a later version is read as far as it is known`(_ what: String, _ members: String) throws {
        let line =
            #"{"specversion":"1.0","id":"a-1","source":"/x","type":"reachagent.agent.stopping","subject":"agent","#
            + #""time":"2026-11-21T07:00:00Z","seq":1,\#(members)}"#
        let event = try #require(AgentEvent(line: Array(line.utf8)))
        #expect(event.content == .agentStopping(AgentStopping(reason: "SIGTERM")))
        #expect(event.sequence == 1)
    }

    @Test
    func `a type or a content that is not known leaves the envelope readable`() throws {
        for (type, data) in [("reachagent.later.thing", "{}"), ("reachagent.agent.stopping", #"{"reason":7}"#)] {
            let line = #"{"id":"a-1","source":"/x","type":"\#(type)","time":"2026-11-21T07:00:00Z","data":\#(data)}"#
            let event = try #require(AgentEvent(line: Array(line.utf8)))
            #expect(event.content == .unknown)
            #expect(event.type == type)
            #expect(event.subject.isEmpty)
            #expect(throws: EncodingError.self) { try EventEncoder.encode(event) }
        }
    }

    @Test
    func `members of the wrong type read as absent, and elements that cannot be read are skipped`() throws {
        let text =
            #"{"via":"wifi","ifindex":"3","kind_is_guess":1,"metric":-1,"dead_legs":[7,{"interface":"eth0"},null]}"#
        let path = try EventDecoder.decode(Path.self, from: Array(text.utf8))
        #expect(path == Path(via: .wifi, deadLegs: [Path.Leg(interface: "eth0")]))
        let later = try EventDecoder.decode(Path.self, from: Array(#"{"via":"satellite"}"#.utf8))
        #expect(later.via.rawValue == "satellite")
        #expect(later.via.isReachable)
    }

    @Test
    func `values survive Foundation's coders too`() throws {
        for name in Self.names {
            let event = try #require(AgentEvent(line: try Self.line(name)))
            #expect(try JSONDecoder().decode(AgentEvent.self, from: try JSONEncoder().encode(event)) == event)
        }
    }
}
