import AgentEvents
import Availability
import Testing

/// The end of an outage that an event states, although nothing is known of the time after it.
@Suite struct OutageEndingTests {
    private static let (full, down) = (Journal.path(.full), Journal.path(.none, reason: "link_down"))

    private static func inOutage() -> Journal {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 1, from: Journal.path(.unknown), to: full)
        journal.path(at: 100, from: full, to: down)
        return journal
    }

    private static func endings(_ journal: Journal, until end: Int64 = 1000, aliveUntil: Int64? = nil) throws
        -> [Outage.Ending]
    {
        let account = journal.account(try Journal.window(0, end), aliveUntil: aliveUntil)
        return try #require(account.subjects.first).outages.map(\.ending)
    }

    @Test(arguments: [("nothing", false, false), ("a stop", true, false), ("a crash", false, true)])
    func `an outage whose recovery is the last event has recovered`(_: String, stops: Bool, restarts: Bool) throws {
        var journal = Self.inOutage()
        journal.path(at: 200, from: Self.down, to: Self.full)
        if stops { journal.stop(at: 200) }
        if restarts { journal.start(at: 300) }
        #expect(try Self.endings(journal) == [.recovered])
        for end: Int64 in [150, 200] { #expect(try Self.endings(journal, until: end) == [.windowEnd]) }
    }

    @Test
    func `an outage after which another state is unknown has not`() throws {
        var journal = Self.inOutage()
        journal.other(at: 150)
        #expect(try Self.endings(journal) == [.unknown(.noData)])
        journal.path(at: 200, from: Self.down, to: Journal.path(.unknown))
        #expect(try Self.endings(journal, aliveUntil: 1000) == [.unknown(.noProbe)])
        journal = Self.inOutage()
        journal.stop(at: 200)
        #expect(try Self.endings(journal) == [.unknown(.agentOff)])
    }

    @Test
    func `an outage that goes on at the moment of its recovery is a single one`() throws {
        var journal = Self.inOutage()
        journal.path(at: 200, from: Self.down, to: Self.full)
        journal.path(at: 200, from: Self.full, to: Self.down)
        journal.path(at: 300, from: Self.down, to: Self.full)
        #expect(try Self.endings(journal, aliveUntil: 1000) == [.recovered])
    }

    @Test
    func `a recovery that a clock set back has undone does not end an outage`() throws {
        var journal = Self.inOutage()
        journal.path(at: 200, from: Self.down, to: Self.full)
        journal.path(at: 150, from: Self.full, to: Self.down)
        journal.stop(at: 170)
        #expect(try Self.endings(journal) == [.unknown(.agentOff)])
    }
}
