import CheckResults
import Foundation
import NetlinkMonitor
import Reachability
import Testing

import struct AgentEvents.AgentStatus
import struct AgentEvents.Event
import struct AgentEvents.EventDraft
import struct AgentEvents.EventOrigin
import struct AgentEvents.JSONWriter
import struct AgentEvents.ScannedLine

@testable import ReachAgent

/// Lists of probes that are longer than anybody's line.
struct ProbeListTests {
    private static let now = ObservedTime(instant: .now, microsecondsSince1970: 1_795_244_400_000_000)

    private static func status(_ records: [ProbeRecord], waiting: [ProbeRule] = []) -> [UInt8] {
        var json = JSONWriter()
        let status = AgentStatus(
            of: AgentFacts(
                version: "0.1.0",
                processID: 1,
                started: now,
                origin: EventOrigin(streamID: "s", host: "h")
            ),
            at: now,
            reachability: SettledState(unknown: .unknown),
            probes: records,
            waiting: waiting,
            network: NetworkSnapshot()
        )
        json.encode(status)
        return json.bytes
    }

    private static func names(_ bytes: [UInt8]) throws -> (names: [String], omitted: Int?) {
        let object = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let members = object["data"] as? [String: Any] ?? object
        let probes = members["probes"] as? [[String: Any]] ?? []
        return (probes.compactMap { $0["probe"] as? String }, members["probes_omitted"] as? Int)
    }

    @Test func `ten thousand probes are listed, those that are not up first`() throws {
        var records = (0..<10_000).map {
            ProbeRecord(point: GoldenTests.point("probe-\($0)"), state: ProbeState(.up), since: Self.now)
        }
        records[7777] = ProbeRecord(point: records[7777].point, state: ProbeState(.down, code: .connectTimeout))
        let draft = EventDraft.networkSnapshot(NetworkSnapshot(), state: .unknown, targets: [], probes: records)
        let event = Event(draft, from: GoldenTests.origin, at: GoldenTests.time, number: 1)
        #expect(ScannedLine(event.line.span) != nil)
        for bytes in [event.line, Self.status(records)] {
            let (names, omitted) = try Self.names(bytes)
            #expect(names.count == 10_000 && omitted == nil)
            #expect(names.prefix(2) == ["probe-7777", "probe-0"])
        }
    }

    @Test func `probes that wait for a path are all listed, before those that are up`() throws {
        let records = [ProbeState.Verdict.up, .down].map {
            ProbeRecord(point: GoldenTests.point("\($0)"), state: ProbeState($0), since: Self.now)
        }
        let waiting = (0..<300).map { ProbeRule(name: "waiting-\($0)") }
        let (names, omitted) = try Self.names(Self.status(records, waiting: waiting))
        #expect(names == ["down"] + waiting.map(\.name) + ["up"] && omitted == nil)
    }

    @Test func `probes that do not fit are counted, and the line remains valid`() throws {
        let url = "http://login.example/" + String(repeating: "x", count: 2000)
        let records = (0..<3000).map {
            ProbeRecord(
                point: GoldenTests.point("probe-\($0)"),
                state: ProbeState(.portal, code: .portalRedirect, portalURL: url)
            )
        }
        let status = Self.status(records)
        #expect(status.count < ScannedLine.maximumBytes)
        let (names, omitted) = try Self.names(status)
        #expect(names.count > 500 && names.count + (omitted ?? 0) == 3000)
        #expect(names.last == "probe-\(names.count - 1)")
    }
}
