import AgentTestKit
import Foundation
import Testing

@testable import EventJournal

/// The agent of a journal, as readers see it.
@Suite struct JournalPresenceTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    private var activity: JournalActivity { get throws { try fixture.reader.activity } }

    @Test func `an open journal is recorded until it is closed`() async throws {
        #expect(try activity == .none)
        let journal = try scripted.open(fixture)
        #expect(try activity == .recording)
        journal.append(FixtureJournal.records(1...2))
        #expect(try activity == .recording)
        #expect(await journal.shut())
        #expect(try activity == .none)
    }

    @Test func `the process of an agent is known while it has the journal`() async throws {
        #expect(JournalReader.writer(of: fixture.directory) == nil)
        let journal = try scripted.open(fixture)
        #expect(JournalReader.writer(of: fixture.directory) == getpid())
        #expect(await journal.shut())
        #expect(JournalReader.writer(of: fixture.directory) == nil)
    }

    @Test(arguments: [ENOSPC, EIO, EDQUOT, EROFS])
    func `a journal that cannot be written is degraded until it is written again`(error: Int32) throws {
        let journal = try scripted.open(fixture)
        scripted.with {
            $0.room = 0
            $0.writeError = error
        }
        journal.append([FixtureJournal.record(1)])
        #expect(try activity == .degraded)
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(2)])
        #expect(fixture.numbers == [1, 2])
        #expect(try activity == .recording)
    }

    @Test func `a journal that only cannot be flushed is recorded`() throws {
        let journal = try scripted.open(fixture) { $0.sync = .always }
        scripted.with { $0.syncError = EIO }
        journal.append([FixtureJournal.record(1)])
        #expect(journal.status().isDegraded)
        #expect(try activity == .recording)
    }

    @Test func `a journal that starts without a writable lease is degraded`() throws {
        try fixture.write("lock", [])
        scripted.with { $0.openError = EROFS }
        let journal = try scripted.open(fixture)
        #expect(journal.status().isDegraded)
        #expect(try activity == .degraded)
    }

    @Test func `a stall is shown until the last one is over, whatever it flushes`() throws {
        let presence = JournalPresence()
        let directory = JournalDirectory(path: fixture.directory, system: scripted.system)
        presence.show(in: directory)
        let lease = StallLease(in: directory, isWritable: true, syncs: false, presence: presence)
        #expect(try activity == .recording)
        let first = lease.begin(from: 1, through: 1, ahead: 0)
        let second = lease.begin(from: 2, through: 2, ahead: 0)
        lease.end(first)
        lease.clear()
        #expect(try activity == .degraded)
        lease.end(second)
        #expect(try activity == .recording)
        #expect(StallLease.read(in: directory) == 1...2)
    }

    @Test func `a journal that is both degraded and stalled is recorded only after both`() throws {
        let presence = JournalPresence()
        presence.show(in: JournalDirectory(path: fixture.directory, system: scripted.system))
        presence.note(isDegraded: true)
        presence.note(isStalled: true)
        presence.note(isDegraded: false)
        #expect(try activity == .degraded)
        presence.note(isStalled: false)
        #expect(try activity == .recording)
    }

    @Test func `a copy of a journal has no agent, and one that was moved has its own`() throws {
        let journal = try scripted.open(fixture)
        journal.append([FixtureJournal.record(1)])
        let copy = try fixture.crashed()
        #expect(try copy.reader.activity == .none)
        let elsewhere = try TemporaryDirectory()
        let moved = "\(elsewhere.path)/journal"
        try FileManager.default.moveItem(atPath: fixture.directory, toPath: moved)
        #expect(try JournalReader(directory: moved).activity == .recording)
        scripted.advance(.seconds(1))
        journal.append([FixtureJournal.record(2)])
        #expect(try JournalReader(directory: moved).activity == .none)
        #expect(try activity == .recording)
    }

    @Test func `a lock of another program on the journal's files is no agent`() async throws {
        try fixture.write("lock", [])
        let input = Pipe()
        let holder = try CommandLines(
            "exec flock \(fixture.directory) flock \(fixture.directory)/lock sh -c 'echo held; read -r line'",
            input: input
        )
        #expect(await holder.next() == "held")
        #expect(try activity == .none)
        try input.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
        #expect(await holder.status() == 0)
    }

    @Test func `a closed journal has no agent although a child still has a copy of the descriptor`() async throws {
        let journal = try scripted.open(fixture)
        let path = fixture.directory
        let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        let copy = dup(try #require(held))
        defer { close(copy) }
        #expect(await journal.shut())
        #expect(try activity == .none)
    }
}
