import Foundation
import Testing

@testable import EventJournal

/// Numbers after a gap, which only the next line can show to be damaged.
@Suite struct ReadingGapTests {
    private typealias Fixture = FixtureJournal
    private let journal: FixtureJournal

    init() throws { journal = try FixtureJournal() }

    /// The lines of the numbers, of which one has another number.
    private static func lines(_ numbers: ClosedRange<UInt64>, damaged: UInt64) -> String {
        numbers.map { number in
            let line = Fixture.line(number)
            return (number == damaged ? line.replacing("\"seq\":\(number)", with: "\"seq\":9\(number)") : line) + "\n"
        }.joined()
    }

    @Test func `a damaged number costs its line alone, also at the end of what is read at once`() throws {
        // The first read is of 96 KiB; the lines near its end have the same length.
        let length = UInt64(Fixture.line(300).utf8.count + 1)
        let last = (96 << 10) / length
        for damaged in last - 4...last + 4 {
            try journal.write(1, Self.lines(1...1000, damaged: damaged))
            var cursor = try journal.reader.events()
            let expected = (1...1000).filter { $0 != damaged }
            #expect(Readings(&cursor) == Readings(expected, missing: [damaged...damaged], corruptLines: 1))
        }
    }

    @Test func `a number after a gap is read at once where nothing follows`() throws {
        try journal.write(1, Fixture.lines(1...3) + Fixture.lines([7]))
        var cursor = try journal.reader.events()
        #expect(Readings(&cursor) == Readings([1, 2, 3, 7], missing: [4...6]))
        try journal.append(1, Fixture.lines([9]) + "{\"torn")
        #expect(Readings(&cursor) == Readings([9], missing: [8...8]))
        try journal.write(11, Fixture.lines(11...12))
        #expect(Readings(&cursor) == Readings([11, 12], missing: [10...10], corruptLines: 1))
    }

    @Test func `a number after a gap is read where damage follows`() throws {
        let parts = [Fixture.lines(1...2), Fixture.lines([5])]
        let frames = try parts.flatMap { try SegmentFrames.compress(Array($0.utf8)) }
        try journal.write(SegmentName(firstSequence: 1).compressed, frames + "damage".utf8)
        try journal.write(9, Fixture.lines([9]))
        var cursor = try journal.reader.events()
        let result = Readings(&cursor)
        #expect(result.numbers == [1, 2, 5, 9])
        #expect(result.missing == [3...4, 6...8])
        #expect(result.errors.count == 1)
    }
}
