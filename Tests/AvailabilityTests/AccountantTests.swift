import AgentEvents
import Availability
import Testing

@Suite
struct AccountantTests {
    private static let second: Int64 = 1_000_000

    private static func tally(_ journal: Journal, _ end: Int64, aliveUntil: Int64? = nil) throws -> Tally {
        let account = journal.account(try Journal.window(0, end), aliveUntil: aliveUntil)
        return try #require(account.subjects.first).tally
    }

    private static func running() -> Journal {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Journal.path(.full))
        return journal
    }

    @Test
    func `a crash ends at the last event`() throws {
        var journal = Self.running()
        journal.other(at: 40)
        journal.start(at: 70)
        journal.path(at: 70, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.other(at: 100)
        let tally = try Self.tally(journal, 100)
        #expect(tally[.full] == 70 * Self.second)
        #expect(tally[.unknown(.agentCrashed)] == 30 * Self.second)
        #expect(journal.account(try Journal.window(0, 100)).coverage.crashes == 1)
    }

    @Test
    func `the time between a stop and a start is the agent's`() throws {
        var journal = Self.running()
        journal.stop(at: 40)
        journal.start(at: 70)
        #expect(try Self.tally(journal, 100)[.unknown(.agentOff)] == 30 * Self.second)
    }

    @Test
    func `an agent that runs extends its last event, and one that may not does not`() throws {
        let journal = Self.running()
        #expect(try Self.tally(journal, 100)[.unknown(.noData)] == 100 * Self.second)
        #expect(try Self.tally(journal, 100, aliveUntil: 90)[.full] == 90 * Self.second)
    }

    @Test
    func `an agent that cannot record events leaves the time after the last one unknown`() throws {
        var journal = Self.running()
        journal.other(at: 40)
        let account = journal.account(try Journal.window(0, 100), isDegraded: true)
        let tally = try #require(account.subjects.first).tally
        #expect(tally[.full] == 40 * Self.second)
        #expect(tally[.unknown(.noData)] == 60 * Self.second)
        #expect(account.coverage.isDegraded)
        #expect(!journal.account(try Journal.window(0, 40), isDegraded: true).coverage.isDegraded)
        // It has started, and could not record that.
        journal.stop(at: 50)
        let restarted = journal.account(try Journal.window(0, 100), isDegraded: true)
        #expect(try #require(restarted.subjects.first).tally[.unknown(.noData)] == 50 * Self.second)
    }

    @Test
    func `an agent that has stopped does not extend its last event`() throws {
        var journal = Self.running()
        journal.stop(at: 40)
        let tally = try Self.tally(journal, 100, aliveUntil: 90)
        #expect(tally[.full] == 40 * Self.second)
        #expect(tally[.unknown(.agentOff)] == 60 * Self.second)
    }

    @Test
    func `a change counts from when it was observed`() throws {
        var journal = Self.running()
        journal.path(at: 50, observed: 45, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.other(at: 100)
        #expect(try Self.tally(journal, 100)[.full] == 45 * Self.second)
    }

    @Test
    func `a journal with a deleted beginning starts with the earlier state of its first change`() throws {
        var journal = Journal()
        journal.sequence = 500
        journal.other(at: 10)
        journal.path(at: 60, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.other(at: 100)
        let tally = try Self.tally(journal, 100)
        #expect(tally[.unknown(.noData)] == 10 * Self.second)
        #expect(tally[.full] == 50 * Self.second)
    }

    @Test
    func `a state that only its next change shows is also that of the time before suspends`() throws {
        var journal = Self.running()
        journal.other(at: 100)
        journal.sequence += 3
        journal.other(at: 200)
        for second in [2400, 4800] as [Int64] { journal.suspend(800, until: second) }
        journal.uplink("wwan0", at: 5000, from: .unknown, to: .full)
        journal.path(at: 7200, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.other(at: 7300)
        let subjects = journal.account(try Journal.window(0, 7300)).subjects
        #expect(subjects[0].tally[.full] == (7200 - 1600 - 100) * Self.second)
        #expect(subjects[0].tally[.unknown(.suspended)] == 1600 * Self.second)
        #expect(subjects[0].tally[.unknown(.noData)] == 100 * Self.second)
        #expect(subjects[0].tally[.none] == 100 * Self.second)
        // The first run, and the gap.
        #expect(subjects[1].tally[.unknown(.noData)] == 200 * Self.second)
        #expect(subjects[1].tally[.unknown(.noProbe)] == (5000 - 200 - 1600) * Self.second)
    }

    @Test
    func `a state that no change shows before events are missing again is not known, also before suspends`() throws {
        var journal = Self.running()
        journal.other(at: 10)
        journal.sequence += 3
        journal.other(at: 20)
        journal.suspend(10, until: 50)
        journal.sequence += 3
        journal.other(at: 60)
        journal.path(at: 80, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.other(at: 100)
        let tally = try Self.tally(journal, 100)
        #expect(tally[.full] == 30 * Self.second)
        #expect(tally[.unknown(.noData)] == 40 * Self.second)
    }

    @Test(
        "missing events cost the time around them, and the time after them only without a later state",
        arguments: [("nothing", 80), ("a change", 20), ("a start", 20 + 10), ("the states", 20)] as [(String, Int64)]
    )
    func missingEvents(_ follower: String, _ unknown: Int64) throws {
        var journal = Self.running()
        journal.other(at: 20)
        journal.sequence += 4
        journal.other(at: 40)
        // The checks succeed, and may do so while their probe is down for its latency.
        journal.summary("web", from: 40 - 3600, checks: 60, failed: 0, latency: 20_000)
        switch follower {
        case "a change": journal.path(at: 80, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        case "a start":
            journal.stop(at: 40)
            journal.start(at: 50)
            journal.path(at: 50, from: Journal.path(.full), to: Journal.path(.full))
        case "the states": journal.states(SettledStates(state: Journal.path(.full)), at: 50)
        default: break
        }
        journal.other(at: 100)
        #expect(try Self.tally(journal, 100).unknown == unknown * Self.second)
    }

    @Test
    func `numbers missing from a selection of events are not a gap`() throws {
        var journal = Self.running()
        journal.sequence += 40
        journal.path(at: 50, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.sequence += 40
        journal.other(at: 100)
        var accountant = Accountant(window: try Journal.window(0, 100), numbering: .selected)
        for event in journal.events { accountant.add(event) }
        let account = accountant.account()
        #expect(account.subjects[0].tally[.full] == 50 * Self.second)
        #expect(account.subjects[0].tally[.none] == 50 * Self.second)
        #expect(account.coverage.missing == 0)
    }

    @Test
    func `a change of a selection that does not begin with the known state makes the time before it unknown`() throws {
        var journal = Self.running()
        journal.path(at: 20, from: Journal.path(.full), to: Journal.path(.partial))
        journal.path(at: 60, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.other(at: 100)
        var accountant = Accountant(window: try Journal.window(0, 100), numbering: .selected)
        for event in journal.events { accountant.add(event) }
        let tally = accountant.account().subjects[0].tally
        #expect(tally[.full] == 20 * Self.second)
        #expect(tally[.unknown(.noData)] == 40 * Self.second)
        #expect(tally[.none] == 40 * Self.second)
    }

    @Test(
        "irregularities count only in the window, although events before and after it are added",
        arguments: [(0, 200, 0, 0, 0), (150, 350, 1, 0, 1), (450, 480, 0, 1, 1), (600, 700, 0, 0, 0)]
            as [(Int64, Int64, Int, UInt64, Int)]
    )
    func irregularities(_ start: Int64, _ end: Int64, _ crashes: Int, _ missing: UInt64, _ steps: Int) throws {
        var journal = Self.running()
        journal.other(at: 300)
        journal.start(at: 400)
        journal.sequence += 1
        journal.other(at: 500)
        journal.other(at: 300)
        journal.other(at: 800)
        let coverage = journal.account(try Journal.window(start, end)).coverage
        #expect(coverage.crashes == crashes)
        #expect(coverage.missing == missing)
        #expect(coverage.clockSteps == steps)
        #expect(coverage.repeated == Int64(steps) * 200 * Self.second)
    }

    @Test
    func `a probe without a verdict was not checked, and no data is missing`() throws {
        var journal = Self.running()
        journal.probe("web", at: 10, from: "unknown", to: "up")
        journal.probe("web", at: 40, from: "up", to: "unknown", code: "budget_exhausted")
        journal.other(at: 100)
        let subjects = journal.account(try Journal.window(0, 100)).subjects
        let tally = try #require(subjects.map(\.tally).first { $0[.unknown(.notChecked)] > 0 })
        #expect(tally[.full] == 30 * Self.second)
        #expect(tally[.unknown(.notChecked)] == 70 * Self.second)
        #expect(!tally.lacksVerdicts)
    }

    @Test
    func `the time before the clock was set is unknown`() throws {
        var journal = Journal()
        journal.start(at: -Journal.epoch)
        journal.path(at: 5 - Journal.epoch, from: Journal.path(.unknown), to: Journal.path(.full))
        journal.other(at: 60)
        journal.other(at: 100)
        let tally = try Self.tally(journal, 100)
        #expect(tally[.unknown(.clockNotSet)] == 60 * Self.second)
        #expect(tally[.full] == 40 * Self.second)
    }

    @Test
    func `a clock that was ahead for a while has no lasting effect`() throws {
        var journal = Self.running()
        journal.path(at: 1_000_000, from: Journal.path(.full), to: Journal.path(.none, reason: "link_down"))
        journal.path(at: 50, from: Journal.path(.none, reason: "link_down"), to: Journal.path(.full))
        journal.other(at: 100)
        let account = journal.account(try Journal.window(0, 100))
        #expect(account.subjects.first?.tally[.full] == 100 * Self.second)
        #expect(account.coverage.clockSteps == 1)
        #expect(account.coverage.repeated == 999_950 * Self.second)
    }

    @Test
    func `a suspend of absurd length is cut, and no number overflows`() throws {
        var journal = Self.running()
        journal.suspend(.max / 1000, until: 50)
        journal.other(at: 100)
        let tally = try Self.tally(journal, 100)
        #expect(tally[.unknown(.suspended)] == 50 * Self.second)
        #expect(tally.total == 100 * Self.second)
    }

    @Test
    func `ten thousand changes are counted, and the list of outages is bounded`() throws {
        var journal = Self.running()
        for second in 0..<Int64(12_000) {
            let (up, down) = (Journal.path(.full), Journal.path(.none, reason: "link_down"))
            journal.path(at: 10 + 2 * second, from: up, to: down)
            journal.path(at: 11 + 2 * second, from: down, to: up)
        }
        journal.other(at: 30_000)
        let path = try #require(journal.account(try Journal.window(0, 30_000)).subjects.first)
        #expect(path.outageCount == 12_000)
        #expect(path.outages.count == 10_000)
        #expect(path.tally.unavailable == 12_000 * Self.second)
        #expect(path.meanTimeToRepair == Self.second)
        #expect(path.meanTimeBetweenFailures == 1_500_000)
    }

    @Test
    func `suspends do not multiply the listed outages by the number of uplinks`() throws {
        var journal = Self.running()
        for uplink in 0..<256 { journal.uplink("eth\(uplink)", at: 1, from: .full, to: .none, reason: "no_address") }
        for number in 1...400 as ClosedRange<Int64> { journal.suspend(1, until: 10 * number) }
        journal.other(at: 5000)
        let subjects = journal.account(try Journal.window(0, 5000)).subjects
        #expect(subjects.reduce(0) { $0 + $1.outages.count } <= 100_000)
        let uplink = try #require(subjects.last)
        #expect(uplink.outages.count == 100_000 / 257)
        #expect(uplink.outageCount == 401)
        #expect(uplink.tally.unavailable == (4999 - 400) * Self.second)
        #expect(uplink.unavailableBySegment == [.machine: uplink.tally.unavailable])
    }

    @Test(arguments: [0, 100] as [Int64])
    func `time that turns out to be unknown is replaced, also far behind the newest change`(_ changes: Int64) throws {
        var journal = Self.running()
        let (up, down) = (Journal.path(.full), Journal.path(.none, reason: "link_down"))
        for second in 0..<changes {
            journal.path(at: 100 + 2 * second, from: up, to: down)
            journal.path(at: 101 + 2 * second, from: down, to: up)
        }
        journal.other(at: 1000)
        var accountant = Accountant(window: try Journal.window(0, 1000), numbering: .selected)
        for event in journal.events { accountant.add(event) }
        accountant.obscure(from: Journal.moment(20), to: Journal.moment(50), before: 3)
        let tally = try #require(accountant.account().subjects.first).tally
        #expect(tally.total == 1000 * Self.second)
        #expect(tally.unavailable == changes * Self.second)
        // Without a later change, the state after the lost events is unknown as well.
        #expect(tally.unknown == (changes > 0 ? 30 : 980) * Self.second)
    }
}
