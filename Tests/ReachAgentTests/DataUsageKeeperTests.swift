import AgentEvents
import EventJournal
import Foundation
import Probes
import Testing

@testable import ReachAgent

/// The day's data usage over restarts.
@Suite struct DataUsageKeeperTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "usage-\(UUID().uuidString)").path()
    private var file: String { path + "/" + DataUsageKeeper.name }

    private func journal() throws -> EventJournal {
        try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
    }

    private func keeper(_ journal: EventJournal, isClockTrusted: Bool = true) -> DataUsageKeeper {
        DataUsageKeeper(in: journal, isClockTrusted: { isClockTrusted })
    }

    @Test func `an orderly end keeps exactly what was used`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let journal = try journal()
        let first = keeper(journal)
        #expect(first.usage == nil)
        for bytes in [1000, 50_000, 50_001] { first.note(DataUsage(day: 7, bytes: ["wwan": bytes])) }
        #expect(first.finish(within: .seconds(30)))
        #expect(keeper(journal).usage == DataUsage(day: 7, bytes: ["wwan": 50_001]))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect((mode ?? 0) & 0o137 == 0)
    }

    @Test func `after a crash the file says too much and never too little`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let journal = try journal()
        let crashed = keeper(journal)
        crashed.note(DataUsage(day: 7, bytes: ["wwan": 1000]))
        // The write is on a thread of its own.
        while journal.kept(DataUsageKeeper.name, atMost: 1000) == nil { usleep(1000) }
        let ahead = DataUsage(day: 7, bytes: ["wwan": 1000 + DataUsageKeeper.reserve])
        #expect(keeper(journal).usage == ahead)
        crashed.note(DataUsage(day: 7, bytes: ["wwan": 1000 + DataUsageKeeper.reserve]))
        #expect(keeper(journal).usage == ahead)
    }

    @Test(arguments: ["", "{", #"{"day":7,"bytes":{"wwan":-1}}"#, #"{"day":7}"#, "[]", "\0"])
    func `a damaged file counts as none`(content: String) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let journal = try journal()
        try journal.keep(Array(content.utf8), as: DataUsageKeeper.name)
        #expect(keeper(journal).usage == nil)
    }

    @Test(arguments: [(false, Int64(20_000)), (true, 3)])
    func `an earlier day replaces a later one only by a trusted clock`(isTrusted: Bool, day: Int64) throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let journal = try journal()
        let first = keeper(journal)
        first.note(DataUsage(day: 20_000, bytes: ["wwan": 5]))
        #expect(first.finish(within: .seconds(30)))
        let second = keeper(journal, isClockTrusted: isTrusted)
        second.note(DataUsage(day: 3, bytes: ["wwan": 1]))
        #expect(second.finish(within: .seconds(30)))
        #expect(keeper(journal).usage?.day == day)
    }
}
