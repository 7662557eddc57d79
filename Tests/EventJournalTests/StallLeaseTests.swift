import Glibc
import Synchronization
import Testing

@testable import EventJournal

/// The lease of numbers that subscribers have received before the disk took their events.
@Suite struct StallLeaseTests {
    private let fixture: FixtureJournal
    private let directory: JournalDirectory
    private let presence = JournalPresence()

    init() throws {
        fixture = try FixtureJournal()
        directory = JournalDirectory(path: fixture.directory, system: ScriptedSystem().system)
    }

    @Test func `a lease keeps its first number, and is extended before its last one is used`() {
        let lease = StallLease(in: directory, isWritable: true, syncs: false, presence: presence)
        #expect(StallLease.read(in: directory) == nil)
        let generation = lease.begin(from: 5, through: 9, ahead: StallLease.step)
        #expect(StallLease.read(in: directory) == 5...9 + StallLease.step)
        lease.extend(beyond: 9 + StallLease.step / 2, in: generation)
        #expect(StallLease.read(in: directory) == 5...9 + StallLease.step)
        lease.extend(beyond: 10 + StallLease.step / 2, in: generation)
        #expect(StallLease.read(in: directory) == 5...10 + StallLease.step / 2 + StallLease.step)
        lease.end(generation)
        lease.clear()
        #expect(StallLease.read(in: directory) == nil)
        lease.extend(beyond: .max, in: generation)
        #expect(StallLease.read(in: directory) == nil)
    }

    @Test func `the end of a stall leaves the lease of the next one`() {
        let lease = StallLease(in: directory, isWritable: true, syncs: false, presence: presence)
        let first = lease.begin(from: 1, through: 1, ahead: 0)
        let second = lease.begin(from: 7, through: 8, ahead: 2)
        lease.end(first)
        lease.clear()
        lease.extend(beyond: 1 << 40, in: first)
        #expect(StallLease.read(in: directory) == 1...10)
        lease.end(second)
        lease.clear()
        #expect(StallLease.read(in: directory) == nil)
    }

    @Test func `a stall without numbers leases none, and one at the end no more than were used`() {
        let lease = StallLease(in: directory, isWritable: true, syncs: false, presence: presence)
        _ = lease.begin(from: 4, through: 3, ahead: 0)
        #expect(StallLease.read(in: directory) == nil)
        _ = lease.begin(from: 4, through: 5, ahead: StallLease.step)
        _ = lease.begin(from: 7, through: 6, ahead: 0)
        #expect(StallLease.read(in: directory) == 4...6)
    }

    @Test func `a directory that could not be written gets the file with the first stall`() throws {
        let lease = StallLease(in: directory, isWritable: false, syncs: false, presence: presence)
        #expect(try fixture.files.isEmpty)
        _ = lease.begin(from: 1, through: JournalRecord.maximumSequence, ahead: StallLease.step)
        #expect(StallLease.read(in: directory) == 1...JournalRecord.maximumSequence)
    }

    @Test func `a stall whose events could not be flushed is settled by the next flush`() throws {
        let lease = StallLease(in: directory, isWritable: true, syncs: false, presence: presence)
        lease.end(lease.begin(from: 1, through: 2, ahead: 0))
        let generation = try #require(lease.startSettling())
        #expect(lease.startSettling() == nil, "it is being flushed")
        lease.settle(generation, ifFlushed: false)
        #expect(StallLease.read(in: directory) == 1...2)
        lease.clear()
        #expect(StallLease.read(in: directory) == nil)
    }

    @Test func `a flush that succeeds after one that failed proves nothing about the events of before`() throws {
        let scripted = ScriptedSystem()
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        journal.append(FixtureJournal.records(1...3))
        let lease = journal.stallLease
        let generation = lease.begin(from: 1, through: 3, ahead: 0)
        scripted.with { $0.syncError = EIO }
        #expect(journal.flush(within: .seconds(60)))
        // The stall was found to be over before the failure was known.
        scripted.with { $0.syncError = 0 }
        journal.statusStore.needsNewSegment.store(false, ordering: .relaxed)
        lease.end(generation)
        journal.settleStall()
        #expect(journal.flush(within: .seconds(60)))
        #expect(StallLease.read(in: directory) == 1...3)
    }

    @Test func `a flush that ends during the next stall leaves its lease`() throws {
        let lease = StallLease(in: directory, isWritable: true, syncs: false, presence: presence)
        lease.end(lease.begin(from: 1, through: 2, ahead: 0))
        let former = try #require(lease.startSettling())
        let generation = lease.begin(from: 3, through: 4, ahead: 0)
        lease.settle(former, ifFlushed: true)
        #expect(StallLease.read(in: directory) == 1...4)
        lease.end(generation)
        lease.settle(former, ifFlushed: true)
        #expect(StallLease.read(in: directory) == 1...4)
    }
}

extension StallLease {
    /// Clears the lease if its stall is over, as after a flush.
    func clear() {
        if let generation = startSettling() { settle(generation, ifFlushed: true) }
    }
}
