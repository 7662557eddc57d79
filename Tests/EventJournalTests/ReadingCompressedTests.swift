import AgentEvents
import AgentTestKit
import Foundation
import Synchronization
import Testing

@testable import EventJournal

@Suite struct ReadingCompressedTests {
    private typealias Fixture = FixtureJournal
    private let name = SegmentName(firstSequence: 1)

    @Test func `the frames together are the file`() throws {
        let journal = try FixtureJournal()
        let text = Array((Fixture.lines(1...500, padding: 900) + "garbage\n" + Fixture.lines(501...600) + "torn").utf8)
        try journal.write(1, text)
        let size = try journal.compress(1)
        let compressed = try journal.contents(name.compressed)
        #expect(size == compressed.count)
        #expect(size < text.count / 5)
        let index = try #require(SegmentIndex(decoding: try journal.contents(name.index)))
        #expect(index.count == 600)
        #expect(index.compressedBytes == UInt64(size))
        #expect(index.plainBytes == UInt64(text.count))
        var (content, offset): ([UInt8], Int) = ([], 0)
        for block in index.blocks {
            #expect(block.frameOffset == UInt64(offset))
            let frame = compressed[offset..<offset + Int(block.frameLength)]
            content += try SegmentFrames.decompress(frame)
            offset += frame.count
        }
        #expect(content == text)
        let files = try FileManager.default.contentsOfDirectory(atPath: journal.directory)
        #expect(files.sorted() == [name.index, name.compressed])
    }

    @Test(arguments: ["", "garbage\n", "torn"]) func `a segment without events is compressed too`(text: String) throws {
        let journal = try FixtureJournal()
        try journal.write(1, text)
        try journal.compress(1)
        try journal.write(2, Fixture.lines(2...3))
        var cursor = try journal.reader.events()
        #expect(Readings(&cursor) == Readings(2...3, missing: [1...1], corruptLines: text.isEmpty ? 0 : 1))
    }

    /// With this many files a directory takes several calls of getdents(2), between which it changes.
    @Test func `a listing has each of the segments that are compressed meanwhile`() async throws {
        let journal = try FixtureJournal()
        let names = (1...1500).map { SegmentName(firstSequence: $0) }
        for name in names { try journal.write(name.firstSequence, "") }
        let isDone = Atomic(false)
        async let renamed: Void = onThread {
            defer { isDone.store(true, ordering: .releasing) }
            for name in names {
                try journal.write(name.compressed, [])
                try FileManager.default.removeItem(atPath: "\(journal.directory)/\(name.plain)")
            }
        }
        let incomplete = try await onThread {
            var incomplete = 0
            while !isDone.load(ordering: .acquiring) {
                if try SegmentDirectory.segments(in: journal.directory) != names { incomplete += 1 }
            }
            return incomplete
        }
        try await renamed
        #expect(incomplete == 0)
        #expect(try SegmentDirectory.segments(in: journal.directory) == names)
    }

    @Test func `a segment that is missing is an error`() throws {
        let journal = try FixtureJournal()
        #expect(throws: JournalError.self) { try journal.compress(1) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: journal.directory).isEmpty)
    }

    /// A segment of 1000 events in many frames, and a plain one of 10 behind it.
    private func journal() throws -> (FixtureJournal, SegmentIndex) {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...1000, padding: 900))
        try journal.compress(1)
        try journal.write(1001, Fixture.lines(1001...1010))
        return (journal, try #require(SegmentIndex(decoding: try journal.contents(name.index))))
    }

    @Test func `a damaged frame is reported with its place, and the next one is read`() throws {
        let (journal, index) = try journal()
        var bytes = try journal.contents(name.compressed)
        let (bad, next) = (index.blocks[3], index.blocks[4])
        for offset in 20..<40 { bytes[Int(bad.frameOffset) + offset] ^= 0x55 }
        try journal.write(name.compressed, bytes)
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == Array(1..<bad.firstSequence) + Array(next.firstSequence...1010))
        #expect(result.missing == [bad.firstSequence...bad.lastSequence])
        let error = try #require(result.errors.first)
        #expect(result.errors.count == 1)
        #expect(error.contains(name.compressed) && error.hasSuffix("(at byte \(bad.frameOffset))"))
    }

    @Test func `without an index the rest of the segment is skipped`() throws {
        let (journal, index) = try journal()
        var bytes = try journal.contents(name.compressed)
        let bad = index.blocks[3]
        bytes[Int(bad.frameOffset)] ^= 0xFF
        try journal.write(name.compressed, bytes)
        try journal.remove(name.index)
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == Array(1..<bad.firstSequence) + Array(1001...1010))
        #expect(result.missing == [bad.firstSequence...1000])
        #expect(result.errors.count == 1)
    }

    @Test(arguments: [1, 5, 17, 1000]) func `a truncated compressed segment is read up to its end`(cut: Int) throws {
        let (journal, _) = try journal()
        try journal.write(name.compressed, Array(try journal.contents(name.compressed).dropLast(cut)))
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.errors.count == 1)
        #expect(result.numbers.starts(with: 1...500) && result.numbers.suffix(10).elementsEqual(1001...1010))
        #expect(result.missing.count == 1)
    }

    @Test func `a frame that expands beyond the limit is an error`() throws {
        let journal = try FixtureJournal()
        let bomb = try SegmentFrames.compress([UInt8](repeating: 0x20, count: SegmentFrames.maximumBytes + 1))
        #expect(bomb.count < 10_000)
        try journal.write(name.compressed, bomb)
        try journal.write(2, Fixture.lines(2...3))
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == [2, 3])
        #expect(result.errors.count == 1)
        #expect(result.errors.first?.contains("more than \(SegmentFrames.maximumBytes) bytes (at byte 0)") == true)
    }

    @Test(arguments: ["", "x", "(\u{B5}/\u{FD}", "{\"seq\":1}\n", String(repeating: "y", count: 300_000)])
    func `a file that is not compressed at all is not read`(text: String) throws {
        let journal = try FixtureJournal()
        try journal.write(name.compressed, Array(text.utf8))
        try journal.write(2, Fixture.lines(2...3))
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == [2, 3])
        #expect(result.missing == [1...1])
        #expect(result.errors.count == (text.isEmpty ? 0 : 1))
    }

    @Test func `a named pipe does not block the reader`() throws {
        let journal = try FixtureJournal()
        #expect(mkfifo(journal.path(1), 0o600) == 0)
        try journal.write(2, Fixture.lines(2...3))
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == [2, 3])
        #expect(result.errors.count == 1)
    }

    @Test func `a named pipe in the place of the newest segment hides no other`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...3))
        #expect(mkfifo(journal.path(4), 0o600) == 0)
        #expect(try journal.reader.newestSequence == 3)
        let extent = try journal.reader.extent(
            from: Fixture.time(1),
            to: Fixture.time(9),
            beginningWith: .agentStarted
        )
        #expect(extent?.first == 1)
        #expect(extent?.last == 3)
    }

    @Test func `short frames are read together, up to the damage after them`() throws {
        let text = Array(Fixture.lines(1...3).utf8)
        let frames = try text.map { try SegmentFrames.compress([$0]) }.joined()
        let journal = try FixtureJournal()
        let name = SegmentName(firstSequence: 1)
        try journal.write(name.compressed, Array(frames) + "damage".utf8)
        try journal.write(4, Fixture.lines([4]))
        var segment = try #require(try OpenSegment(name, in: journal.directory, nextFirst: nil))
        #expect(try segment.fill())
        #expect(segment.buffer == text)
        #expect(throws: JournalError.self) { try segment.fill() }
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == [1, 2, 3, 4])
        #expect(result.errors.map { $0.hasSuffix("(at byte \(Array(frames).count))") } == [true])
        let file = try JournalDirectory(path: journal.directory, system: .real).open(name.compressed, O_RDONLY)
        #expect(try SegmentScan(compressed: file).newest == 3)
    }
}
