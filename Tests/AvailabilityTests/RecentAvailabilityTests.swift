import AgentEvents
import Availability
import Testing

@Suite
struct RecentAvailabilityTests {
    private static let day: Int64 = 86_400

    private static func recent(_ journal: Journal, at second: Int64) throws -> RecentAvailability {
        var recent = try #require(RecentAvailability(at: Journal.moment(second), in: .utc))
        for event in journal.events { recent.add(event) }
        return recent
    }

    @Test
    func `today and thirty days have the shares of the default path and of each uplink`() throws {
        var journal = Journal()
        try journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.uplink("wwan0", at: 0, from: .unknown, to: .full)
        let down = Journal.path(.none, reason: "link_down")
        journal.path(at: 10 * Self.day, from: Journal.path(.full), to: down)
        journal.path(at: 11 * Self.day, from: down, to: Journal.path(.full))
        journal.path(at: 40 * Self.day + 100, from: Journal.path(.full), to: down)
        journal.path(at: 40 * Self.day + 300, from: down, to: Journal.path(.full))
        let now = 40 * Self.day + 1000
        let entries = try Self.recent(journal, at: now).entries(at: Journal.moment(now))
        #expect(entries.map(\.subject.name) == ["default", "wwan0"])
        let path = try #require(entries.first)
        #expect(path.today.known == 1_000_000_000)
        #expect(path.today.available == 800_000_000)
        // The outage of day 10 is more than 30 days ago.
        #expect(path.recent.known == (29 * Self.day + 1000) * 1_000_000)
        #expect(path.recent.known - path.recent.available == 200_000_000)
        #expect(entries.last?.today.available == 1_000_000_000)
    }

    @Test
    func `days pass without a new value, and each has its own share`() throws {
        var journal = Journal()
        try journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        let recent = try Self.recent(journal, at: 5)
        for day in 0..<30 as Range<Int64> {
            let now = Journal.moment(day * Self.day + 60)
            #expect(now < recent.end)
            #expect(recent.entries(at: now).first?.today.known == 60_000_000)
        }
        #expect(!(Journal.moment(31 * Self.day) < recent.end))
    }

    @Test
    func `a beginning that older events may tell is named`() throws {
        var journal = Journal()
        try journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.other(at: 60 * Self.day)
        #expect(!(try Self.recent(journal, at: 60 * Self.day).lacksBeginning))
        journal.events.removeFirst(2)
        #expect(try Self.recent(journal, at: 60 * Self.day).lacksBeginning)
    }

    @Test(arguments: [(1, 3, "33.333"), (0, 1, "0.000"), (999_999, 1_000_000, "99.999"), (7, 7, "100.000")])
    func `per cent never reach 100 by rounding`(_ available: Int64, _ known: Int64, _ percent: String) {
        let share = AgentStatus.Availability.Share(availableMicroseconds: available, knownMicroseconds: known)
        #expect(share.percent == percent)
        #expect(AgentStatus.Availability.Share(availableMicroseconds: 0, knownMicroseconds: 0).percent == nil)
    }
}
