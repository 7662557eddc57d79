import AgentEvents
import AgentTestKit
import Availability
import Foundation
import Testing

@testable import EventJournal
@testable import ReachAgent

/// The time that a report counts as known, by the agent of the journal.
@Suite struct ReportedJournalTests {
    private let temporary: TemporaryDirectory
    private let window: Window
    private var path: String { "\(temporary.path)/journal" }

    init() throws {
        temporary = try TemporaryDirectory()
        // It ends before the report is made, an hour after the last event.
        window = try #require(Window(from: Self.moment(-7200), to: Self.moment(-1), in: .utc))
    }

    private static let now = Timestamp.now

    private static func moment(_ second: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: now.microsecondsSince1970 + second * 1_000_000)
    }

    private static func record(_ number: UInt64, _ connectivity: Connectivity, at second: Int64) -> JournalRecord? {
        func state(_ connectivity: Connectivity) -> ReachabilityState {
            ReachabilityState(via: .wired, afStatus: 2, connectivity: connectivity, path: .init(Path(via: .wired)))
        }
        let change = StateChange(
            from: state(.unknown),
            to: state(connectivity),
            cause: ChangeCause(kind: "probe", code: "probe_up"),
            observed: moment(second)
        )
        let draft = EventDraft(.reachabilityChanged, subject: "default", .reachabilityChanged(change))
        let origin = EventOrigin(streamID: "abc", host: "edge-7")
        return JournalRecord(Event(draft, from: origin, at: moment(second), number: number))
    }

    private func opened(in directory: String) throws -> EventJournal {
        let journal = try EventJournal(opening: .init(directory: directory, sync: .never), now: { .now })
        journal.append([Self.record(1, .full, at: -7200), Self.record(2, .full, at: -3600)].compactMap(\.self))
        return journal
    }

    private struct Known: Equatable {
        var seconds: Int64
        var isDegraded = false
    }

    private func known(of directory: String) throws -> Known {
        let reported = ReportedJournal(path: directory, showsProgress: false, warn: { Issue.record("\($0)") })
        let account = try reported.account(of: window)
        let full = try #require(account.subjects.first).tally[.full]
        return Known(seconds: full / 1_000_000, isDegraded: account.coverage.isDegraded)
    }

    @Test func `the time until now is known only while the agent records its events`() throws {
        let journal = try opened(in: path)
        #expect(try known(of: path) == Known(seconds: 7199))
        #expect(journal.close(within: .seconds(30)))
        #expect(try known(of: path) == Known(seconds: 3600))
    }

    @Test func `a copy of a journal ends at its last event while the agent runs`() throws {
        let journal = try opened(in: path)
        let copy = "\(temporary.path)/copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try known(of: copy) == Known(seconds: 3600))
        #expect(try known(of: path) == Known(seconds: 7199))
        #expect(journal.close(within: .seconds(30)))
    }

    @Test func `the time after the last event is unknown while the agent cannot record`() throws {
        #expect(try opened(in: path).close(within: .seconds(30)))
        let presence = JournalPresence()
        presence.show(in: JournalDirectory(path: path, system: .real))
        #expect(try known(of: path) == Known(seconds: 7199))
        presence.note(isDegraded: true)
        #expect(try known(of: path) == Known(seconds: 3600, isDegraded: true))
        presence.end()
        #expect(try known(of: path) == Known(seconds: 3600))
    }
}
