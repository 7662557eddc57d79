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

    @Test(arguments: [0, 1, 89, 90])
    func `a device that starts in 1970 has days, as many as there were`(day: Int64) throws {
        let now = Timestamp(microsecondsSince1970: (day * Self.day + 10) * 1_000_000)
        for civilTime in [CivilTime.utc, CivilTime { _ in 14 * 3600 }, CivilTime { _ in -12 * 3600 }] {
            let recent = try #require(RecentAvailability(at: now, in: civilTime))
            #expect(recent.start.microsecondsSince1970 >= 0 && recent.end > now)
        }
    }

    @Test
    func `today and thirty days have the shares of the default path and of each uplink`() throws {
        var journal = Journal()
        journal.start(at: 0)
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
        journal.start(at: 0)
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
    func `a calendar has 90 days, of which those before the journal have no data`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        let down = Journal.path(.none, reason: "link_down")
        journal.path(at: 2 * Self.day + 600, from: Journal.path(.full), to: down)
        journal.path(at: 2 * Self.day + 1200, from: down, to: Journal.path(.full))
        let now = 3 * Self.day + 100
        let calendar = try #require(Self.recent(journal, at: now).calendars(at: Journal.moment(now)).first)
        #expect(calendar.uplink == nil && calendar.days.count == 90)
        #expect(calendar.days.last?.date == CivilTime.utc.day(of: Journal.moment(now)))
        #expect(calendar.days.dropLast(4).allSatisfy { $0.known == 0 && $0.share == nil })
        #expect(calendar.days.suffix(4).map(\.outages) == [0, 0, 600_000_000, 0])
        #expect(calendar.days.last?.known == 100_000_000)
        #expect(calendar.outageCount == 1 && calendar.longest?.duration == 600_000_000)
        #expect(calendar.longest?.attribution.segment == .wifi)
        #expect(calendar.share?.percent == "99.768")
    }

    @Test
    func `a calendar counts more outages than are listed, and has the longest of all`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        let down = Journal.path(.none, reason: "link_down")
        for second in stride(from: 10, to: 24_010, by: 2) as StrideTo<Int64> {
            journal.path(at: second, from: Journal.path(.full), to: down)
            journal.path(at: second + 1, from: down, to: Journal.path(.full))
        }
        journal.path(at: 50_000, from: Journal.path(.full), to: down)
        journal.path(at: 53_600, from: down, to: Journal.path(.full))
        let now = Self.day + 100
        let calendar = try #require(Self.recent(journal, at: now).calendars(at: Journal.moment(now)).first)
        #expect(calendar.outageCount == 12_001)
        #expect(calendar.longest?.duration == 3_600_000_000)
        #expect(calendar.longest?.begin == Journal.moment(50_000))
    }

    @Test
    func `an outage that ended before the 90 days is in no calendar`() throws {
        var journal = Journal()
        journal.start(at: 0)
        let down = Journal.path(.none, reason: "link_down")
        journal.path(at: 0, from: Journal.path(.unknown), to: down)
        journal.path(at: 600, from: down, to: Journal.path(.full))
        let recent = try Self.recent(journal, at: 5)
        let later = try #require(recent.calendars(at: Journal.moment(600)).first)
        #expect(later.outageCount == 1)
        // The same value is used for a month: its first days are older than 90 days by then.
        let old = try #require(recent.calendars(at: Journal.moment(30 * Self.day)).first)
        #expect(old.days.count == 90 && old.outageCount == 1)
        var aged = try #require(RecentAvailability(at: Journal.moment(89 * Self.day), in: .utc))
        for event in journal.events { aged.add(event) }
        #expect(aged.calendars(at: Journal.moment(89 * Self.day)).first?.outageCount == 1)
        #expect(aged.calendars(at: Journal.moment(91 * Self.day)).first?.outageCount == 0)
    }

    @Test(arguments: [(1, 3, "33.333"), (0, 1, "0.000"), (999_999, 1_000_000, "99.999"), (7, 7, "100.000")])
    func `per cent never reach 100 by rounding`(_ available: Int64, _ known: Int64, _ percent: String) {
        let share = AgentStatus.Availability.Share(availableMicroseconds: available, knownMicroseconds: known)
        #expect(share.percent == percent)
        #expect(AgentStatus.Availability.Share(availableMicroseconds: 0, knownMicroseconds: 0).percent == nil)
    }

    @Test
    func `a loss of the path without a probe is an outage, and no availability of 0 per cent`() throws {
        var journal = Journal()
        journal.start(at: 0)
        let down = Journal.path(.none, reason: "link_down")
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.unknown))
        journal.path(at: 1000, from: Journal.path(.unknown), to: down)
        journal.path(at: 1300, from: down, to: Journal.path(.unknown))
        let recent = try Self.recent(journal, at: 5000)
        let entry = try #require(recent.entries(at: Journal.moment(5000)).first)
        #expect(entry.today.known == 0 && entry.recent.known == 0)
        let calendar = try #require(recent.calendars(at: Journal.moment(5000)).first)
        #expect(calendar.share == nil && calendar.days.last?.share == nil)
        #expect(calendar.outageCount == 1)
        #expect(calendar.days.last?.outages == 300_000_000)
        // A verdict makes the time known, with the losses before it.
        journal.path(at: 5000, from: Journal.path(.unknown), to: Journal.path(.full))
        let judged = try Self.recent(journal, at: 5700).entries(at: Journal.moment(5700)).first
        #expect(judged?.today.available == 700_000_000)
        #expect(judged?.today.known == 1_000_000_000)
    }

    @Test
    func `a day of nothing but an outage and a moment without a verdict has 0 per cent`() throws {
        var journal = Journal()
        let down = Journal.path(.none, reason: "link_down")
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.path(at: Self.day, from: Journal.path(.full), to: down)
        journal.path(at: Self.day + 100, from: down, to: Journal.path(.unknown))
        journal.path(at: Self.day + 105, from: Journal.path(.unknown), to: down)
        let now = 2 * Self.day - 1
        let recent = try Self.recent(journal, at: now)
        let entry = try #require(recent.entries(at: Journal.moment(now)).first)
        #expect(entry.today.available == 0 && entry.today.known == (Self.day - 6) * 1_000_000)
        let calendar = try #require(recent.calendars(at: Journal.moment(now)).first)
        #expect(calendar.days.last?.share?.percent == "0.000")
        #expect(calendar.share?.percent == "50.001")
    }

    @Test
    func `a day without a path and without a probe before it has no share`() throws {
        var journal = Journal()
        let (path, down) = (Journal.path(.unknown), Journal.path(.none, reason: "link_down"))
        journal.start(at: 0)
        journal.path(at: 0, from: path, to: path)
        journal.path(at: Self.day - 1000, from: path, to: down)
        let recent = try Self.recent(journal, at: 2 * Self.day + 1000)
        let calendar = try #require(recent.calendars(at: Journal.moment(2 * Self.day + 1000)).first)
        #expect(calendar.days.suffix(3).map { $0.share?.percent } == [nil, nil, nil])
        #expect(calendar.days.suffix(3).map(\.outages) == [1_000_000_000, Self.day * 1_000_000, 1_000_000_000])
        let entry = try #require(recent.entries(at: Journal.moment(2 * Self.day + 1000)).first)
        #expect(entry.today.known == 0 && entry.recent.known == 0)
    }

    @Test
    func `a day before the first probe has no share, and the days after it have theirs`() throws {
        var journal = Journal()
        let (path, down) = (Journal.path(.unknown), Journal.path(.none, reason: "link_down"))
        journal.start(at: 0)
        journal.path(at: 0, from: path, to: path)
        journal.path(at: 1000, from: path, to: down)
        journal.path(at: 1300, from: down, to: path)
        journal.path(at: Self.day, from: path, to: Journal.path(.full))
        let now = Self.day + 700
        let recent = try Self.recent(journal, at: now)
        let calendar = try #require(recent.calendars(at: Journal.moment(now)).first)
        #expect(calendar.days.suffix(2).map { $0.share?.percent } == [nil, "100.000"])
        #expect(calendar.days.suffix(2).map(\.outages) == [300_000_000, 0])
        // Of a time with a verdict in it, the losses are known.
        #expect(calendar.share?.percent == "70.000")
        let entry = try #require(recent.entries(at: Journal.moment(now)).first)
        #expect(entry.today.known == 700_000_000 && entry.today.available == 700_000_000)
        #expect(entry.recent.known == 1_000_000_000 && entry.recent.available == 700_000_000)
    }
}
