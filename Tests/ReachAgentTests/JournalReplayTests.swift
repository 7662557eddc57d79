import AgentEvents
import AgentTestKit
import EventJournal
import Foundation
import StateSocket
import Testing

@testable import ReachAgent

/// The events of the journal that subscribers get.
@Suite struct JournalReplayTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    /// Opens a journal with a segment for each ten events.
    private func open(compresses: Bool) throws -> EventJournal {
        var configuration = JournalConfiguration(directory: path, sync: .never)
        configuration.segmentAge = .seconds(10)
        configuration.compressesClosedSegments = compresses
        return try EventJournal(opening: configuration, now: { .now })
    }

    private static func records(_ numbers: ClosedRange<UInt64>) -> [JournalRecord] {
        numbers.compactMap { number in
            let time = Timestamp(microsecondsSince1970: 1_790_000_000_000_000 + Int64(number) * 1_000_000)
            let resumed = SuspendResumed(suspendedMilliseconds: 1, observed: time)
            let draft = EventDraft(.suspendResumed, .suspendResumed(resumed))
            let origin = EventOrigin(streamID: "abc", host: "edge-7")
            return JournalRecord(Event(draft, from: origin, at: time, number: number))
        }
    }

    private static func readings(_ replay: any Replay) throws -> (numbers: [UInt64], missing: [ClosedRange<UInt64>]) {
        var readings: (numbers: [UInt64], missing: [ClosedRange<UInt64>]) = ([], [])
        while true {
            let chunk = try replay.next(atMost: 4096)
            if chunk.isEnd { return readings }
            readings.numbers += chunk.lines.map(\.sequence)
            readings.missing += chunk.missing
        }
    }

    @Test func `a damaged block is a gap, after which the replay continues`() throws {
        let journal = try open(compresses: true)
        for record in Self.records(1...35) { journal.append([record]) }
        #expect(journal.flush(within: .seconds(30)))
        let compressed = "\(path)/events-00000000000000000011.jsonl.zst"
        var bytes = try Data(contentsOf: URL(filePath: compressed))
        for position in bytes.count / 2..<bytes.count / 2 + 8 { bytes[position] ^= 0x5A }
        try bytes.write(to: URL(filePath: compressed))
        let readings = try Self.readings(JournalReplay(journal).replay(after: 3))
        #expect(readings.numbers == Array(4...10) + Array(21...35))
        #expect(readings.missing == [11...20])
        #expect(try Self.readings(JournalReplay(journal).replay(after: 10)).numbers == Array(21...35))
    }

    @Test func `a file that cannot be read ends the replay`() throws {
        let journal = try open(compresses: false)
        for record in Self.records(1...15) { journal.append([record]) }
        #expect(journal.flush(within: .seconds(30)))
        let segment = "\(path)/events-00000000000000000011.jsonl"
        try FileManager.default.removeItem(atPath: segment)
        // Opening it fails for every user.
        try FileManager.default.createSymbolicLink(atPath: segment, withDestinationPath: segment)
        #expect(throws: JournalError.self) { try Self.readings(JournalReplay(journal).replay(after: 3)) }
    }
}
