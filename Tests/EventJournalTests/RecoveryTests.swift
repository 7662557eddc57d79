import AgentEvents
import Foundation
import Testing

@testable import EventJournal

/// The recovery of a journal after a crash, a disk error or a manual change.
@Suite struct RecoveryTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    private func name(_ first: UInt64) -> SegmentName { SegmentName(firstSequence: first) }

    @Test func `an empty directory becomes a journal that begins with one`() throws {
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 1)
        #expect(journal.newestSequence == nil)
        #expect(journal.oldestSequence == nil)
        #expect(journal.streamID.count == 32)
        #expect(try fixture.contents("stream") == Array("\(journal.streamID)\n".utf8))
        #expect(fixture.lease == 0)
        #expect(!journal.status().isDegraded)
        #expect(journal.status().repairs.isEmpty)
    }

    @Test func `a missing directory is made, for the owner and the group`() throws {
        var configuration = JournalConfiguration(directory: "\(fixture.directory)/journal", sync: .never)
        _ = try EventJournal(opening: configuration, now: { FixtureJournal.time(0) })
        let attributes = try FileManager.default.attributesOfItem(atPath: configuration.directory)
        let mode = try #require(attributes[.posixPermissions] as? NSNumber)
        #expect(mode.intValue & ~0o750 == 0)
        configuration.directory = "\(fixture.directory)/not/there"
        #expect {
            _ = try EventJournal(opening: configuration, now: { FixtureJournal.time(0) })
        } throws: { error in
            (error as? JournalError)?.cause == .errno(ENOENT)
        }
    }

    @Test func `the reason that a parent cannot be created is the error, not that it is missing`() {
        // No process creates a directory there: the file system has no such operation, or it is mounted read-only.
        let configuration = JournalConfiguration(directory: "/sys/reachagent/journal", sync: .never)
        #expect {
            _ = try EventJournal(opening: configuration, now: { FixtureJournal.time(0) })
        } throws: { error in
            [EPERM, EACCES, EROFS].contains { (error as? JournalError)?.cause == .errno($0) }
        }
    }

    @Test func `numbers and the stream continue after a restart`() async throws {
        var journal: EventJournal? = try scripted.open(fixture)
        let stream = journal?.streamID
        journal?.append(FixtureJournal.records(1...5))
        #expect(await journal?.shut() == true)
        journal = nil
        let next = try scripted.open(fixture)
        #expect(next.nextSequence == 6)
        #expect(next.newestSequence == 5)
        #expect(next.oldestSequence == 1)
        #expect(next.streamID == stream)
        next.append(FixtureJournal.records(6...7))
        #expect(fixture.numbers == Array(1...7))
        #expect(fixture.segmentFiles == [name(1).plain])
    }

    @Test func `a last line that is torn at any byte is cut off, and its number used again`() throws {
        let last = Array(FixtureJournal.lines([3], padding: 0).utf8)
        for length in 0..<last.count {
            let torn = try FixtureJournal()
            try torn.write(1, Array(FixtureJournal.lines(1...2).utf8) + last.prefix(length))
            let journal = try scripted.open(torn)
            #expect(journal.nextSequence == 3, "torn after \(length) bytes")
            let repairs = journal.status().repairs.filter { $0.contains("of a torn line") }
            #expect(repairs.count == (length == 0 ? 0 : 1))
            journal.append([FixtureJournal.record(3)])
            #expect(torn.numbers == [1, 2, 3], "torn after \(length) bytes")
        }
    }

    @Test(arguments: [
        "\0\0\0\0\0\0\0\0", "garbage\n", "garbage\nmore\n{\"seq\":9", "{\"seq\":9}\n", "\n", "\n\n\n", "{}\n\u{0}",
    ]) func `text at the end that is not an event is cut off`(tail: String) throws {
        try fixture.write(1, FixtureJournal.lines(1...4) + tail)
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 5)
        #expect(journal.status().corruptLines == 0)
        #expect(journal.status().repairs.contains { $0.hasSuffix("torn line at the end of \(name(1).plain)") })
        journal.append([FixtureJournal.record(5)])
        #expect(fixture.numbers == Array(1...5))
    }

    @Test func `corrupt lines in the middle stay, and are counted`() throws {
        let before = FixtureJournal.lines(1...2)
        let after = FixtureJournal.lines(5...6)
        try fixture.write(1, before + "garbage\n{\"seq\":4}\n" + after + FixtureJournal.lines([2]))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 7)
        // The last one is well-formed, but its number was there before.
        #expect(journal.status().corruptLines == 3)
        journal.append([FixtureJournal.record(7)])
        #expect(fixture.numbers == [1, 2, 0, 0, 5, 6, 2, 7])
    }

    @Test func `a number beyond all numbers is not believed`() throws {
        let beyond = FixtureJournal.line(1).replacing("\"seq\":1", with: "\"seq\":18446744073709551615")
        try fixture.write(1, FixtureJournal.lines(1...2) + beyond + "\n" + FixtureJournal.lines(3...3))
        try fixture.write(.max, "")
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 4)
        #expect(journal.status().corruptLines == 1)
    }

    @Test func `an overlong line is skipped without being kept in memory`() throws {
        let overlong = String(repeating: "x", count: ScannedLine.maximumBytes + 300_000)
        try fixture.write(1, FixtureJournal.lines(1...1) + overlong + "\n" + FixtureJournal.lines(2...2))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 3)
        #expect(journal.status().corruptLines == 1)
    }

    struct Newest: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let expected: UInt64
    }

    @Test(arguments: [
        Newest(testDescription: "empty, as left by a crash in the middle of rotation", text: "", expected: 11),
        Newest(testDescription: "garbage", text: "garbage\ngarbage\n", expected: 11),
        Newest(testDescription: "a torn first line", text: "{\"specversion\":", expected: 11),
        Newest(testDescription: "whole", text: FixtureJournal.lines(11...12), expected: 13),
    ]) func `numbers continue after the newest good one`(newest: Newest) throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write(11, newest.text)
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == newest.expected)
        journal.append([FixtureJournal.record(newest.expected)])
        #expect(fixture.numbers == Array(1...newest.expected))
    }

    @Test func `the newest segment's name counts when no older one has a good line`() throws {
        try fixture.write(42, "garbage\n")
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 42)
        #expect(journal.newestSequence == nil)
        journal.append([FixtureJournal.record(42)])
        #expect(fixture.numbers == [42])
    }

    @Test func `an empty newest segment whose name does not fit is removed`() throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write(5, "")
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 11)
        journal.append([FixtureJournal.record(11)])
        #expect(fixture.numbers == Array(1...11))
        #expect(!fixture.exists(name(5).plain))
    }

    @Test(arguments: [true, false]) func `a compressed newest segment is read and left alone`(hasIndex: Bool) throws {
        try fixture.write(1, FixtureJournal.lines(1...1000))
        try fixture.compress(1)
        if !hasIndex { try fixture.remove(name(1).index) }
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 1001)
        #expect(journal.oldestSequence == 1)
        journal.append([FixtureJournal.record(1001)])
        #expect(fixture.exists(name(1).compressed))
        #expect(try fixture.contents(name(1001).plain) == Array(FixtureJournal.lines([1001]).utf8))
    }

    @Test func `the readable part of a damaged compressed segment is read`() throws {
        try fixture.write(1, FixtureJournal.lines(1...3))
        try fixture.compress(1)
        try fixture.write(4, FixtureJournal.lines(4...6))
        try fixture.compress(4)
        try fixture.remove(name(4).index)
        try fixture.write(name(4).compressed, Array(try fixture.contents(name(4).compressed).dropLast(9)))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 4)
    }

    @Test func `a segment that is there plain and compressed is kept plain`() throws {
        try fixture.write(1, FixtureJournal.lines(1...3))
        let text = try fixture.contents(name(1).plain)
        try fixture.compress(1)
        try fixture.write(1, text)
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 4)
        #expect(fixture.segmentFiles == [name(1).plain])
        journal.append([FixtureJournal.record(4)])
        #expect(fixture.numbers == Array(1...4))
    }

    @Test func `leftovers are removed, and files of others are not touched`() throws {
        let others = ["README", "events-1.jsonl", "events-00000000000000000009.txt", "notes.tmp", "events-.jsonl"]
        for other in others { try fixture.write(other, [1, 2, 3]) }
        try fixture.write("\(name(1).compressed).tmp", [1])
        try fixture.write("stream.tmp", [1])
        try fixture.write(name(77).index, [1])
        try FileManager.default.createDirectory(
            atPath: "\(fixture.directory)/\(name(88).plain)",
            withIntermediateDirectories: false
        )
        try fixture.write(1, FixtureJournal.lines(1...2))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 3)
        for other in others { #expect(fixture.exists(other), "\(other)") }
        for gone in ["\(name(1).compressed).tmp", "stream.tmp", name(77).index] { #expect(!fixture.exists(gone)) }
        #expect(journal.status().repairs.filter { $0.contains("which was being written") }.count == 2)
    }

    @Test(arguments: ["", "short\n", String(repeating: "g", count: 32) + "\n", String(repeating: "a", count: 32)])
    func `an invalid stream name is replaced`(content: String) throws {
        try fixture.write("stream", Array(content.utf8))
        try fixture.write(1, FixtureJournal.lines(1...2))
        let journal = try scripted.open(fixture)
        #expect(try fixture.contents("stream") == Array("\(journal.streamID)\n".utf8))
        #expect(journal.status().repairs.count == 1)
        #expect(journal.nextSequence == 3)
    }

    @Test func `a lease names used numbers although no line has them`() throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write("lease", Array("00000000000000004106\n".utf8))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 4107)
        #expect(journal.status().missing == [11...4106])
        let conditions = journal.takeConditions()
        #expect(conditions.map(\.code) == [.leaseFound])
        // It is about the past: nothing would take a true one back.
        #expect(conditions.map(\.isDegraded) == [false])
        #expect(fixture.lease == 4106)
        journal.append([FixtureJournal.record(4107)])
        #expect(fixture.lease == 4106)
        journal.noteNamed(by: 4108)
        journal.append([FixtureJournal.record(4108)])
        #expect(fixture.lease == 0)
        #expect(fixture.numbers.last == 4108)
    }

    @Test func `missing numbers are named by each agent until an event that names them is recorded`() throws {
        var fixture = fixture
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write("lease", JournalLease.text(11...20))
        // Each of these is killed between its first event and the one that names what is missing.
        for first in [21, 22, 24] as [UInt64] {
            let journal = try scripted.open(fixture)
            #expect(journal.nextSequence == first)
            #expect(journal.status().missing == [11...20])
            #expect(journal.takeConditions().map(\.missing) == [11...20])
            journal.append(FixtureJournal.records(first...(first == 21 ? first : first + 1)))
            fixture = try fixture.crashed()
        }
        let journal = try scripted.open(fixture)
        #expect(journal.takeConditions().map(\.missing) == [11...20])
        journal.noteNamed(by: 26)
        journal.append([FixtureJournal.record(26)])
        let next = try scripted.open(try fixture.crashed())
        #expect(next.takeConditions().isEmpty)
        #expect(next.status().missing.isEmpty)
    }

    @Test func `events lost in an outage are named after a crash, although later ones were recorded`() throws {
        let journal = try scripted.open(fixture)
        journal.append([FixtureJournal.record(1)])
        scripted.with { $0.room = 0 }
        journal.append(FixtureJournal.records(2...5000))
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(5001)])
        #expect(fixture.numbers == [1] + Array(906...5001))
        // The event that names 2 to 905 was not written yet.
        let next = try scripted.open(try fixture.crashed())
        #expect(next.nextSequence == 5002)
        #expect(next.takeConditions().map(\.missing) == [2...905])
        #expect(next.status().missing == [2...905])
    }

    @Test func `an outage after numbers that are not named yet keeps both`() throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write("lease", JournalLease.text(11...20))
        let journal = try scripted.open(fixture)
        journal.append([FixtureJournal.record(21)])
        scripted.with { $0.room = 0 }
        journal.append([FixtureJournal.record(22)])
        let next = try scripted.open(try fixture.crashed())
        #expect(next.nextSequence == 22 + 4096 + 1)
        #expect(next.takeConditions().map(\.missing) == [11...20, 22...22 + 4096])
    }

    @Test func `a lease whose numbers were all recorded names nothing, and is cleared`() throws {
        try fixture.write(1, FixtureJournal.lines(1...10))
        try fixture.write("lease", JournalLease.text(4...8))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 11)
        #expect(journal.takeConditions().isEmpty)
        journal.append([FixtureJournal.record(11)])
        #expect(fixture.lease == 0)
    }

    @Test(arguments: ["", "7\n", "99999999999999999999\n", "0000000000000000000x\n", "00000000000000000009"])
    func `an invalid lease is rewritten`(content: String) throws {
        try fixture.write(1, FixtureJournal.lines(1...3))
        try fixture.write("lease", Array(content.utf8))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 4)
        #expect(fixture.lease == 0)
    }

    @Test func `a read-only directory gives the numbers, and is retried`() throws {
        try fixture.write(1, FixtureJournal.lines(1...9) + "torn")
        scripted.with { $0.openError = EROFS }
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 10)
        #expect(journal.newestSequence == 9)
        #expect(journal.status().trouble?.code == .writeFailed)
        journal.append([FixtureJournal.record(10)])
        #expect(journal.nextSequence == 11)
        #expect(journal.status().waiting == 1)
        scripted.with { $0.openError = nil }
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(11)])
        #expect(!journal.status().isDegraded)
        #expect(try fixture.contents(name(10).plain) == Array(FixtureJournal.lines(10...11).utf8))
        #expect(try fixture.contents("stream") == Array("\(journal.streamID)\n".utf8))
    }
}
