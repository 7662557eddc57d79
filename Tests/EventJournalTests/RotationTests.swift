import AgentEvents
import Foundation
import Synchronization
import Testing

@testable import EventJournal

/// The rotation of segments, and their deletion by size and age.
@Suite struct RotationTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    private var segments: [UInt64] {
        Set(fixture.segmentFiles.compactMap(SegmentName.init)).sorted().map(\.firstSequence)
    }

    @Test func `a segment that is large enough is closed with the next event, also inside a batch`() async throws {
        let length = FixtureJournal.line(10).utf8.count + 1
        let journal = try scripted.open(fixture) { $0.segmentBytes = 3 * length - 1 }
        journal.append(FixtureJournal.records(10...10))
        #expect(journal.nextSequence == 11)
        journal.append(FixtureJournal.records(11...20))
        #expect(await journal.settle())
        #expect(segments == [10, 13, 16, 19])
        #expect(fixture.numbers == Array(10...20))
        #expect(fixture.segmentFiles.count { $0.hasSuffix(".index") } == 3)
        #expect(journal.status().bytes == 11 * length)
        #expect(journal.status().segments == 4)
    }

    @Test func `a closed segment has an index of its contents`() async throws {
        let journal = try scripted.open(fixture) { $0.segmentBytes = 1 << 10 }
        journal.append(FixtureJournal.records(1...40))
        #expect(await journal.settle())
        let indexes = fixture.segmentFiles.filter { $0.hasSuffix(".index") }
        #expect(indexes.count > 1)
        var last: UInt64 = 0
        for name in indexes {
            let index = try #require(SegmentIndex(decoding: try fixture.contents(name)))
            let segment = try #require(SegmentName(fileName: name))
            #expect(segment.firstSequence == last + 1)
            last = try #require(index.lastSequence)
            #expect(index.blocks.first?.oldestTime == FixtureJournal.time(segment.firstSequence))
            #expect(index.newestTime == FixtureJournal.time(last))
            #expect(UInt64(index.count) == last - segment.firstSequence + 1)
        }
        let reader = try fixture.reader
        #expect(try reader.newestSequence == 40)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `root's files in the journal of another user are that user's`() async throws {
        try #require(chown(fixture.directory, 65534, 65533) == 0)
        let journal = try scripted.open(fixture) {
            $0.segmentBytes = 1 << 10
        }
        journal.append(FixtureJournal.records(1...40))
        #expect(await journal.settle())
        try journal.keep(Array("{}".utf8), as: "data-usage")
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory)
        #expect(names.contains("data-usage") && names.contains { $0.hasSuffix(".index") } && names.count > 4)
        for name in names {
            var entry = stat()
            #expect(stat("\(fixture.directory)/\(name)", &entry) == 0)
            #expect(entry.st_uid == 65534 && entry.st_gid == 65533, "\(name)")
        }
    }

    struct Age: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let wall: Duration
        let elapsed: Duration
        let rotates: Bool
    }

    @Test(arguments: [
        Age(testDescription: "young", wall: .seconds(59), elapsed: .seconds(59), rotates: false),
        Age(testDescription: "old", wall: .seconds(60), elapsed: .seconds(60), rotates: true),
        Age(
            testDescription: "old, and the clock was set back",
            wall: .seconds(-99),
            elapsed: .seconds(60),
            rotates: true
        ),
        Age(
            testDescription: "young, and the clock was set back",
            wall: .seconds(-99),
            elapsed: .seconds(1),
            rotates: false
        ),
        Age(testDescription: "young, and the clock was set", wall: .seconds(99), elapsed: .seconds(1), rotates: true),
    ]) func `a segment of age is closed with the next event`(age: Age) throws {
        let journal = try scripted.open(fixture) { $0.segmentAge = .seconds(60) }
        journal.append([FixtureJournal.record(1, at: FixtureJournal.time(1000))])
        scripted.with { $0.elapsed += age.elapsed }
        let seconds = age.wall.components.seconds
        let time = Timestamp(
            microsecondsSince1970: FixtureJournal.time(1000).microsecondsSince1970 + seconds * 1_000_000
        )
        journal.append([FixtureJournal.record(2, at: time)])
        #expect(segments == (age.rotates ? [1, 2] : [1]))
        #expect(fixture.numbers == [1, 2])
    }

    @Test func `after a restart a segment's age counts from its first event`() throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        let journal = try scripted.open(fixture) { $0.segmentAge = .seconds(60) }
        journal.append([FixtureJournal.record(11, at: FixtureJournal.time(60))])
        #expect(segments == [1])
        journal.append([FixtureJournal.record(12, at: FixtureJournal.time(61))])
        #expect(segments == [1, 12])
    }

    @Test(
        arguments: [
            ("ahead at the first event", 31_000_000, 0, [1, 3]), ("right at the first event", 0, 31_000_000, [1, 3]),
            ("of 1970 at a later event", 0, nil, [1, 3]), ("of 1970 at a later event, just now", 59, nil, [1]),
        ] as [(String, UInt64, UInt64?, [UInt64])]
    )
    func `after a restart a segment's age counts from its earliest plausible event`(
        _: String,
        first: UInt64,
        second: UInt64?,
        expected: [UInt64]
    ) throws {
        let other = second.map { FixtureJournal.time($0) } ?? Timestamp(microsecondsSince1970: 40_000_000)
        let lines = [FixtureJournal.time(first), other].enumerated().map { position, time in
            FixtureJournal.line(UInt64(position + 1), at: time) + "\n"
        }
        try fixture.write(1, lines.joined())
        let journal = try scripted.open(fixture) { $0.segmentAge = .seconds(60) }
        journal.append([FixtureJournal.record(3, at: FixtureJournal.time(60))])
        #expect(segments == expected)
    }

    @Test func `a device whose clock starts in 1970 begins no segment with each boot`() async throws {
        // Nothing is deleted for its age.
        scripted.with { $0.isClockTrusted = false }
        for boot in 0..<4 as Range<UInt64> {
            let journal = try scripted.open(fixture)
            let first = 2 * boot + 1
            journal.append([FixtureJournal.record(first, at: Timestamp(microsecondsSince1970: 40_000_000))])
            journal.append([FixtureJournal.record(first + 1, at: FixtureJournal.time(1000 * boot))])
            #expect(await journal.shut())
        }
        // One whose first event is of 1970 is closed when the clock is set, as nothing says how old it is.
        #expect(segments == [1, 2])
        #expect(fixture.numbers == Array(1...8))
    }

    @Test(arguments: [false, true]) func `the oldest segments are deleted while there are too many`(compresses: Bool)
        async throws
    {
        let length = FixtureJournal.line(100).utf8.count + 1
        let journal = try scripted.open(fixture) {
            $0.segmentBytes = 10 * length
            $0.totalBytes = 35 * length
            $0.compressesClosedSegments = compresses
        }
        for first in stride(from: UInt64(100), through: 190, by: 10) {
            journal.append(FixtureJournal.records(first...first + 9))
            #expect(await journal.settle())
        }
        let sizes = try fixture.segmentFiles.filter { !$0.hasSuffix(".index") }.map { try fixture.contents($0).count }
        #expect(sizes.reduce(0, +) <= 35 * length)
        #expect(journal.status().bytes == sizes.reduce(0, +))
        #expect(journal.oldestSequence == segments.first)
        #expect(journal.newestSequence == 199)
        if compresses {
            #expect(fixture.segmentFiles.count { $0.hasSuffix(".jsonl.zst") } == segments.count - 1)
            #expect(fixture.segmentFiles.count { $0.hasSuffix(".jsonl") } == 1)
        } else {
            #expect(segments == [170, 180, 190])
        }
        // An index for each closed segment, and none for those that are gone.
        #expect(fixture.segmentFiles.count { $0.hasSuffix(".index") } == segments.count - 1)
    }

    @Test func `each removal of old events is reported while they can still be read`() async throws {
        let length = FixtureJournal.line(100).utf8.count + 1
        let journal = try scripted.open(fixture) {
            $0.segmentBytes = 10 * length
            $0.totalBytes = 35 * length
        }
        let oldest = Mutex<[UInt64?]>([])
        let directory = journal.configuration.directory
        let readable = Mutex<[UInt64?]>([])
        journal.whenRemoved {
            oldest.withLock { $0.append(journal.oldestSequence) }
            let reader = try? JournalReader(directory: directory)
            readable.withLock { $0.append(try? reader?.oldestSequence) }
        }
        for first in stride(from: UInt64(100), through: 190, by: 10) {
            journal.append(FixtureJournal.records(first...first + 9))
            #expect(await journal.settle())
        }
        let told = oldest.withLock { $0 }
        #expect(told.last == 170 && told.compactMap(\.self) == told.compactMap(\.self).sorted() && told.count >= 3)
        // Each time, the events are those that were the oldest before.
        #expect(readable.withLock { $0 } == [100] + told.dropLast())
        journal.noteRemovals()
        #expect(await journal.settle())
        #expect(oldest.withLock { $0 } == told + [170])
        journal.whenRemoved(nil)
        journal.append(FixtureJournal.records(200...230))
        #expect(await journal.settle())
        #expect(oldest.withLock { $0 } == told + [170])
    }

    @Test func `the newest segment is never deleted`() async throws {
        let journal = try scripted.open(fixture) {
            $0.totalBytes = 1
            $0.totalAge = .zero
        }
        journal.append(FixtureJournal.records(1...10))
        scripted.advance(.seconds(1 << 30))
        journal.append([FixtureJournal.record(11)])
        #expect(await journal.shut())
        let next = try scripted.open(fixture) { $0.totalBytes = 1 }
        #expect(await next.settle())
        #expect(next.nextSequence == 12)
        #expect(segments == [11])
    }

    @Test func `a start with the clock ten years ahead deletes nothing until the clock is trusted`() async throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write(11, FixtureJournal.lines(11...20))
        scripted.with { $0.isClockTrusted = false }
        scripted.advance(.seconds(10 * 365 * 86_400))
        let journal = try scripted.open(fixture)
        #expect(await journal.settle())
        #expect(segments == [1, 11])
        scripted.with { $0.isClockTrusted = true }
        scripted.advance(.seconds(3600))
        journal.append([FixtureJournal.record(21)])
        #expect(await journal.settle())
        #expect(segments.first != 1)
    }

    @Test func `closed segments without an index get one, and are compressed, when the journal is opened`() async throws
    {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write(11, FixtureJournal.lines(11...20))
        let journal = try scripted.open(fixture) { $0.compressesClosedSegments = true }
        #expect(await journal.settle())
        let closed = SegmentName(firstSequence: 1)
        #expect(fixture.segmentFiles == [closed.index, closed.compressed, SegmentName(firstSequence: 11).plain])
        let restart = await journal.shut()
        #expect(restart)
        #expect(try scripted.open(fixture).nextSequence == 21)
    }

    @Test func `a named pipe in the place of the next segment takes no events`() throws {
        try fixture.write(1, FixtureJournal.lines(1...5))
        let pipe = SegmentName(firstSequence: 6).plain
        #expect(mkfifo("\(fixture.directory)/\(pipe)", 0o600) == 0)
        let journal = try scripted.open(fixture) { $0.segmentBytes = 1 }
        journal.append([FixtureJournal.record(6)])
        #expect(journal.status().trouble?.error == "it is not a regular file")
        #expect(journal.status().waiting == 1)
        try fixture.remove(pipe)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(7)])
        #expect(!journal.status().isDegraded)
        #expect(fixture.numbers == Array(1...7))
    }

    // MARK: Expiry

    struct Kept: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The time of each segment's newest event, in days from now.
        let days: [Int64]
        var closedHere: Set<Int> = []
        let expired: [UInt64]
    }

    @Test(arguments: [
        Kept(testDescription: "young ones stay", days: [-29, -20, 0], expired: []),
        Kept(testDescription: "old ones go", days: [-40, -31, -29, 0], expired: [1, 2]),
        Kept(testDescription: "the newest stays, however old", days: [-40], expired: []),
        Kept(testDescription: "no gap is made", days: [-20, -40, 0], expired: []),
        Kept(testDescription: "a time that has not come is not old", days: [400, -40, 0], expired: []),
        Kept(testDescription: "1970 behind a good time", days: [-20, -20_000, -10, 0], expired: []),
        Kept(testDescription: "1970 first", days: [-20_000, -10, 0], expired: [1]),
        Kept(testDescription: "1970, and written by this process", days: [-20_000, 0], closedHere: [0], expired: []),
    ]) func `age alone decides, but not when the clock may be to blame`(kept: Kept) {
        let now = FixtureJournal.time(0)
        let configuration = JournalConfiguration(directory: "/", totalBytes: .max)
        let instant = ContinuousClock.now
        let segments = kept.days.enumerated().map { offset, days in
            JournalSegment(
                name: SegmentName(firstSequence: UInt64(offset + 1)),
                bytes: 100,
                closedAt: kept.closedHere.contains(offset) ? instant : nil,
                newestTime: Timestamp(microsecondsSince1970: now.microsecondsSince1970 + days * 86_400_000_000)
            )
        }
        for isClockTrusted in [true, false] {
            let retention = JournalRetention(
                configuration,
                wallClock: now,
                isClockTrusted: isClockTrusted,
                instant: instant.advanced(by: .seconds(60))
            )
            #expect(retention.expired(segments).map(\.firstSequence) == (isClockTrusted ? kept.expired : []))
        }
    }

    @Test func `segments of any size expire, the oldest first`() {
        let segments = (1...6 as ClosedRange<UInt64>).map { number in
            JournalSegment(
                name: SegmentName(firstSequence: number),
                bytes: number == 6 ? 100 : .max / 2 + 1,
                closedAt: nil,
                newestTime: FixtureJournal.time(0)
            )
        }
        let retention = JournalRetention(
            JournalConfiguration(directory: "/", totalBytes: 64 << 20),
            wallClock: FixtureJournal.time(0),
            isClockTrusted: true,
            instant: .now
        )
        #expect(retention.expired(segments).map(\.firstSequence) == [1, 2, 3, 4, 5])
    }
}
