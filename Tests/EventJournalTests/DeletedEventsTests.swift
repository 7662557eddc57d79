import AgentEvents
import Foundation
import Testing

@testable import EventJournal

/// A journal whose segments were all deleted while no agent ran.
@Suite struct DeletedEventsTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    /// Writes events, closes the journal, and deletes all files of its segments.
    private func deletedJournal() async throws -> String {
        let journal = try scripted.open(fixture)
        journal.append(FixtureJournal.records(1...5))
        #expect(await journal.shut())
        for name in fixture.segmentFiles { try fixture.remove(name) }
        return journal.streamID
    }

    @Test func `numbers that begin again belong to a stream with another name`() async throws {
        let former = try await deletedJournal()
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 1)
        #expect(journal.streamID != former)
        #expect(try fixture.contents("stream") == Array("\(journal.streamID)\n".utf8))
        #expect(
            journal.status().repairs == ["gave the stream a new name: there are no events of the former one"]
        )
    }

    @Test func `the name stays where the lease has the numbers`() async throws {
        let former = try await deletedJournal()
        try fixture.write("lease", JournalLease.text(6...20))
        let journal = try scripted.open(fixture)
        #expect(journal.nextSequence == 21)
        #expect(journal.streamID == former)
        #expect(journal.status().repairs.isEmpty)
    }

    @Test(arguments: [true, false])
    func `numbers continue after the copies of deleted segments`(hasIndex: Bool) async throws {
        try fixture.write(1, FixtureJournal.lines(1...50))
        try fixture.write(51, FixtureJournal.lines(51...60))
        var journal: EventJournal? = try scripted.open(fixture) { $0.totalBytes = 1 }
        #expect(await journal?.settle() == true)
        #expect(await journal?.shut() == true)
        journal = nil
        for name in fixture.segmentFiles { try fixture.remove(name) }
        if !hasIndex { try fixture.remove("history/\(SegmentName(firstSequence: 1).index)") }
        let next = try scripted.open(fixture)
        #expect(next.nextSequence == 51)
        next.append([FixtureJournal.record(51)])
        var cursor = try JournalReader(directory: fixture.directory, includesHistory: true).events()
        let chunk = try cursor.next(atMost: 1 << 20)
        #expect(chunk?.lines.map(\.sequence) == [50, 51])
        #expect(chunk?.missing == [])
    }
}
