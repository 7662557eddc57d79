import AgentEvents
import Foundation
import Testing

@testable import EventJournal

/// The expiry of segments whose age no index has.
@Suite struct ExpiryTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    private func name(_ first: UInt64) -> SegmentName { SegmentName(firstSequence: first) }

    /// Two compressed segments, and the newest one.
    private func writeSegments() throws {
        for first in [1, 11] as [UInt64] {
            try fixture.write(first, FixtureJournal.lines(first..<first + 10))
            try fixture.compress(first)
        }
        try fixture.write(21, FixtureJournal.lines(21...30))
    }

    @Test(arguments: ["", "nonsense\n", nil])
    func `a compressed segment expires by its events where its index is unusable`(index: String?) async throws {
        try writeSegments()
        if let index { try fixture.write(name(1).index, Array(index.utf8)) } else { try fixture.remove(name(1).index) }
        scripted.advance(.seconds(29 * 86_400))
        var journal: EventJournal? = try scripted.open(fixture)
        #expect(await journal?.settle() == true)
        #expect(fixture.exists(name(1).compressed))
        #expect(await journal?.shut() == true)
        journal = nil
        scripted.advance(.seconds(2 * 86_400))
        let next = try scripted.open(fixture)
        #expect(await next.settle())
        #expect(fixture.segmentFiles == [name(21).plain])
    }

    @Test func `a copy in the history expires by its events where its index is deleted`() throws {
        try writeSegments()
        var configuration = JournalConfiguration(directory: fixture.directory, sync: .never)
        configuration.historyAge = .seconds(3600)
        let directory = JournalDirectory(path: fixture.directory, system: .real)
        let history = JournalHistory(configuration, of: directory)
        for first in [1, 11] as [UInt64] { try history.keep(name(first), before: first + 10) }
        try fixture.remove("history/\(name(1).index)")
        try history.retain(now: FixtureJournal.time(3500), isClockTrusted: true)
        #expect(fixture.exists("history/\(name(1).compressed)"))
        try history.retain(now: FixtureJournal.time(3615), isClockTrusted: true)
        #expect(!fixture.exists("history/\(name(1).compressed)"))
        #expect(fixture.exists("history/\(name(11).compressed)"))
    }

    struct Kept: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The time of each segment's newest event, in days from now; `nil` without events.
        let days: [Int64?]
        var closedHere: Set<Int> = []
        var totalBytes = 1000
        let expired: [UInt64]
    }

    @Test(arguments: [
        Kept(testDescription: "as old as an old one", days: [nil, -40, nil, nil, -31, 0], expired: [1, 2, 3, 4, 5]),
        Kept(testDescription: "as old as a young one", days: [-40, nil, -20, 0], expired: [1]),
        Kept(testDescription: "as old as the newest one", days: [nil, nil, -40], expired: []),
        Kept(testDescription: "closed by this process", days: [nil, -40, 0], closedHere: [0], expired: []),
        Kept(testDescription: "too many", days: [nil, nil, -20, 0], totalBytes: 300, expired: [1]),
    ]) func `a segment without events is as old as the next one`(kept: Kept) {
        let now = FixtureJournal.time(0)
        let instant = ContinuousClock.now
        let segments = kept.days.enumerated().map { offset, days in
            JournalSegment(
                name: name(UInt64(offset + 1)),
                bytes: 100,
                closedAt: kept.closedHere.contains(offset) ? instant : nil,
                newestTime: days.map {
                    Timestamp(microsecondsSince1970: now.microsecondsSince1970 + $0 * 86_400_000_000)
                }
            )
        }
        let retention = JournalRetention(
            JournalConfiguration(directory: "/", segmentBytes: 100, totalBytes: kept.totalBytes),
            wallClock: now,
            isClockTrusted: true,
            instant: instant.advanced(by: .seconds(60))
        )
        #expect(retention.expired(segments).map(\.firstSequence) == kept.expired)
    }
}
