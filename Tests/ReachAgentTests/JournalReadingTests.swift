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
    private static func event(_ number: UInt64) -> Event {
        let draft =
            number.isMultiple(of: 3)
            ? EventDraft(.pathChanged, subject: "default", .pathChanged(edge(at: moment(number))))
            : EventDraft(.suspendResumed, .suspendResumed(.init(suspendedMilliseconds: 1, observed: moment(number))))
        return Event(draft, from: EventOrigin(streamID: "abc", host: "edge-7"), at: moment(number), number: number)
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

    private func write(_ numbers: ClosedRange<UInt64>) throws {
        let journal = try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
        journal.append(numbers.compactMap { JournalRecord(Self.event($0)) })
        #expect(journal.close(within: .seconds(30)))
    }

    private func history(from start: Timestamp?, at now: Timestamp) -> (history: RecentHistory?, isOlderLeft: Bool) {
        var history = RecentHistory(at: now, in: .utc)
        var reading = JournalReading(of: path)
        reading.add(from: start, to: &history, at: now)
        return (history, reading.hasOlderEvents)
    }

    @Test func `the newest changes are kept, and event storms evict none of them`() throws {
        try write(1...600)
        let (history, isOlderLeft) = history(from: nil, at: Self.moment(600))
        let entries = try #require(history).timeline.entries
        let settled = (1...600).reversed().filter { !$0.isMultiple(of: 3) }.prefix(Timeline.maximumSettled)
        let frequent = (1...600).reversed().filter { $0.isMultiple(of: 3) }.prefix(Timeline.maximumFrequent)
        #expect(entries.map { Int($0.sequence) } == (settled + frequent).sorted(by: >))
        #expect(!isOlderLeft)
    }

    @Test func `older events than the moment to begin with are left, and known to be there`() throws {
        try write(1...20)
        let (history, isOlderLeft) = history(from: Self.moment(11), at: Self.moment(20))
        #expect(try #require(history).timeline.entries.map(\.sequence) == (11...20).reversed())
        #expect(isOlderLeft)
    }

    @Test func `an event that was published while the journal was read is there once`() throws {
        try write(1...20)
        var (history, _) = history(from: nil, at: Self.moment(20))
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
        let (history, _) = history(from: nil, at: Self.moment(20))
        #expect(
            try #require(history).timeline.entries.map { Int($0.sequence) } == (1...20).filter { $0 != 10 }.reversed()
        )
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
        let journal = try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
        journal.append(records.compactMap { JournalRecord($0) })
        #expect(journal.close(within: .seconds(30)))
        let now = Self.moment(39 * day + 60)
        let transfers = try #require(history(from: nil, at: now).history).transfers
        let series = transfers.series(of: point, at: now)
        #expect(series.days.map(\.transfers.download.maximum) == (11...40).map { $0 * 1_000_000 })
        #expect(series.lastDay.download.count == 1)
    }

    @Test func `a missing journal is an empty history`() throws {
        let (history, isOlderLeft) = history(from: nil, at: Self.moment(0))
        #expect(try #require(history).timeline.entries.isEmpty)
        #expect(!isOlderLeft)
    }
}
