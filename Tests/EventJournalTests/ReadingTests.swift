import AgentEvents
import Foundation
import Testing

@testable import EventJournal

@Suite struct ReadingTests {
    private typealias Fixture = FixtureJournal

    private func read(
        _ journal: FixtureJournal,
        after: UInt64 = 0,
        through: UInt64 = .max,
        atMost: Int = 1 << 20
    ) throws -> Readings {
        var cursor = try journal.reader.events(after: after, through: through)
        return Readings(&cursor, atMost: atMost)
    }

    @Test func `an empty directory has no events`() throws {
        let journal = try FixtureJournal()
        let reader = try journal.reader
        #expect(try read(journal) == Readings())
        #expect(try reader.oldestSequence == nil)
        #expect(try reader.newestSequence == nil)
        #expect(try reader.streamID == nil)
    }

    @Test func `a directory that is missing is an error that names it`() {
        #expect(throws: JournalError(operation: "open", path: "/nonexistent/journal", cause: .errno(ENOENT))) {
            try JournalReader(directory: "/nonexistent/journal")
        }
    }

    @Test(
        arguments: [
            ("0123456789abcdef0123456789abcdef\n", "0123456789abcdef0123456789abcdef"),
            ("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
            ("0123456789ABCDEF0123456789abcdef\n", nil), ("0123\n", nil), ("", nil),
            ("0123456789abcdef0123456789abcdef0\n", nil),
        ] as [(String, String?)]
    )
    func `the stream's name is 32 digits`(text: String, name: String?) throws {
        let journal = try FixtureJournal()
        try journal.write("stream", Array(text.utf8))
        #expect(try journal.reader.streamID == name)
    }

    @Test(arguments: [1, 300, 4096, 1 << 20])
    func `plain and compressed segments are read in order, whatever the chunk size`(atMost: Int) throws {
        let journal = try FixtureJournal()
        for first in stride(from: UInt64(1), through: 801, by: 100) {
            try journal.write(first, Fixture.lines(first..<first + 100, padding: 2000))
            if first % 200 == 1 {
                try journal.compress(first)
            } else if first < 500 {
                _ = try journal.writeIndex(first)
            }
        }
        for foreign in ["lock", "lease", "README", "events-1.jsonl", "events-00000000000000000000.jsonl"] {
            try journal.write(foreign, Array("nothing of ours\n".utf8))
        }
        let result = try read(journal, atMost: atMost)
        #expect(result == Readings(1...900))
        #expect(try journal.reader.oldestSequence == 1)
        #expect(try journal.reader.newestSequence == 900)
        for after: UInt64 in [1, 99, 100, 101, 154, 750, 899, 900, 901, .max] {
            let expected = after < 900 ? Array((after + 1)...900) : []
            #expect(try read(journal, after: after, atMost: atMost) == Readings(expected))
        }
        #expect(try read(journal, after: 250, through: 349, atMost: atMost) == Readings(251...349))
        #expect(try read(journal, after: 250, through: 250, atMost: atMost) == Readings())
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let segments: [UInt64: String]
        var after: UInt64 = 0
        let expected: Readings

        static let all: [Damage] = [
            Damage(
                testDescription: "garbage in the middle",
                segments: [1: Fixture.lines(1...3) + "garbage\n\n{\"seq\":4}\n\u{0}\u{0}\n" + Fixture.lines(4...5)],
                expected: Readings(1...5, corruptLines: 4)
            ),
            Damage(
                testDescription: "lines overwritten by garbage",
                segments: [1: Fixture.lines(1...3) + "garbage\n" + Fixture.lines(6...7)],
                expected: Readings([1, 2, 3, 6, 7], missing: [4...5], corruptLines: 1)
            ),
            Damage(
                testDescription: "a torn last line of the newest segment is not there yet",
                segments: [1: Fixture.lines(1...3) + Fixture.line(4)],
                expected: Readings(1...3)
            ),
            Damage(
                testDescription: "a torn last line of a closed segment",
                segments: [1: Fixture.lines(1...3) + "{\"specver", 4: Fixture.lines(4...5)],
                expected: Readings(1...5, corruptLines: 1)
            ),
            Damage(
                testDescription: "a truncated segment",
                segments: [1: Fixture.lines(1...2), 5: Fixture.lines(5...6)],
                expected: Readings([1, 2, 5, 6], missing: [3...4])
            ),
            Damage(
                testDescription: "an emptied segment",
                segments: [1: Fixture.lines(1...2), 3: "", 6: Fixture.lines(6...6)],
                expected: Readings([1, 2, 6], missing: [3...5])
            ),
            Damage(
                testDescription: "the oldest segment emptied",
                segments: [1: "", 4: Fixture.lines(4...6)],
                expected: Readings(4...6, missing: [1...3])
            ),
            Damage(
                testDescription: "the oldest segments deleted by retention",
                segments: [40: Fixture.lines(40...42)],
                expected: Readings(40...42)
            ),
            Damage(
                testDescription: "the oldest segments deleted, which a number is asked from",
                segments: [40: Fixture.lines(40...42)],
                after: 30,
                expected: Readings(40...42, missing: [31...39])
            ),
            Damage(
                testDescription: "duplicated and earlier numbers",
                segments: [1: Fixture.lines([1, 2, 2, 3, 1, 4])],
                expected: Readings(1...4, corruptLines: 2)
            ),
            Damage(
                testDescription: "a number that is damaged and much too great",
                segments: [1: Fixture.lines([1, 2, 900, 4, 5]), 6: Fixture.lines(6...7)],
                expected: Readings([1, 2, 4, 5, 6, 7], missing: [3...3], corruptLines: 1)
            ),
            Damage(
                testDescription: "a first number that is too great for the next one",
                segments: [1: Fixture.lines([700, 2, 3])],
                expected: Readings([2, 3], missing: [1...1], corruptLines: 1)
            ),
            Damage(
                testDescription: "numbers of another segment",
                segments: [1: Fixture.lines([1, 6, 2]), 5: Fixture.lines([3, 5, 6])],
                expected: Readings([1, 2, 5, 6], missing: [3...4], corruptLines: 2)
            ),
            Damage(
                testDescription: "a real hole within a segment",
                segments: [1: Fixture.lines([1, 2, 10, 11])],
                after: 1,
                expected: Readings([2, 10, 11], missing: [3...9])
            ),
            Damage(
                testDescription: "the greatest number there is",
                segments: [1: Fixture.lines([1, UInt64(Int64.max)])],
                expected: Readings([1, UInt64(Int64.max)], missing: [2...UInt64(Int64.max) - 1])
            ),
            Damage(
                testDescription: "numbers beyond the greatest there is",
                segments: [1: Fixture.lines([1, UInt64(Int64.max) + 1, .max])],
                expected: Readings([1], corruptLines: 2)
            ),
            Damage(
                testDescription: "events without number or time",
                segments: [
                    1: Fixture.lines([1]) + "{\"type\":\"t\",\"seq\":2}\n"
                        + "{\"type\":\"t\",\"time\":\"2026-11-21T07:00:00Z\"}\n" + Fixture.lines([2])
                ],
                expected: Readings([1, 2], corruptLines: 2)
            ),
            Damage(
                testDescription: "a line that is too long",
                segments: [
                    1: Fixture.lines([1]) + Fixture.line(2, padding: ScannedLine.maximumBytes) + "\n"
                        + Fixture.lines([3])
                ],
                expected: Readings([1, 3], missing: [2...2], corruptLines: 1)
            ),
            Damage(
                testDescription: "megabytes without a line's end",
                segments: [
                    1: Fixture.lines([1]) + String(repeating: "x", count: 10 << 20) + "\n" + Fixture.lines([2]),
                    3: Fixture.lines([3]),
                ],
                expected: Readings([1, 2, 3], corruptLines: 1)
            ),
            Damage(
                testDescription: "bytes that are no UTF-8, and a line's end of another system",
                segments: [1: Fixture.line(1) + "\r\n" + "\u{FF}{}\n" + Fixture.lines([2])],
                expected: Readings([1, 2], corruptLines: 1)
            ),
        ]
    }

    @Test(arguments: Damage.all) func `damage is reported and skipped`(damage: Damage) throws {
        let journal = try FixtureJournal()
        for (first, text) in damage.segments { try journal.write(first, text) }
        #expect(try read(journal, after: damage.after) == damage.expected)
        #expect(try read(journal, after: damage.after, atMost: 1) == damage.expected)
        #expect(try journal.reader.newestSequence == damage.expected.numbers.last)
    }

    @Test(arguments: Damage.all) func `damage in compressed segments is reported and skipped`(damage: Damage) throws {
        let journal = try FixtureJournal()
        for (first, text) in damage.segments { try journal.write(first, text) }
        for first in damage.segments.keys.sorted().dropLast() { try journal.compress(first) }
        #expect(try read(journal, after: damage.after) == damage.expected)
        for first in damage.segments.keys {
            let index = SegmentName(firstSequence: first).index
            if journal.exists(index) { try journal.remove(index) }
        }
        #expect(try read(journal, after: damage.after) == damage.expected)
    }
}
