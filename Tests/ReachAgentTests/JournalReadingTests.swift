import AgentEvents
import AgentTestKit
import Availability
import EventJournal
import Foundation
import StatePages
import Testing

@testable import ReachAgent

/// The recent history that a page shows, read out of a journal.
@Suite struct JournalReadingTests {
    private static let start = Timestamp(microsecondsSince1970: 1_790_000_000_000_000)

    private let temporary: TemporaryDirectory
    private var path: String { "\(temporary.path)/journal" }

    init() throws { temporary = try TemporaryDirectory() }

    private static func moment(_ second: UInt64) -> Timestamp {
        Timestamp(microsecondsSince1970: start.microsecondsSince1970 + Int64(second) * 1_000_000)
    }

    /// An event a second: every third is one of those that may come in storms.
    private static func event(_ number: UInt64, at time: Timestamp? = nil) -> Event {
        let time = time ?? moment(number)
        let draft =
            number.isMultiple(of: 3)
            ? EventDraft(.pathChanged, subject: "default", .pathChanged(edge(at: time)))
            : EventDraft(.suspendResumed, .suspendResumed(.init(suspendedMilliseconds: 1, observed: time)))
        return Event(draft, from: EventOrigin(streamID: "abc", host: "edge-7"), at: time, number: number)
    }

    private static func edge(at moment: Timestamp) -> StateChange {
        func state(_ via: Via) -> ReachabilityState {
            ReachabilityState(via: via, afStatus: 2, connectivity: .full, path: .init(Path(via: via)))
        }
        return StateChange(
            from: state(.wired),
            to: state(.wifi),
            cause: ChangeCause(kind: "link", code: "link_down"),
            observed: moment
        )
    }

    /// A start of an agent.
    private static func agentStart(_ number: UInt64, at time: Timestamp) -> Event {
        let content = AgentStarted(
            version: "1.0.0",
            schema: AgentEvent.schemaVersion,
            stream: "abc",
            settleUpMilliseconds: 0,
            settleDownMilliseconds: 0,
            targets: []
        )
        let draft = EventDraft(.agentStarted, .agentStarted(content))
        return Event(draft, from: EventOrigin(streamID: "abc", host: "edge-7"), at: time, number: number)
    }

    /// A settled change of the default path.
    private static func pathChange(_ number: UInt64, at time: Timestamp) -> Event {
        let draft = EventDraft(.reachabilityChanged, subject: "default", .reachabilityChanged(edge(at: time)))
        return Event(draft, from: EventOrigin(streamID: "abc", host: "edge-7"), at: time, number: number)
    }

    private func write(_ events: [Event]) throws {
        let journal = try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
        journal.append(events.compactMap { JournalRecord($0) })
        #expect(journal.close(within: .seconds(30)))
    }

    private func write(_ numbers: ClosedRange<UInt64>) throws { try write(numbers.map { Self.event($0) }) }

    private func history(at now: Timestamp) -> RecentHistory? {
        var history = RecentHistory(at: now, in: .utc)
        var reading = JournalReading(of: path)
        reading.add(to: &history, at: now)
        return history
    }

    @Test func `the newest changes are kept, and event storms evict none of them`() throws {
        try write(1...600)
        let entries = try #require(history(at: Self.moment(600))).timeline.entries
        let settled = (1...600).reversed().filter { !$0.isMultiple(of: 3) }.prefix(Timeline.maximumSettled)
        let frequent = (1...600).reversed().filter { $0.isMultiple(of: 3) }.prefix(Timeline.maximumFrequent)
        #expect(entries.map { Int($0.sequence) } == (settled + frequent).sorted(by: >))
    }

    @Test func `reading begins with the last start before the days, or else with the oldest event`() throws {
        let day: UInt64 = 86_400
        try write(
            [
                Self.pathChange(1, at: Self.moment(0)), Self.agentStart(2, at: Self.moment(1)),
                Self.pathChange(3, at: Self.moment(2)), Self.agentStart(4, at: Self.moment(day)),
                Self.pathChange(5, at: Self.moment(day + 1)), Self.pathChange(6, at: Self.moment(120 * day)),
            ]
        )
        for (now, first) in [(60 * day, 1), (90 * day, 2), (121 * day, 4), (400 * day, 4)] as [(UInt64, UInt64)] {
            let entries = try #require(history(at: Self.moment(now))).timeline.entries
            #expect(entries.map(\.sequence) == (first...6).reversed(), "after \(now / day) days")
        }
    }

    @Test func `a run whose boot began before the clock was set counts from the moment at which it was set`() throws {
        let hour: UInt64 = 3600
        let boot = Timestamp(microsecondsSince1970: 1_000_000)
        try write(
            [
                Self.agentStart(1, at: Self.moment(0)), Self.pathChange(2, at: Self.moment(0)),
                Self.agentStart(3, at: boot), Self.pathChange(4, at: boot), Self.event(5, at: Self.moment(hour)),
            ]
        )
        let now = Self.moment(3 * hour)
        let entries = try #require(history(at: now)).availability.entries(at: now)
        let path = try #require(entries.first { $0.subject.kind == .path })
        #expect(path.recent.known == 2 * Int64(hour) * 1_000_000)
        #expect(path.recent.available == path.recent.known)
    }

    @Test func `an event that was published while the journal was read is there once`() throws {
        try write(1...20)
        var history = history(at: Self.moment(20))
        for number in 15...25 as ClosedRange<UInt64> { history?.add(Self.event(number).value) }
        #expect(try #require(history).timeline.entries.map(\.sequence) == (1...25).reversed())
    }

    @Test func `a line that is damaged is a hole`() throws {
        try write(1...20)
        let segment = try #require(
            try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".jsonl") }
        )
        let file = URL(filePath: path).appending(path: segment)
        var lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        lines[9] = "{\"specversion\":"
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        let history = try #require(self.history(at: Self.moment(20)))
        #expect(history.timeline.entries.map { Int($0.sequence) } == (1...20).filter { $0 != 10 }.reversed())
    }

    @Test func `the transfers of thirty days are read, and summaries without any are not searched`() throws {
        let origin = EventOrigin(streamID: "abc", host: "edge-7")
        let day: UInt64 = 86_400
        let point = ProbePoint(probe: "speed", interface: "wwan0")
        let records = (0..<40 as Range<UInt64>).flatMap { number -> [Event] in
            let time = Self.moment(number * day)
            var summary = ProbeSummary(point: point, from: time, to: time, succeeded: 1)
            let plain = EventDraft(summary)
            var sketches = TransferSketches()
            sketches.download.add(microseconds: Int64(number + 1) * 1_000_000)
            summary.transfer = sketches
            return [
                Event(plain, from: origin, at: time, number: 2 * number + 1),
                Event(EventDraft(summary), from: origin, at: time, number: 2 * number + 2),
            ]
        }
        try write(records)
        let now = Self.moment(39 * day + 60)
        let transfers = try #require(history(at: now)).transfers
        let series = transfers.series(of: point, at: now)
        #expect(series.days.map(\.transfers.download.maximum) == (11...40).map { $0 * 1_000_000 })
        #expect(series.lastDay.download.count == 1)
    }

    @Test func `a missing journal is an empty history`() throws {
        #expect(try #require(history(at: Self.moment(0))).timeline.entries.isEmpty)
    }
}
