import AgentEvents
import AgentTestKit
import Foundation
import NotificationBus
import Synchronization
import Testing

@testable import StateSocket

/// Streams of events over HTTP: server-sent events, with resumption and filters.
@Suite(.timeLimit(.minutes(2)))
struct HTTPStreamTests {
    @Test func `a stream has the state first, then each event with stream and number as the id`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/events")
            let (status, headers) = try client.head()
            #expect(status == 200 && headers["content-type"] == "text/event-stream")
            #expect(try client.client.lines(4).map { $0.prefix(6) } == ["retry:", "", "data: ", ""])
            let snapshot = try client.client.lines(3)
            #expect(snapshot[0] == "id: stream-a-0" && snapshot[1].contains("network.snapshot") && snapshot[2].isEmpty)
            stream.publish()
            let event = try client.client.lines(3)
            #expect(event[0] == "id: stream-a-1" && event[1].contains(#""seq":1"#) && event[2].isEmpty)
        }
    }

    @Test(arguments: ["Last-Event-ID: stream-a-2", "Last-Event-ID: 2", "since_seq"])
    func `a stream resumes after an event, starting with the journal`(way: String) async throws {
        let journal = MemoryJournal()
        try await ServedStream.run(firstSequence: 5, replay: journal) { stream in
            journal.record((1...4).map { stream.agent.event(.pathChanged, number: $0) })
            stream.publish()
            let client = try HTTPClient(stream.http)
            let isHeader = way.hasPrefix("Last")
            try client.send(isHeader ? "/events" : "/events?since_seq=2", isHeader ? [way] : [])
            _ = try client.head()
            var ids: [String] = []
            while ids.count < 4, let line = try client.client.line() { if line.hasPrefix("id: ") { ids.append(line) } }
            #expect(ids == ["id: stream-a-2", "id: stream-a-3", "id: stream-a-4", "id: stream-a-5"])
        }
    }

    @Test(arguments: ["900", "stream-a-900", "stream-b-2", "-2"])
    func `an event that the stream never had restarts it with the state`(id: String) async throws {
        try await ServedStream.run { stream in
            for _ in 1...4 { stream.publish() }
            let client = try HTTPClient(stream.http)
            try client.send("/events", ["Last-Event-ID: \(id)"])
            #expect(try client.head().status == 200)
            #expect(try client.client.lines(6).contains { $0.contains(#""subject":"snapshot""#) })
        }
    }

    @Test(arguments: ["", "?types=probe.*"])
    func `a stream whose events are gone says so, and has the state and the events that are left`(
        query: String
    ) async throws {
        let journal = MemoryJournal()
        try await ServedStream.run(firstSequence: 5, replay: journal) { stream in
            journal.record((3...4).map { stream.agent.event(.probeChanged, number: $0) })
            stream.publish(.probeChanged)
            let client = try HTTPClient(stream.http)
            try client.send("/events\(query)", ["Last-Event-ID: stream-a-1"])
            _ = try client.head()
            #expect(try client.client.lines(4).prefix(2) == ["retry: 1000", ""])
            let expiry = try client.client.lines(3)
            #expect(expiry[0] == "event: expired")
            #expect(expiry[1] == #"data: {"error":"events_expired","parameters":{"oldest_seq":3}}"#)
            var lines: [String] = []
            while lines.last != "id: stream-a-5", let line = try client.client.line() { lines.append(line) }
            #expect(lines[1].contains(#""subject":"snapshot""#))
            #expect(lines.filter { $0.hasPrefix("id: ") } == (2...5).map { "id: stream-a-\($0)" })
        }
    }

    @Test(arguments: ["Last-Event-ID: stream-a-1", "since_seq"])
    func `a stream from a journal that cannot be read says so, and has the state and the events in memory`(
        way: String
    ) async throws {
        let journal = MemoryJournal()
        try await ServedStream.run(firstSequence: 5, replay: journal) { stream in
            journal.record((1...4).map { stream.agent.event(.pathChanged, number: $0) })
            stream.publish()
            journal.state.withLock { $0.fails = true }
            let client = try HTTPClient(stream.http)
            let isHeader = way.hasPrefix("Last")
            try client.send(isHeader ? "/events" : "/events?since_seq=1", isHeader ? [way] : [])
            _ = try client.head()
            let lines = try client.client.lines(11)
            #expect(lines[4] == "event: expired")
            #expect(lines[5] == #"data: {"error":"journal_unreadable","parameters":{"oldest_seq":5}}"#)
            #expect(lines[7] == "id: stream-a-4" && lines[8].contains(#""subject":"snapshot""#))
            #expect(lines[10] == "id: stream-a-5")
        }
    }

    @Test func `an idle stream has comments, and ids that move over what the filter leaves out`() async throws {
        try await ServedStream.run { configuration in
            configuration.heartbeatInterval = .milliseconds(5)
        } _: { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/events?types=probe.changed")
            _ = try client.head()
            #expect(try client.client.lines(7).last?.isEmpty == true)
            #expect(try client.client.lines(3) == [":", "id: stream-a-0", ""])
            for _ in 1...3 { stream.publish(.pathChanged) }
            var lines: [String] = []
            while lines.last != "id: stream-a-3", let line = try client.client.line() { lines.append(line) }
            #expect(lines.count % 3 == 2 && lines.suffix(2).first == ":")
            #expect(try client.client.line()?.isEmpty == true)
            stream.publish(.probeChanged)
            while lines.last != "id: stream-a-4", let line = try client.client.line() { lines.append(line) }
            #expect(try client.client.line()?.hasPrefix("data: ") == true)
        }
    }

    @Test func `ids move over what the filter leaves out also while unnumbered events are written`() async throws {
        try await ServedStream.run { configuration in
            configuration.heartbeatInterval = .milliseconds(5)
        } _: { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/events?types=probe.*")
            _ = try client.head()
            #expect(try client.client.lines(7).last?.isEmpty == true)
            for _ in 1...3 { stream.publish(.pathChanged) }
            var lines: [String] = []
            for number in 1...10_000 where !lines.contains("id: stream-a-3") {
                stream.server.broadcast(stream.agent.event(.probeCompleted, subject: "web", number: UInt64(number)))
                repeat {
                    guard let line = try client.client.line() else { break }
                    lines.append(line)
                } while lines.last?.hasPrefix("data: ") != true
            }
            #expect(lines.contains("id: stream-a-3"))
        }
    }

    @Test func `a stream that ends with the agent has the id of the newest event at its end`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/events?types=probe.changed")
            _ = try client.head()
            #expect(try client.client.lines(7).count == 7)
            for _ in 1...3 { stream.publish(.pathChanged) }
            stream.stop()
            #expect(try client.client.linesToEnd() == [":", "id: stream-a-3"])
        }
    }

    @Test func `filters choose as on the control socket`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/events?types=probe.changed&subjects=web&since_seq=0")
            _ = try client.head()
            stream.publish(.pathChanged)
            stream.publish(.probeChanged, subject: "dns")
            stream.publish(.probeChanged, subject: "web")
            var ids: [String] = []
            while ids.count < 2, let line = try client.client.line() { if line.hasPrefix("id: ") { ids.append(line) } }
            #expect(ids == ["id: stream-a-0", "id: stream-a-3"])
        }
    }

    @Test func `streams that are aborted leave nothing behind`() async throws {
        try await ServedStream.run { stream in
            for round in 0..<200 {
                let client = try HTTPClient(stream.http)
                try client.send("/events?since_seq=0")
                if round % 2 == 0 { _ = try client.head() }
                stream.publish()
            }
            #expect(stream.waitForConnections(0))
        }
    }

    @Test func `a stream ends at once for a client that has closed its side before it begins`() async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/api/report?month=held")
            try client.send("/events")
            client.client.shutSending()
            // The event loop has handled the end of the input before the request of another client.
            #expect(try HTTPClient(stream.http).get("/metrics").status == 200)
            stream.agent.releaseReports()
            #expect(try client.response().status == 200)
            #expect(try client.head().status == 200)
            #expect(try client.client.linesToEnd() == [])
        }
    }

    @Test func `a slow reader of a stream is cut off with a last event`() async throws {
        try await ServedStream.run { configuration in
            configuration.ringEvents = 64
        } _: { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/events")
            _ = try client.head()
            let other = try Client(stream.events)
            _ = try other.lines(2)
            for _ in 0..<4000 { stream.publish(padding: 1000) }
            // Slow only if it reads when the events have passed: one that reads meanwhile keeps up.
            _ = try other.sequences(through: 4000)
            let last = try client.client.linesToEnd().suffix(3)
            #expect(last.first == "event: lagged")
            #expect(last.dropFirst().first?.hasPrefix("id: stream-a-") == true)
        }
    }
}
