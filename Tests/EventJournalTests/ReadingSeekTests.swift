import AgentEvents
import Foundation
import Testing

@testable import EventJournal

@Suite struct ReadingSeekTests {
    private typealias Fixture = FixtureJournal

    /// Eight segments of 1000 events, each of about 1 MB; all but the newest have an index.
    private func journal(compressed: Bool) throws -> FixtureJournal {
        try FixtureJournal((compressed ? Self.compressedFiles : Self.plainFiles).get())
    }

    private static let plainFiles = Result { try files { journal, first in _ = try journal.writeIndex(first) } }
    private static let compressedFiles = Result { try files { journal, first in try journal.compress(first) } }

    private static func files(_ close: (FixtureJournal, UInt64) throws -> Void) throws -> [String: Data] {
        let journal = try FixtureJournal()
        for first in stride(from: UInt64(1), through: 7001, by: 1000) {
            try journal.write(first, Fixture.lines(first..<first + 1000, padding: 900))
            if first < 7001 { try close(journal, first) }
        }
        return try journal.files
    }

    @Test(arguments: [false, true]) func `seeking reads a block, not the journal`(compressed: Bool) throws {
        let journal = try journal(compressed: compressed)
        for after: UInt64 in [1, 998, 999, 1000, 1001, 2500, 3999, 6998] {
            let last = min(after + 1200, 8000)
            var cursor = try journal.reader.events(after: after, through: last)
            let chunk = try #require(try cursor.next(atMost: 1))
            #expect(chunk.lines.map(\.sequence) == [after + 1])
            #expect(cursor.bytesRead < 400 << 10, "after \(after)")
            #expect(Readings(&cursor) == Readings(after + 2...last))
            #expect(compressed || cursor.bytesRead > (last - after) * 1000)
        }
    }

    @Test(arguments: [false, true]) func `seeking by time reads a block, not the journal`(compressed: Bool) throws {
        let journal = try journal(compressed: compressed)
        for first: UInt64 in [2, 999, 1000, 1001, 2500, 4000, 7000] {
            let last = min(first + 1200, 8000)
            var cursor = try journal.reader.events(from: Fixture.time(first), through: last)
            let chunk = try #require(try cursor.next(atMost: 1))
            #expect(chunk.lines.map(\.sequence) == [first])
            #expect(cursor.bytesRead < 400 << 10, "from \(first)")
            #expect(Readings(&cursor) == Readings(first + 1...last))
        }
        var late = try journal.reader.events(from: Fixture.time(9000))
        #expect(Readings(&late) == Readings())
        var both = try journal.reader.events(after: 5000, from: Fixture.time(3000), through: 5002)
        #expect(Readings(&both) == Readings(5001...5002))
        var other = try journal.reader.events(after: 3000, from: Fixture.time(5000), through: 5002)
        #expect(Readings(&other) == Readings(5000...5002))
    }

    @Test(arguments: [false, true]) func `a clock that is set back hides nothing`(compressed: Bool) throws {
        let journal = try FixtureJournal()
        // The clock is an hour ahead until event 1500, and set right then.
        func time(_ number: UInt64) -> Timestamp {
            Fixture.time(number < 1500 ? number + 3600 : number)
        }
        for first in stride(from: UInt64(1), through: 3001, by: 1000) {
            let lines = (first..<first + 1000).map { Fixture.line($0, at: time($0), padding: 900) + "\n" }
            try journal.write(first, lines.joined())
            guard first < 3001 else { continue }
            if compressed { try journal.compress(first) } else { _ = try journal.writeIndex(first) }
        }
        for second: UInt64 in [1000, 2000, 3900, 4700, 5200] {
            var cursor = try journal.reader.events(from: Fixture.time(second))
            let expected = (1...4000).filter { time($0) >= Fixture.time(second) }
            #expect(Readings(&cursor) == Readings(expected), "from \(second)")
        }
    }

    @Test func `the newest number is read from the end`() throws {
        let journal = try journal(compressed: false)
        #expect(try journal.reader.newestSequence == 8000)
        try journal.append(7001, "{\"torn")
        #expect(try journal.reader.newestSequence == 8000)
        try journal.write(8001, "")
        #expect(try journal.reader.newestSequence == 8000)
        try journal.write(8001, Fixture.line(8001))
        #expect(try journal.reader.newestSequence == 8000)
        try journal.write(8001, Fixture.line(8001, padding: 300_000) + "\n" + String(repeating: "x", count: 100_000))
        #expect(try journal.reader.newestSequence == 8001)
    }

    enum Contradiction: String, CaseIterable {
        case missing, garbage, empty, tooShort, otherNumbers, otherOffsets, otherSegment
    }

    @Test(arguments: Contradiction.allCases, [false, true])
    func `an index that contradicts the segment is not believed`(_ kind: Contradiction, compressed: Bool) throws {
        let journal = try journal(compressed: compressed)
        let name = SegmentName(firstSequence: 3001)
        var index = try #require(SegmentIndex(decoding: try journal.contents(name.index)))
        switch kind {
        case .missing: try journal.remove(name.index)
        case .garbage: try journal.write(name.index, Array("reachagent-index 1\n\u{0}\u{FF}".utf8))
        case .empty: try journal.write(name.index, [])
        case .tooShort:
            index.blocks.removeLast()
            try journal.write(name.index, index.encoded())
        case .otherNumbers:
            for number in index.blocks.indices.dropFirst() {
                index.blocks[number].firstSequence += 1
                if number < index.blocks.count - 1 { index.blocks[number].lastSequence += 1 }
                index.blocks[number].count -= 1
            }
            try journal.write(name.index, index.encoded())
        case .otherOffsets:
            for number in index.blocks.indices.dropLast() {
                index.blocks[number].length += 1
                index.blocks[number + 1].offset += 1
                index.blocks[number].frameLength += compressed ? 1 : 0
                index.blocks[number + 1].frameOffset += compressed ? 1 : 0
            }
            index.blocks[index.blocks.count - 1].length -= 1
            if compressed { index.blocks[index.blocks.count - 1].frameLength -= 1 }
            try journal.write(name.index, index.encoded())
        case .otherSegment:
            try journal.write(name.index, try journal.contents(SegmentName(firstSequence: 2001).index))
        }
        for after: UInt64 in [2999, 3000, 3001, 3070, 3500, 3999] {
            var cursor = try journal.reader.events(after: after, through: 4100)
            #expect(Readings(&cursor) == Readings(after + 1...4100), "after \(after)")
        }
        var cursor = try journal.reader.events(from: Fixture.time(3500), through: 4100)
        #expect(Readings(&cursor) == Readings(3500...4100))
    }
}
