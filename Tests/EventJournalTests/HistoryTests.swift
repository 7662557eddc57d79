import AgentEvents
import Foundation
import Synchronization
import Testing

@testable import EventJournal

/// The history: the events that outlast deleted segments.
@Suite struct HistoryTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    /// Every tenth event lasts.
    private static func isLasting(_ sequence: UInt64) -> Bool { sequence % 10 == 0 }

    private static func line(_ sequence: UInt64) -> String {
        let line = FixtureJournal.line(sequence)
        return isLasting(sequence) ? line.replacingOccurrences(of: "path.changed", with: "uplink.changed") : line
    }

    private static func lines(_ numbers: some Sequence<UInt64>) -> String {
        numbers.map { line($0) + "\n" }.joined()
    }

    private var history: JournalHistory { history() }

    private func history(_ change: (inout JournalConfiguration) -> Void = { _ in }) -> JournalHistory {
        var configuration = JournalConfiguration(directory: fixture.directory, sync: .never)
        change(&configuration)
        return JournalHistory(
            configuration,
            of: JournalDirectory(path: fixture.directory, system: .real)
        )
    }

    private func keep(_ first: UInt64, before next: UInt64) throws {
        try history.keep(SegmentName(firstSequence: first), before: next)
    }

    private func remove(_ first: UInt64) throws { try fixture.remove(SegmentName(firstSequence: first).plain) }

    /// Everything in the journal and the history: the lasting numbers, how many stand for others, and the holes.
    private func readings(from start: Timestamp? = nil) throws -> (
        numbers: [UInt64], omitted: UInt64, missing: [ClosedRange<UInt64>]
    ) {
        var cursor = try JournalReader(directory: fixture.directory, includesHistory: true).events(from: start)
        var readings: (numbers: [UInt64], omitted: UInt64, missing: [ClosedRange<UInt64>]) = ([], 0, [])
        while let chunk = try cursor.next(atMost: 1 << 10) {
            readings.missing += chunk.missing
            for line in chunk.lines {
                let event = try #require(AgentEvent(line: Array(chunk.bytes[line.range])))
                if case .eventsOmitted(let omitted) = event.content {
                    readings.omitted += omitted.count
                    #expect(omitted.firstSequence + omitted.count - 1 == line.sequence)
                    #expect(event.time == FixtureJournal.time(line.sequence))
                    #expect(event.id == "x-\(line.sequence)")
                } else {
                    readings.numbers.append(line.sequence)
                }
            }
        }
        return readings
    }

    @Test func `lasting events of a deleted segment are read before the journal, without gaps`() throws {
        try fixture.write(1, Self.lines(1...25))
        try fixture.write(26, Self.lines(26...40))
        try keep(1, before: 26)
        try remove(1)
        let readings = try readings()
        #expect(readings.numbers == [10, 20] + Array(26...40))
        #expect(readings.omitted == 23)
        #expect(readings.missing.isEmpty)
        var plain = try fixture.reader.events()
        #expect(Readings(&plain).numbers.first == 26)
    }

    @Test func `a gap in the journal is a gap in the history`() throws {
        try fixture.write(1, Self.lines(1...4) + Self.lines(8...12) + "damage\n" + Self.lines(18...25))
        try fixture.write(26, Self.lines(26...30))
        let before = try readings()
        try keep(1, before: 26)
        try remove(1)
        let readings = try readings()
        #expect(readings.missing == before.missing)
        #expect(readings.missing == [5...7, 13...17])
        #expect(readings.numbers == [10, 20] + Array(26...30))
    }

    /// The moments at which a process may end while a segment goes to the history.
    enum Crash: CaseIterable { case whileWriting, beforeCompression, whileCompressing, beforeDeletion, never }

    @Test(arguments: Crash.allCases)
    func `a crash at any time loses no lasting event, and duplicates none`(_ crash: Crash) throws {
        try fixture.write(1, Self.lines(1...25))
        try fixture.write(26, Self.lines(26...40))
        let name = SegmentName(firstSequence: 1)
        try keep(1, before: 26)
        let compressed = try fixture.contents("history/\(name.compressed)")
        let plain = try #require(try? SegmentFrames.decompress(compressed[...]))
        let index = try fixture.contents("history/\(name.index)")
        for file in [name.compressed, name.index] { try fixture.remove("history/\(file)") }
        switch crash {
        case .whileWriting: try fixture.write("history/\(name.plain).tmp", Array(plain.prefix(100)))
        case .beforeCompression: try fixture.write("history/\(name.plain)", plain)
        case .whileCompressing:
            try fixture.write("history/\(name.plain)", plain)
            try fixture.write("history/\(name.compressed).tmp", Array(compressed.prefix(50)))
        case .beforeDeletion:
            try fixture.write("history/\(name.compressed)", compressed)
            try fixture.write("history/\(name.index)", index)
        case .never:
            try fixture.write("history/\(name.compressed)", compressed)
            try fixture.write("history/\(name.index)", index)
            try remove(1)
        }
        let lasting = [10, 20, 30, 40] as [UInt64]
        #expect(try readings().numbers.filter(Self.isLasting) == lasting)
        #expect(try readings().missing.isEmpty)
        // The agent that starts next does it again.
        if crash != .never {
            try keep(1, before: 26)
            try remove(1)
        }
        try history.retain(now: FixtureJournal.time(40), isClockTrusted: true)
        #expect(try readings().numbers.filter(Self.isLasting) == lasting)
        #expect(try readings().omitted == 23)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory + "/history").count == 2)
    }

    @Test func `a journal with deleted segments keeps their lasting events`() async throws {
        let length = Self.line(11).utf8.count + 1
        let journal = try scripted.open(fixture) { configuration in
            configuration.segmentBytes = 10 * length
            configuration.totalBytes = 30 * length
        }
        for sequence in 1...200 as ClosedRange<UInt64> {
            let line = Array(Self.line(sequence).utf8)
            journal.append([
                JournalRecord(sequence: sequence, time: FixtureJournal.time(sequence), line: line)
            ])
        }
        #expect(await journal.settle())
        #expect((journal.oldestSequence ?? 0) > 100)
        let readings = try readings()
        #expect(readings.numbers.filter(Self.isLasting) == (1...20).map { $0 * 10 })
        #expect(UInt64(readings.numbers.count) + readings.omitted == 200)
        #expect(readings.missing.isEmpty)
    }

    @Test func `an old journal is taken over when its segments are deleted`() async throws {
        try fixture.write(1, Self.lines(1...50))
        try fixture.write(51, Self.lines(51...60))
        let journal = try scripted.open(fixture) { $0.totalBytes = 1 }
        #expect(await journal.settle())
        #expect(!fixture.exists(SegmentName(firstSequence: 1).plain))
        #expect(try readings().numbers.filter(Self.isLasting) == [10, 20, 30, 40, 50, 60])
    }

    @Test func `lasting events that cannot be copied are reported, and deleted when there are too many`() async throws {
        try fixture.write(1, Self.lines(1...50))
        try fixture.write(51, Self.lines(51...60))
        try fixture.write("history", [])
        let errors = Mutex<[JournalError]>([])
        let journal = try scripted.open(
            fixture,
            { $0.totalBytes = 1 },
            noticed: { error in errors.withLock { $0.append(error) } }
        )
        #expect(await journal.settle())
        #expect(!fixture.exists(SegmentName(firstSequence: 1).plain))
        #expect(errors.withLock { $0.first?.path.hasPrefix("\(fixture.directory)/history/") } == true)
    }

    @Test func `without a history nothing outlasts a segment`() async throws {
        try fixture.write(1, Self.lines(1...50))
        try fixture.write(51, Self.lines(51...60))
        let journal = try scripted.open(fixture) { configuration in
            configuration.totalBytes = 1
            configuration.historyAge = .zero
        }
        #expect(await journal.settle())
        #expect(!fixture.exists("history"))
        #expect(try readings().numbers == Array(51...60))
    }

    @Test(arguments: [true, false])
    func `a history that is not kept any more is deleted, but no file of others in it`(hasOther: Bool) async throws {
        try fixture.write(1, Self.lines(1...50))
        try fixture.write(51, Self.lines(51...60))
        try keep(1, before: 51)
        try remove(1)
        if hasOther { try fixture.write("history/notes", [1]) }
        let journal = try scripted.open(fixture) { $0.historyAge = .zero }
        #expect(await journal.settle())
        #expect(fixture.exists("history") == hasOther)
        #expect(fixture.exists("history/notes") == hasOther)
        #expect(try readings().numbers == Array(51...60))
    }

    @Test func `the history is bounded by age and by size`() throws {
        for first in stride(from: 1, through: 901, by: 100) as StrideThrough<UInt64> {
            try fixture.write(first, Self.lines(first..<first + 100))
            try keep(first, before: first + 100)
            try remove(first)
        }
        try fixture.write(1001, Self.lines(1001...1010))
        // A second for each number.
        try history { $0.historyAge = .seconds(500) }.retain(now: FixtureJournal.time(1000), isClockTrusted: false)
        #expect(try readings().numbers.first == 10)
        try history { $0.historyAge = .seconds(500) }.retain(now: FixtureJournal.time(1000), isClockTrusted: true)
        #expect(try readings().numbers.first == 410)
        try history { $0.historyBytes = 1 }.retain(now: FixtureJournal.time(1000), isClockTrusted: true)
        #expect(try readings().numbers.first == 910)
    }

    @Test func `a time is found in the history too`() throws {
        try fixture.write(1, Self.lines(1...500))
        try fixture.write(501, Self.lines(501...510))
        try keep(1, before: 501)
        try remove(1)
        #expect(try readings(from: FixtureJournal.time(485)).numbers == [490, 500] + Array(501...510))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `what root keeps in the journal of another user is that user's`() throws {
        try #require(chown(fixture.directory, 65534, 65533) == 0)
        try fixture.write(1, Self.lines(1...50))
        try fixture.write(51, Self.lines(51...60))
        try keep(1, before: 51)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.directory)/history")
        #expect(names.count == 2)
        for name in names.map({ "history/\($0)" }) + ["history"] {
            var entry = stat()
            #expect(stat("\(fixture.directory)/\(name)", &entry) == 0)
            #expect(entry.st_uid == 65534 && entry.st_gid == 65533, "\(name)")
        }
    }
}
