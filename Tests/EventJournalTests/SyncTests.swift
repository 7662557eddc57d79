import AgentEvents
import AgentTestKit
import CClockStep
import Foundation
import Testing

@testable import EventJournal

/// The times at which written events are forced onto the disk.
@Suite struct SyncTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    private var syncs: Int { scripted.with { $0.syncs } }

    @Test func `each batch is synced before append returns with the policy always`() throws {
        let journal = try scripted.open(fixture) { $0.sync = .always }
        let before = syncs
        journal.append(FixtureJournal.records(1...10))
        #expect(syncs == before + 1)
        #expect(journal.status().lastSync != nil)
        journal.append([FixtureJournal.record(11)])
        #expect(syncs == before + 2)
    }

    @Test func `no batch is synced with the policy never`() async throws {
        let journal = try scripted.open(fixture) { $0.segmentBytes = 500 }
        let before = syncs
        journal.append([FixtureJournal.record(1, isUrgent: true)])
        journal.append(FixtureJournal.records(2...10))
        #expect(await journal.settle())
        #expect(await journal.shut())
        #expect(syncs == before)
        #expect(journal.status().lastSync == nil)
    }

    @Test func `an interval lets unimportant events wait`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        let before = syncs
        journal.append(FixtureJournal.records(1...10))
        journal.append(FixtureJournal.records(11...20))
        #expect(syncs == before)
        #expect(journal.status().lastSync == nil)
        #expect(await journal.settle())
        #expect(syncs == before + 1)
        #expect(journal.status().lastSync != nil)
        // Nothing was written since.
        #expect(await journal.settle())
        #expect(syncs == before + 1)
    }

    @Test(arguments: [false, true]) func `an urgent event is synced at once, others after the interval`(
        isUrgent: Bool
    ) async throws {
        let interval: Duration = isUrgent ? .seconds(3600) : .milliseconds(20)
        scripted.with { $0.isClockRunning = true }
        let journal = try scripted.open(fixture) { $0.sync = .interval(interval) }
        await withCheckedContinuation { continuation in
            scripted.with { state in
                state.whenSynced = { [scripted] in
                    scripted.with { $0.whenSynced = nil }
                    continuation.resume()
                }
            }
            journal.append([FixtureJournal.record(1, isUrgent: isUrgent)])
        }
        #expect(fixture.numbers == [1])
    }

    @Test(.timeLimit(.minutes(1)))
    func `an urgent event is synced at once, also when an earlier one is overdue`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3000)) }
        journal.append([FixtureJournal.record(1)])
        #expect(await journal.settle())
        let reads = DispatchSemaphore(value: 0)
        scripted.with { $0.whenClockRead = { reads.signal() } }
        journal.append([FixtureJournal.record(2)])
        // By this thread, and then by the other one, which sleeps from then on.
        for _ in 0..<2 { await onThread { reads.wait() } }
        // A suspend, during which the clock by which it sleeps has stopped.
        scripted.advance(.seconds(3001))
        await withCheckedContinuation { continuation in
            scripted.with { state in
                state.whenSynced = { [scripted] in
                    scripted.with { $0.whenSynced = nil }
                    continuation.resume()
                }
            }
            journal.append([FixtureJournal.record(3, isUrgent: true)])
        }
        #expect(fixture.numbers == [1, 2, 3])
    }

    @Test(.enabled(if: reachagent_can_set_clock_back(), "ThreadSanitizer has a sem_timedwait(3) of its own"))
    func `a wall clock that is set back delays no flush`() async {
        await #expect(processExitsWith: .success) {
            let (fixture, scripted) = (try FixtureJournal(), ScriptedSystem())
            scripted.with { $0.isClockRunning = true }
            let journal = try scripted.open(fixture) { $0.sync = .interval(.milliseconds(200)) }
            #expect(await journal.settle())
            // The timeout of a group is none of the wall clock.
            let flushed = DispatchGroup()
            flushed.enter()
            scripted.with { state in
                state.whenSynced = { [scripted] in
                    scripted.with { $0.whenSynced = nil }
                    flushed.leave()
                }
            }
            reachagent_set_clock_back(3600)
            journal.append([FixtureJournal.record(1)])
            #expect(await onThread { flushed.wait(timeout: .now() + 30) == .success })
            #expect(fixture.numbers == [1])
            #expect(await journal.shut())
        }
    }

    @Test func `each failure to sync replaces the segment, also when the one before failed`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .always }
        scripted.with { $0.syncError = EIO }
        for number in 1...2 as ClosedRange<UInt64> {
            journal.append([FixtureJournal.record(number)])
            #expect(await journal.settle())
        }
        scripted.advance(JournalWriter.replacementInterval)
        scripted.with { $0.syncError = 0 }
        journal.append([FixtureJournal.record(3)])
        #expect(await journal.settle())
        #expect(fixture.numbers == [1, 2, 3])
        #expect([1, 2, 3].allSatisfy { fixture.exists(SegmentName(firstSequence: $0).plain) })
        #expect(journal.takeConditions().map(\.code) == [.syncFailed, .resumed])
    }

    @Test(arguments: [SyncPolicy.always, .interval(.seconds(3600))])
    func `while every flush fails, segments are replaced at intervals and not with each event`(
        policy: SyncPolicy
    ) async throws {
        let journal = try scripted.open(fixture) { $0.sync = policy }
        scripted.with { $0.syncError = EIO }
        func append(_ numbers: ClosedRange<UInt64>) async {
            for number in numbers {
                journal.append([FixtureJournal.record(number, isUrgent: true)])
                #expect(await journal.settle())
            }
        }
        await append(1...50)
        scripted.advance(JournalWriter.replacementInterval - .milliseconds(1))
        await append(51...60)
        #expect(segments == [1, 2])
        scripted.advance(.milliseconds(1))
        await append(61...70)
        #expect(segments == [1, 2, 61])
        // The disk works again; the file whose flushes failed is replaced all the same.
        scripted.with { $0.syncError = 0 }
        await append(71...72)
        scripted.advance(JournalWriter.replacementInterval)
        await append(73...80)
        #expect(segments == [1, 2, 61, 73])
        #expect(fixture.numbers == Array(1...80))
        #expect(journal.takeConditions().map(\.code) == [.syncFailed, .resumed])
    }

    @Test func `while every flush fails for a day, segments are replaced at last once an hour`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .always }
        scripted.with { $0.syncError = EIO }
        for minute in 1...1440 as ClosedRange<UInt64> {
            journal.append([FixtureJournal.record(minute)])
            scripted.advance(.seconds(60))
        }
        #expect(segments.prefix(6) == [1, 2, 3, 5, 9, 17])
        #expect(segments.suffix(2) == [1325, 1385])
        #expect(segments.count == 30)
        #expect(fixture.numbers == Array(1...1440))
        #expect(await journal.shut())
    }

    /// The first numbers of the segments.
    private var segments: [UInt64] {
        fixture.segmentFiles.filter { $0.hasSuffix(".jsonl") }.compactMap { SegmentName(fileName: $0)?.firstSequence }
    }

    @Test(arguments: [SyncPolicy.always, .interval(.seconds(3600))])
    func `a disk that cannot sync is reported, and the segment is replaced`(policy: SyncPolicy) async throws {
        let journal = try scripted.open(fixture) { $0.sync = policy }
        journal.append([FixtureJournal.record(1)])
        scripted.with { $0.syncError = EIO }
        journal.append([FixtureJournal.record(2)])
        #expect(await journal.settle())
        #expect(journal.status().trouble?.code == .syncFailed)
        #expect(journal.status().trouble?.error == String(cString: strerror(EIO)))
        scripted.with { $0.syncError = 0 }
        journal.append([FixtureJournal.record(3)])
        #expect(await journal.settle())
        #expect(!journal.status().isDegraded)
        #expect(journal.takeConditions().map(\.code) == [.syncFailed, .resumed])
        #expect(fixture.numbers == [1, 2, 3])
        #expect(fixture.exists(SegmentName(firstSequence: 3).plain))
    }
}
