import AgentEvents
import Foundation
import Testing

@testable import EventJournal

/// A disk that takes nothing, and files that go away.
@Suite struct DegradedTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    @Test(arguments: [ENOSPC, EIO, EDQUOT, EROFS])
    func `events that cannot be written wait, and are written first later`(error: Int32) throws {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...2))
        scripted.with {
            $0.room = 0
            $0.writeError = error
        }
        journal.append(FixtureJournal.records(3...4))
        let trouble = try #require(journal.status().trouble)
        #expect(trouble.code == .writeFailed)
        #expect(trouble.error == String(cString: strerror(error)))
        #expect(journal.status().waiting == 2)
        #expect(journal.nextSequence == 5)
        #expect(journal.newestSequence == 2)
        #expect(fixture.lease == 4 + 4096)
        // Too early for another attempt, though there is room.
        scripted.with { $0.room = nil }
        let writes = scripted.with { $0.writes }
        journal.append([FixtureJournal.record(5)])
        #expect(scripted.with { $0.writes } == writes)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(6)])
        #expect(fixture.numbers == Array(1...6))
        #expect(fixture.lease == 0)
        #expect(!journal.status().isDegraded)
        #expect(journal.status().missing.isEmpty)
        #expect(journal.status().waiting == 0)
        #expect(journal.takeConditions().map(\.code) == [.writeFailed, .resumed])
    }

    @Test func `a degraded journal is retried at growing, bounded intervals without another event`() throws {
        let journal = try scripted.open(fixture)
        #expect(journal.retry() == nil)
        scripted.with { $0.room = 0 }
        journal.append([FixtureJournal.record(1)])
        for seconds in [1, 2, 4, 8, 8] {
            let distance = Duration.seconds(seconds)
            #expect(journal.retry() == distance)
            let writes = scripted.with { $0.writes }
            scripted.advance(distance - .milliseconds(1))
            #expect(journal.retry() == .milliseconds(1))
            #expect(scripted.with { $0.writes } == writes)
            scripted.advance(.milliseconds(1))
            _ = journal.retry()
            #expect(scripted.with { $0.writes } == writes + 1)
        }
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(8))
        #expect(journal.retry() == nil)
        #expect(fixture.numbers == [1])
        #expect(!journal.status().isDegraded)
        // The next outage begins with the shortest distance again.
        scripted.with { $0.room = 0 }
        journal.append([FixtureJournal.record(2)])
        #expect(journal.retry() == .seconds(1))
    }

    @Test func `a short line after a torn long one is not taken for written`() throws {
        let journal = try scripted.open(fixture)
        let plain = FixtureJournal.record(1)
        let padding = Array((#","padding":""# + String(repeating: "x", count: 500) + #""}"#).utf8)
        let long = JournalRecord(sequence: 1, time: plain.time, line: plain.line.dropLast() + padding)
        scripted.with { $0.room = 400 }
        journal.append([long, FixtureJournal.record(2)])
        #expect(journal.newestSequence == nil)
        #expect(journal.status().waiting == 2)
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(2))
        journal.append([FixtureJournal.record(3)])
        #expect(fixture.numbers == Array(1...3))
        #expect(journal.status().missing.isEmpty)
        #expect(journal.takeConditions().map(\.code) == [.writeFailed, .resumed])
    }

    @Test func `a line that fitted only in part is cut off at every byte`() throws {
        let lines = Array(FixtureJournal.lines(2...4).utf8)
        for room in stride(from: 0, to: lines.count, by: 7) {
            let fixture = try FixtureJournal()
            let scripted = ScriptedSystem()
            let journal = try scripted.open(fixture)
            journal.append([FixtureJournal.record(1)])
            scripted.with { $0.room = room }
            journal.append(FixtureJournal.records(2...4))
            let whole = lines.prefix(room).count { $0 == UInt8(ascii: "\n") }
            #expect(fixture.numbers == Array(1...UInt64(whole + 1)), "room for \(room) bytes")
            #expect(journal.newestSequence == UInt64(whole + 1))
            scripted.with { $0.room = nil }
            scripted.advance(.seconds(2))
            journal.append([FixtureJournal.record(5)])
            #expect(fixture.numbers == Array(1...5), "room for \(room) bytes")
        }
    }

    @Test func `a failure is reported once, and again when its reason changes`() throws {
        let journal = try scripted.open(fixture)
        scripted.with { $0.room = 0 }
        for number in UInt64(1)...5 {
            if number == 4 { scripted.with { $0.writeError = EIO } }
            journal.append([FixtureJournal.record(number)])
            scripted.advance(.seconds(1))
        }
        let conditions = journal.takeConditions()
        #expect(conditions.map(\.code) == [.writeFailed, .writeFailed])
        #expect(conditions.map(\.error) == [ENOSPC, EIO].map { String(cString: strerror($0)) })
    }

    @Test func `beyond the backlog the oldest are dropped, and the range is reported`() throws {
        let journal = try scripted.open(fixture)
        journal.append([FixtureJournal.record(1)])
        scripted.with { $0.room = 0 }
        journal.append(FixtureJournal.records(2...4000))
        journal.append(FixtureJournal.records(4001...5000))
        #expect(journal.status().waiting == 4096)
        #expect(journal.status().missing == [2...904])
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(5001)])
        #expect(journal.status().missing == [2...905])
        let condition = try #require(journal.takeConditions().last)
        #expect(condition.code == .resumed)
        #expect(condition.missing == 2...905)
        #expect(fixture.numbers == [1] + Array(906...5001))
    }

    @Test func `events for which there is room in between are not among those that are reported missing`() throws {
        let journal = try scripted.open(fixture)
        journal.append([FixtureJournal.record(1)])
        scripted.with { $0.room = 0 }
        journal.append(FixtureJournal.records(2...4098))
        #expect(journal.status().missing == [2...2])
        // Number 3 makes room in memory, and three lines fit onto the disk.
        scripted.with { $0.room = FixtureJournal.records(4...6).reduce(0) { $0 + $1.line.count + 1 } }
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(4099)])
        #expect(journal.newestSequence == 6)
        scripted.with { $0.room = 0 }
        journal.append(FixtureJournal.records(4100...4200))
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(60))
        journal.append([FixtureJournal.record(4201)])
        let conditions = journal.takeConditions()
        #expect(conditions.map(\.code) == [.writeFailed, .writeFailed, .resumed])
        #expect(conditions.map(\.isDegraded) == [true, true, false])
        #expect(conditions.map(\.missing) == [nil, 2...3, 7...105])
        #expect(journal.status().missing == [2...3, 7...105])
        #expect(fixture.numbers == [1, 4, 5, 6] + Array(106...4201))
    }

    @Test func `a backlog is bounded in bytes too`() {
        var backlog = JournalBacklog()
        #expect(backlog.append(FixtureJournal.records(1...10, padding: 400_000)) == nil)
        #expect(backlog.append(FixtureJournal.records(11...11, padding: 400_000)) == 1...1)
        #expect(backlog.append(FixtureJournal.records(12...12, padding: 5 << 20)) == 2...12)
        #expect(backlog.takeAll().isEmpty)
    }

    @Test func `after the agent ended without room the next one uses no number again`() async throws {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...3))
        scripted.with { $0.room = 0 }
        journal.append(FixtureJournal.records(4...9))
        // A crash: what the files say now is all that is left.
        let lease = try #require(fixture.lease)
        #expect(lease == 9 + 4096)
        #expect(await journal.shut())
        #expect(fixture.lease == 9)
        #expect(journal.status().missing == [4...9])
        scripted.with { $0.room = nil }
        let next = try scripted.open(fixture)
        #expect(next.nextSequence == 10)
        #expect(next.status().missing == [4...9])
        next.append([FixtureJournal.record(10)])
        #expect(fixture.numbers == [1, 2, 3, 10])
        #expect(fixture.lease == 9)
        next.noteNamed(by: 10)
        #expect(fixture.lease == 0)
    }

    @Test func `closing writes waiting events when there is room again`() async throws {
        let journal = try scripted.open(fixture)
        scripted.with { $0.room = 0 }
        journal.append(FixtureJournal.records(1...9))
        scripted.with { $0.room = nil }
        #expect(await journal.shut())
        #expect(fixture.numbers == Array(1...9))
        #expect(fixture.lease == 0)
        journal.append([FixtureJournal.record(10)])
        #expect(fixture.numbers == Array(1...9))
    }

    @Test func `numbers that are not in order are never written, and gaps are noted`() throws {
        let journal = try scripted.open(fixture)
        journal.append([1, 2, 2, 1, 5, 4, 6].map { FixtureJournal.record($0) })
        #expect(fixture.numbers == [1, 2, 5, 6])
        #expect(journal.status().refused == 3)
        #expect(journal.status().missing == [3...4])
        #expect(journal.takeConditions().map(\.missing) == [3...4])
        journal.append([FixtureJournal.record(7, padding: ScannedLine.maximumBytes), FixtureJournal.record(8)])
        #expect(fixture.numbers == [1, 2, 5, 6, 8])
        #expect(journal.status().missing == [3...4, 7...7])
    }

    @Test func `a short write is completed`() throws {
        let journal = try scripted.open(fixture)
        journal.append([FixtureJournal.record(1)])
        scripted.with { $0.room = 10 }
        scripted.with { $0.whenWriting = { [scripted] in scripted.with { if $0.room == 0 { $0.room = 10_000 } } } }
        journal.append(FixtureJournal.records(2...4))
        #expect(fixture.numbers == Array(1...4))
        #expect(!journal.status().isDegraded)
    }

    // MARK: Deleted and changed

    @Test func `a deleted segment is noticed, and recording continues in a new one`() throws {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...4))
        try fixture.remove(SegmentName(firstSequence: 1).plain)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(5)])
        #expect(fixture.numbers == [5])
        #expect(journal.status().missing == [1...4])
        #expect(!journal.status().isDegraded)
        let conditions = journal.takeConditions()
        #expect(conditions.map(\.code) == [.deleted])
        #expect(conditions.map(\.isDegraded) == [false])
        #expect(conditions.first?.missing == 1...4)
        #expect(journal.oldestSequence == 5)
    }

    @Test(arguments: [true, false])
    func `a segment that is changed and full within the same second is noticed as well`(isDeleted: Bool) throws {
        let journal = try scripted.open(fixture) { $0.segmentBytes = FixtureJournal.lines(1...2).utf8.count }
        journal.append(FixtureJournal.records(1...2))
        let name = SegmentName(firstSequence: 1).plain
        if isDeleted { try fixture.remove(name) } else { try fixture.truncate(1, to: 5) }
        journal.append([FixtureJournal.record(3)])
        #expect(fixture.numbers == [3])
        #expect(journal.status().missing == [1...2])
        #expect(!journal.status().isDegraded)
        let conditions = journal.takeConditions()
        #expect(conditions.map(\.code) == [.deleted])
        #expect(conditions.map(\.missing) == [1...2])
    }

    @Test func `a segment that was compressed just before is none of the deleted ones`() async throws {
        let journal = try scripted.open(fixture) {
            $0.segmentBytes = FixtureJournal.lines(1...2).utf8.count
            $0.compressesClosedSegments = false
        }
        journal.append(FixtureJournal.records(1...3))
        #expect(await journal.settle())
        try fixture.compress(1)
        try fixture.remove(SegmentName(firstSequence: 3).plain)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(4)])
        #expect(journal.status().missing == [3...3])
        #expect(journal.oldestSequence == 1)
    }

    @Test func `a deleted directory is recreated, with the lock, the name and the lease`() async throws {
        let journal = try scripted.open(fixture) { $0.segmentBytes = 600 }
        journal.append(FixtureJournal.records(1...9))
        #expect(await journal.settle())
        try FileManager.default.removeItem(atPath: fixture.directory)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(10)])
        #expect(fixture.numbers == [10])
        #expect(try fixture.contents("stream") == Array("\(journal.streamID)\n".utf8))
        #expect(fixture.lease == 0)
        #expect(journal.status().missing == [1...9])
        #expect(journal.status().segments == 1)
        #expect(throws: JournalError.self) { _ = try scripted.open(fixture) }
    }

    @Test func `a directory that cannot be recreated leaves the journal degraded`() throws {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...3))
        try FileManager.default.removeItem(atPath: fixture.directory)
        try Data().write(to: URL(filePath: fixture.directory))
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(4)])
        #expect(journal.status().trouble?.code == .writeFailed)
        try FileManager.default.removeItem(atPath: fixture.directory)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(5)])
        #expect(fixture.numbers == [4, 5])
        #expect(!journal.status().isDegraded)
        let conditions = journal.takeConditions()
        #expect(conditions.map(\.code) == [.deleted, .writeFailed, .resumed])
        #expect(conditions.map(\.isDegraded) == [false, true, false])
    }

    @Test func `a segment that is cut under the journal is left, and the loss is named`() throws {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...4))
        try fixture.truncate(1, to: UInt64(FixtureJournal.lines(1...2).utf8.count + 5))
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(5)])
        #expect(fixture.numbers == [1, 2, 5])
        #expect(journal.status().missing == [3...4])
        #expect(journal.takeConditions().map(\.missing) == [3...4])
    }

    @Test func `text that another process writes into the segment does no harm`() throws {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...4))
        try fixture.append(1, "hello")
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(5)])
        #expect(fixture.numbers == Array(1...5))
        #expect(journal.status().missing.isEmpty)
    }

    @Test func `missing ranges grow together, and are bounded`() {
        var missing = MissingRanges()
        for range in [5...6, 10...12, 7...7, 1...2, 9...9] as [ClosedRange<UInt64>] { missing.add(range) }
        #expect(missing.ranges == [1...2, 5...7, 9...12])
        missing.add(3...8)
        #expect(missing.ranges == [1...12])
        for number in UInt64(1)...100 { missing.add(number * 100...number * 100) }
        #expect(missing.ranges.count == MissingRanges.maximumCount)
        #expect(missing.ranges.first?.lowerBound == 1)
        #expect(missing.ranges.last == 10_000...10_000)
    }
}
