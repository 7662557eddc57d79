import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import Testing

@testable import ReachAgent

/// The newest events of a journal, and those that are written after them.
@Suite struct NewestEventsTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    private func write(_ numbers: ClosedRange<UInt64>) throws {
        let journal = try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
        let origin = EventOrigin(streamID: "abc", host: "edge-7")
        journal.append(
            numbers.compactMap { number in
                let time = Timestamp(microsecondsSince1970: 1_790_000_000_000_000 + Int64(number) * 1_000_000)
                let resumed = SuspendResumed(suspendedMilliseconds: 1, observed: time)
                let draft = EventDraft(.suspendResumed, .suspendResumed(resumed))
                return JournalRecord(Event(draft, from: origin, at: time, number: number))
            }
        )
        #expect(journal.close(within: .seconds(30)))
    }

    private func numbers(_ read: ((JournalChunk, [JournalLine]) -> Void) throws -> Void) rethrows -> [UInt64] {
        var numbers: [UInt64] = []
        try read { _, lines in numbers += lines.map(\.sequence) }
        return numbers
    }

    @Test func `a reading ends although the agent writes faster`() throws {
        try write(1...5)
        var history = History(
            reader: try JournalReader(directory: path),
            since: nil,
            until: nil,
            filter: EventFilter(types: [], subject: nil)
        )
        var next: UInt64 = 6
        // An agent that has written another event whenever this comes to the end.
        func numbersWhileWritten(
            _ read: ((JournalChunk, [JournalLine]) throws(StandardOutput.Failure) -> Void) throws -> Void
        ) throws -> [UInt64] {
            var numbers: [UInt64] = []
            try read { _, lines in
                numbers += lines.map(\.sequence)
                if next < 50 { #expect(throws: Never.self) { try write(next...next) } }
                next += 1
            }
            return numbers
        }
        #expect(try numbersWhileWritten { try history.forEachChunk($0) } == [1, 2, 3, 4, 5])
        #expect(try numbersWhileWritten { try history.forEachNewChunk($0) } == [6])
    }

    @Test(
        arguments: [
            (2, [4, 5], [6, 7]), (4, [5], [6, 7]), (5, [], [6, 7]), (6, [], [7]), (100, [], []),
        ] as [(UInt64, [UInt64], [UInt64])]
    )
    func `events up to the requested number do not follow the newest ones`(
        since: UInt64,
        newest: [UInt64],
        following: [UInt64]
    ) throws {
        try write(1...5)
        var history = History(
            reader: try JournalReader(directory: path),
            since: .number(since),
            until: nil,
            filter: EventFilter(types: [], subject: nil)
        )
        try history.keepNewest(2)
        #expect(try numbers { body in try history.forEachChunk { body($0, $1) } } == newest)
        try write(6...7)
        #expect(try numbers { body in try history.forEachNewChunk { body($0, $1) } } == following)
    }

    @Test(arguments: [(25, false), (26, false), (27, true)])
    func `a gap is reported if the event after it is not later than the requested time`(
        second: Int,
        isReported: Bool
    ) async throws {
        // The third event is of 14:13:23, and the seventh of 14:13:27.
        try write(1...3)
        try write(7...9)
        let arguments = ["history", "--directory", path, "--until", "2026-09-21T14:13:\(second)Z"]
        let text = try await FinishedCommand.run(arguments)
        #expect(text.status == 0)
        #expect(text.output.contains("events #4 to #6 are missing") == isReported, "\(text.output)")
        let json = try await FinishedCommand.run(arguments + ["--json"])
        #expect(json.lines.count == (isReported ? 4 : 3))
        #expect(json.error == (isReported ? "reachagent: events #4 to #6 are missing\n" : ""))
    }
}
