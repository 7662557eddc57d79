import AgentEvents
import AgentTestKit
import Foundation
import Synchronization
import Testing

@testable import EventJournal

@Suite struct ReadingFollowTests {
    private typealias Fixture = FixtureJournal

    @Test func `events written later are read, and a line is complete with its newline`() throws {
        let journal = try FixtureJournal()
        var cursor = try journal.reader.events()
        #expect(Readings(&cursor) == Readings())
        try journal.write(1, Fixture.lines(1...3))
        #expect(Readings(&cursor) == Readings(1...3))
        let line = Fixture.line(4)
        try journal.append(1, String(line.prefix(50)))
        #expect(Readings(&cursor) == Readings())
        try journal.append(1, String(line.dropFirst(50)))
        #expect(Readings(&cursor) == Readings())
        try journal.append(1, "\n" + Fixture.lines(5...6))
        #expect(Readings(&cursor) == Readings(4...6))
    }

    @Test func `what was written is read to its end, and then what was written since`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...2))
        try journal.write(3, Fixture.lines(3...4))
        var cursor = try journal.reader.events()
        #expect(try cursor.nextRecorded(atMost: 1)?.lines.map(\.sequence) == [1])
        #expect(try cursor.nextRecorded(atMost: 1 << 20)?.lines.map(\.sequence) == [2, 3, 4])
        try journal.append(3, Fixture.lines(5...6))
        #expect(try cursor.nextRecorded(atMost: 1 << 20) == nil)
        #expect(try cursor.nextRecorded(atMost: 1)?.lines.map(\.sequence) == [5])
        #expect(try cursor.nextRecorded(atMost: 1 << 20)?.lines.map(\.sequence) == [6])
        try journal.append(3, Fixture.lines(7...7))
        #expect(try cursor.nextRecorded(atMost: 1 << 20) == nil)
        #expect(try cursor.nextRecorded(atMost: 1 << 20)?.lines.map(\.sequence) == [7])
        #expect(try cursor.nextRecorded(atMost: 1 << 20) == nil)
    }

    @Test func `a call that finds nothing new does not hide the next event`() throws {
        let journal = try FixtureJournal()
        var cursor = try journal.reader.events()
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(try cursor.nextRecorded(atMost: 1 << 20) == nil)
            #expect(try cursor.nextRecorded(atMost: 1 << 20) == nil)
            if number == 1 { try journal.write(1, Fixture.lines(1...1)) }
            if number > 1 { try journal.append(1, Fixture.lines(number...number)) }
            #expect(try cursor.nextRecorded(atMost: 1 << 20)?.lines.map(\.sequence) == [number])
        }
    }

    @Test func `a new segment is read, even after a late last event`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...3))
        var cursor = try journal.reader.events()
        #expect(Readings(&cursor) == Readings(1...3))
        try journal.append(1, Fixture.lines(4...5))
        try journal.write(6, Fixture.lines(6...7))
        #expect(Readings(&cursor) == Readings(4...7))
        try journal.write(8, "")
        #expect(Readings(&cursor) == Readings())
        try journal.append(8, Fixture.lines(8...8))
        #expect(Readings(&cursor) == Readings(8...8))
    }

    @Test func `a segment that is compressed while it is read is read to its end`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...1000, padding: 900))
        var cursor = try journal.reader.events()
        _ = try cursor.next(atMost: 1)
        try journal.write(1001, Fixture.lines(1001...2000, padding: 900))
        try journal.write(2001, Fixture.lines(2001...2001))
        try journal.compress(1)
        try journal.compress(1001)
        #expect(!journal.exists(SegmentName(firstSequence: 1).plain))
        #expect(Readings(&cursor) == Readings(2...2001))
    }

    @Test func `a segment that retention deletes while it is read becomes a gap`() throws {
        let journal = try FixtureJournal()
        for first in [1, 11, 21, 31] as [UInt64] { try journal.write(first, Fixture.lines(first..<first + 10)) }
        var cursor = try journal.reader.events()
        #expect(try cursor.next(atMost: 1)?.lines.map(\.sequence) == [1])
        try journal.remove(SegmentName(firstSequence: 1).plain)
        try journal.remove(SegmentName(firstSequence: 11).plain)
        #expect(Readings(&cursor) == Readings(Array(2...10) + Array(21...40), missing: [11...20]))
    }

    @Test func `a torn line that a new agent removes is not mixed with the next event`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...3))
        let size = UInt64(try journal.contents(SegmentName(firstSequence: 1).plain).count)
        try journal.append(1, "{\"specversion\":\"1.0\",\"id\":\"x-4")
        var cursor = try journal.reader.events()
        #expect(Readings(&cursor) == Readings(1...3))
        try journal.truncate(1, to: size)
        try journal.append(1, Fixture.lines(4...5))
        #expect(Readings(&cursor) == Readings(4...5))
    }

    @Test func `a segment that becomes shorter is read again without a duplicate`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...10))
        var cursor = try journal.reader.events()
        #expect(Readings(&cursor) == Readings(1...10))
        try journal.truncate(1, to: UInt64(Fixture.lines(1...4).utf8.count))
        #expect(Readings(&cursor) == Readings())
        try journal.append(1, Fixture.lines(11...12))
        #expect(Readings(&cursor) == Readings(11...12))
    }

    @Test func `a copy of a cursor continues independently`() throws {
        let journal = try FixtureJournal()
        try journal.write(1, Fixture.lines(1...100))
        try journal.write(101, Fixture.lines(101...200))
        var cursor = try journal.reader.events()
        _ = try cursor.next(atMost: 5000)
        var copy = cursor
        let rest = Readings(&cursor)
        #expect(Readings(&copy) == rest)
        #expect(rest.numbers.last == 200)
    }

    @Test func `a reader beside a writer sees each event once`() async throws {
        let journal = try FixtureJournal()
        let count: UInt64 = 20_000
        let readings = try await onThread {
            let writer = Writer { try Self.write(count, to: journal, wrote: $0) }
            return try Self.follow(journal, beside: writer)
        }
        #expect(readings.numbers == Array(1...count))
        #expect(readings.missing == [])
        #expect(readings.corruptLines == 0)
        #expect(readings.errors == [])
    }

    /// Writes on a thread of its own, which begins at once.
    private final class Writer: Sendable {
        private let result = Mutex<Result<Void, any Error>?>(nil)
        private let written = DispatchSemaphore(value: 0)

        /// - Parameter write: Writes, and calls its argument after each piece.
        init(_ write: @escaping @Sendable (() -> Void) throws -> Void) {
            Thread.detachNewThread {
                let result = Result { try write { self.written.signal() } }
                self.result.withLock { $0 = result }
                self.written.signal()
            }
        }

        /// Waits until another piece was written, or the writer has ended; each is waited for once.
        func awaitMore() { written.wait() }

        /// `true` once the writer has ended.
        ///
        /// - Throws: The error that kept it from writing.
        var hasEnded: Bool { get throws { try result.withLock { $0 }?.get() != nil } }
    }

    /// Writes segments of 1000 events in pieces that are no lines, and compresses every other one.
    private static func write(_ count: UInt64, to journal: FixtureJournal, wrote: () -> Void) throws {
        for first in stride(from: 1, through: count, by: 1000) {
            let text = Array(Fixture.lines(first..<first + 1000).utf8)
            guard let file = fopen(journal.path(first), "w") else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            defer { fclose(file) }
            for start in stride(from: 0, to: text.count, by: 777) {
                let piece = text[start..<min(start + 777, text.count)]
                _ = piece.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
                fflush(file)
                wrote()
            }
            if first > 3000, first % 2000 == 1 { try journal.compress(first - 1000) }
        }
    }

    /// Reads until the writer has ended and nothing more comes.
    private static func follow(_ journal: FixtureJournal, beside writer: Writer) throws -> Readings {
        var cursor = try journal.reader.events()
        var all = Readings()
        while true {
            let isLast = try writer.hasEnded
            let some = Readings(&cursor, atMost: 10_000)
            all.numbers += some.numbers
            all.missing += some.missing
            all.corruptLines += some.corruptLines
            all.errors += some.errors
            if isLast || all.errors.count > 100 { return all }
            if some.numbers.isEmpty { writer.awaitMore() }
        }
    }
}
