import AgentEvents
import Foundation
import Testing

@testable import EventJournal

/// The numbers that have to be read for what happened within a time.
@Suite struct ReadingExtentTests {
    private typealias Fixture = FixtureJournal

    enum Storage: CaseIterable { case plain, indexed, compressed, damagedIndex, history }

    private static let count: UInt64 = 4000
    private static let starts: Set<UInt64> = [1, 700, 1500, 1501, 2999]

    /// The clock is set back by ten minutes at event 1200, and is an hour ahead from event 3300 to 3399.
    private static func time(_ number: UInt64) -> Timestamp {
        let second = Int64(number) - (number >= 1200 ? 600 : 0) + ((3300..<3400).contains(number) ? 3600 : 0)
        return Timestamp(microsecondsSince1970: 1_795_000_000_000_000 + second * 1_000_000)
    }

    private static func line(_ number: UInt64) -> String {
        let type = starts.contains(number) ? "agent.started" : "uplink.changed"
        return Fixture.line(number, at: time(number), padding: 300)
            .replacingOccurrences(of: "path.changed", with: type)
            // A text that only looks like the type.
            .replacingOccurrences(of: #""filler":""#, with: #""filler":"reachagent.agent.started"#)
    }

    /// The text of four segments of about 450 KB.
    private static let segments = stride(from: UInt64(1), to: count, by: 1000).map { first in
        (first, (first..<first + 1000).map { line($0) + "\n" }.joined())
    }

    /// The four segments, the newest one without an index.
    private static func journal(_ storage: Storage) throws -> FixtureJournal {
        let journal = try FixtureJournal()
        for (first, text) in segments { try journal.write(first, text) }
        let history = JournalHistory(
            JournalConfiguration(directory: journal.directory, sync: .never),
            of: JournalDirectory(path: journal.directory, system: .real)
        )
        for first in stride(from: UInt64(1), to: count - 1000, by: 1000) {
            let name = SegmentName(firstSequence: first)
            switch storage {
            case .plain: break
            case .indexed: _ = try journal.writeIndex(first)
            case .compressed: try journal.compress(first)
            case .damagedIndex:
                try journal.compress(first)
                try journal.write(name.index, Array("reachagent-index 1\nend 1\n".utf8))
            case .history:
                try history.keep(name, before: first + 1000)
                try journal.remove(name.plain)
            }
        }
        return journal
    }

    private static func expected(from start: Timestamp, to end: Timestamp) -> (first: UInt64, last: UInt64) {
        let limit = (1...count).first { time($0) >= start } ?? count + 1
        let first = starts.filter { $0 < limit }.max() ?? 1
        let inside = (1...count).last { time($0) >= start && time($0) < end } ?? 0
        let after = (inside + 1..<count + 1).first { time($0) >= end } ?? count + 1
        return (first, max(first, after - 1))
    }

    @Test(arguments: Storage.allCases)
    func `an extent is that of the events, however they are stored`(_ storage: Storage) throws {
        let journal = try Self.journal(storage)
        let reader = try JournalReader(directory: journal.directory, includesHistory: true)
        let moments =
            [0, 1, 2, 600, 601, 701, 900, 1199, 1300, 2399, 2400, 2700, 3399, 3400, 6000, 7000, 9000] as [Int64]
        let epoch: Int64 = 1_795_000_000
        for start in moments {
            for length in [1, 500, 3000] as [Int64] {
                let from = Timestamp(microsecondsSince1970: (epoch + start) * 1_000_000)
                let to = Timestamp(microsecondsSince1970: (epoch + start + length) * 1_000_000)
                let extent = try #require(try reader.extent(from: from, to: to, beginningWith: .agentStarted))
                let expected = Self.expected(from: from, to: to)
                #expect(extent.first == expected.first, "\(storage), \(start), \(length)")
                #expect(extent.last == expected.last, "\(storage), \(start), \(length)")
            }
        }
    }

    @Test(arguments: [4500...6500, 6500...7500] as [ClosedRange<UInt64>])
    func `later boots in 1970 are no part of an extent`(seconds: ClosedRange<UInt64>) throws {
        let journal = try FixtureJournal()
        let unset = Timestamp(microsecondsSince1970: 40_000_000)
        let lines = (1...12 as ClosedRange<UInt64>).map { number in
            Fixture.line(number, at: number % 3 == 1 ? unset : Fixture.time(1000 * number)) + "\n"
        }
        try journal.write(1, lines.joined())
        let (start, end) = (Fixture.time(seconds.lowerBound), Fixture.time(seconds.upperBound))
        let extent = try #require(try journal.reader.extent(from: start, to: end, beginningWith: .agentStarted))
        // With the boot before the first event after the range.
        #expect(extent.first == 1 && extent.last == 7)
    }

    @Test func `an empty journal has no extent`() throws {
        let journal = try FixtureJournal()
        let range = (Self.time(1), Self.time(9))
        #expect(try journal.reader.extent(from: range.0, to: range.1, beginningWith: .agentStarted) == nil)
        try journal.write(1, "")
        #expect(try journal.reader.extent(from: range.0, to: range.1, beginningWith: .agentStarted) == nil)
    }

    @Test(arguments: [1, UInt64.max])
    func `events with numbers that are too great have no extent`(first: UInt64) throws {
        let journal = try FixtureJournal()
        try journal.write(first, Fixture.line(.max, at: Self.time(2)) + "\n")
        let extent = try journal.reader.extent(from: Self.time(1), to: Self.time(9), beginningWith: .agentStarted)
        #expect(extent == nil)
        #expect(try journal.reader.newestSequence == nil && journal.reader.oldestSequence == nil)
    }

    @Test func `damaged blocks are skipped`() throws {
        let journal = try Self.journal(.compressed)
        let name = SegmentName(firstSequence: 1001).compressed
        var bytes = try journal.contents(name)
        for position in stride(from: 10, to: bytes.count, by: 100) { bytes[position] ^= 0xFF }
        try journal.write(name, bytes)
        let extent = try journal.reader.extent(from: Self.time(2200), to: Self.time(2500), beginningWith: .agentStarted)
        // The starts 1500 and 1501 are in damaged blocks.
        #expect(extent?.first == 700)
        #expect(extent?.last == 2499)
    }

    @Test func `a time is found by its first event`() throws {
        let journal = try Self.journal(.compressed)
        #expect(try journal.reader.firstSequence(from: Self.time(1)) == 1)
        #expect(try journal.reader.firstSequence(from: Self.time(650)) == 650)
        #expect(try journal.reader.firstSequence(from: Self.time(2500)) == 2500)
        #expect(try journal.reader.firstSequence(from: Self.time(3350)) == 3300 + 50)
        #expect(try journal.reader.firstSequence(from: Timestamp(microsecondsSince1970: .max)) == nil)
    }
}
