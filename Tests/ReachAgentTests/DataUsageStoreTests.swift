import AgentEvents
import AgentTestKit
import CClockStep
import EventJournal
import Foundation
import Probes
import Testing

@testable import ReachAgent

/// The day's data usage over restarts.
@Suite struct DataUsageStoreTests {
    private let temporary: TemporaryDirectory
    private var path: String { "\(temporary.path)/journal" }
    private var file: String { path + "/" + DataUsageStore.name }

    init() throws { temporary = try TemporaryDirectory() }

    private func journal() throws -> EventJournal {
        try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
    }

    private func usageStore(_ journal: EventJournal, isClockTrusted: Bool = true) -> DataUsageStore {
        DataUsageStore(in: journal, isClockTrusted: { isClockTrusted })
    }

    @Test func `an orderly stop keeps the exact usage`() throws {
        let journal = try journal()
        let first = usageStore(journal)
        #expect(first.usage == nil)
        for bytes in [1000, 50_000, 50_001] { first.note(DataUsage(day: 7, bytes: ["wwan": bytes])) }
        #expect(first.finish(within: .seconds(30)))
        #expect(usageStore(journal).usage == DataUsage(day: 7, bytes: ["wwan": 50_001]))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect((mode ?? 0) & 0o137 == 0)
    }

    @Test func `after a crash the file says too much and never too little`() throws {
        let journal = try journal()
        let crashed = usageStore(journal)
        crashed.note(DataUsage(day: 7, bytes: ["wwan": 1000]))
        // The write is on a thread of its own.
        while journal.kept(DataUsageStore.name, atMost: 1000) == nil { usleep(1000) }
        let ahead = DataUsage(day: 7, bytes: ["wwan": 1000 + DataUsageStore.reserve])
        #expect(usageStore(journal).usage == ahead)
        crashed.note(DataUsage(day: 7, bytes: ["wwan": 1000 + DataUsageStore.reserve]))
        #expect(usageStore(journal).usage == ahead)
    }

    @Test(.enabled(if: reachagent_can_set_clock_back(), "ThreadSanitizer has a sem_timedwait(3) of its own"))
    func `a wall clock that is set back makes the end wait no longer for the disk`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let configuration = JournalConfiguration(directory: directory.path, sync: .never)
            let journal = try EventJournal(opening: configuration, now: { .now })
            // The thread that writes gets no further.
            let store = DataUsageStore(in: journal) {
                DispatchSemaphore(value: 0).wait()
                return true
            }
            store.note(DataUsage(day: 7, bytes: ["wwan": 1000]))
            // The timeout of a group is none of the wall clock.
            let finished = DispatchGroup()
            finished.enter()
            reachagent_set_clock_back(3600)
            Thread.detachNewThread {
                #expect(!store.finish(within: .milliseconds(100)))
                finished.leave()
            }
            #expect(await onThread { finished.wait(timeout: .now() + 30) == .success })
        }
    }

    @Test(arguments: ["", "{", #"{"day":7,"bytes":{"wwan":-1}}"#, #"{"day":7}"#, "[]", "\0"])
    func `a damaged file counts as missing`(content: String) throws {
        let journal = try journal()
        try journal.keep(Array(content.utf8), as: DataUsageStore.name)
        #expect(usageStore(journal).usage == nil)
    }

    @Test(
        arguments: [
            (false, 3 * 86_400, 7 * 86_400), (false, 7 * 86_400 + 5, 7 * 86_400 + 5), (false, 9 * 86_400, 9 * 86_400),
            (true, 3 * 86_400, 3 * 86_400),
        ] as [(Bool, Int64, Int64)]
    )
    func `until the clock can be trusted no day before the last one begins`(
        isTrusted: Bool,
        wallClock: Int64,
        seconds: Int64
    ) throws {
        let journal = try journal()
        #expect(usageStore(journal, isClockTrusted: false).seconds(wallClock: wallClock) == wallClock)
        try journal.keep(Array(#"{"day":7,"bytes":{"wwan":500}}"#.utf8), as: DataUsageStore.name)
        let store = usageStore(journal, isClockTrusted: isTrusted)
        #expect(store.seconds(wallClock: wallClock) == seconds)
        // The bytes of the former process count on that day.
        var budget = ByteBudget(continuing: store.usage)
        let cost = LinkCost(account: "wwan", bytesPerDay: 1000)
        let left = budget.charge(1, to: cost, seconds: store.seconds(wallClock: wallClock)).left
        #expect(left == (seconds / 86_400 == 7 ? 499 : 999))
    }

    @Test func `a day beyond all time is no reason to stop the clock`() throws {
        let journal = try journal()
        try journal.keep(Array(#"{"day":9223372036854775807,"bytes":{}}"#.utf8), as: DataUsageStore.name)
        #expect(usageStore(journal, isClockTrusted: false).seconds(wallClock: 5) == 5)
    }

    @Test(arguments: [(false, Int64(20_000)), (true, 3)])
    func `an earlier day replaces a later one only by a trusted clock`(isTrusted: Bool, day: Int64) throws {
        let journal = try journal()
        let first = usageStore(journal)
        first.note(DataUsage(day: 20_000, bytes: ["wwan": 5]))
        #expect(first.finish(within: .seconds(30)))
        let second = usageStore(journal, isClockTrusted: isTrusted)
        second.note(DataUsage(day: 3, bytes: ["wwan": 1]))
        #expect(second.finish(within: .seconds(30)))
        #expect(usageStore(journal).usage?.day == day)
    }
}
