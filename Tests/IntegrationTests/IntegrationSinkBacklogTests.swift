import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import Glibc
import Testing

/// Both ends of a sink are killed again and again while it ships what has waited in the journal, and what comes meanwhile.
@Suite(.inNamespace, .withNATS, .onOwnThread, .serialized, .timeLimit(.minutes(30)))
struct IntegrationSinkBacklogTests {
    /// The number of events for each kill.
    private static let eventsForKill = 1000

    @Test func `a journal that is full of events gets to the server once and in order, with a kill for each thousand`()
        async throws
    {
        let server = try await NATSServer()
        let lab = try SinkLab()
        let reader = try NATSTestClient(port: server.port)
        try reader.makeStream("EVENTS", options: #""duplicate_window":100000000"#)
        try lab.configure(SinkLab.sink("plant", server.url) + "\n[agent]\njournal_size = \"1G\"\n")
        let kills = max(2, SinkStorm.events / Self.eventsForKill)
        let waiting = SinkStorm.events / 10 * 9
        try lab.fillJournal(waiting)
        var storm = try await SinkStorm(lab, server)
        let changes = try CommandLines(lab.namespace.command("/bin/sh", ["-c", SinkStorm.changes(every: "0.01")]))
        for kill in 0..<kills {
            try await storm.sink.next(containing: "sink plant: connected")
            // So much that the last events which have waited are there at the last kill.
            let shipped = try Self.count(server)
            let share = max(0, waiting - shipped) / (kills - kill)
            try Self.awaitEvents(shipped + storm.random(0...2 * share), server)
            try await storm.strike()
        }
        try Self.awaitEvents(SinkStorm.events, server)
        changes.end()
        _ = await changes.rest()
        let count = try await storm.judge { try server.expectAll(of: $0) }
        #expect(count >= SinkStorm.events)
        print("\(kills) kills, \(count) events, of which \(waiting) waited at the beginning")
    }

    private static func count(_ server: NATSServer) throws -> Int {
        Int(try NATSTestClient(port: server.port).state(of: "EVENTS").messages)
    }

    /// Waits until the stream has so many events; the server tells no client when it has stored one.
    private static func awaitEvents(_ wanted: Int, _ server: NATSServer) throws {
        let reader = try NATSTestClient(port: server.port)
        let end = ContinuousClock.now.advanced(by: .seconds(120))
        while try reader.state(of: "EVENTS").messages < wanted {
            guard ContinuousClock.now < end else {
                throw CommandFailure(command: "wait for \(wanted) events", status: 1, output: "\(try count(server))")
            }
            usleep(1000)
        }
    }
}

extension SinkLab {
    /// Fills the journal with changes of the path, a thousand a second until now; there is no agent yet.
    fileprivate func fillJournal(_ count: Int) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../EventSchemaTests/Golden/path.changed.json")
        let golden = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        let data = golden[try #require(golden.firstRange(of: #""data":"#)).lowerBound...]
        let configuration = JournalConfiguration(directory: directory.journal, sync: .never, totalBytes: 1 << 30)
        let journal = try EventJournal(opening: configuration, now: { .now })
        let start = Timestamp.now.microsecondsSince1970 - Int64(count) * 1000
        for batch in stride(from: 0, to: count, by: 1000) {
            let records = (batch..<min(batch + 1000, count)).map { number in
                let time = Timestamp(microsecondsSince1970: start + Int64(number) * 1000)
                let line = """
                    {"specversion":"1.0","id":"\(journal.streamID)-\(number + 1)","source":"/reachagent/edge-7",\
                    "type":"reachagent.path.changed","subject":"default","time":"\(time)","seq":\(number + 1),\(data)
                    """
                return JournalRecord(sequence: UInt64(number + 1), time: time, line: Array(line.utf8))
            }
            journal.append(records)
        }
        #expect(journal.close(within: .seconds(60)))
        #expect(journal.newestSequence == UInt64(count))
    }
}
