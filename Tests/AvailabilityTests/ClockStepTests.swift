import AgentEvents
import Availability
import Testing

/// Clocks that are set back, and runs of the agent that start with a wrong one.
@Suite
struct ClockStepTests {
    private static let up = Journal.path(.full)
    private static let down = Journal.path(.none, reason: "link_down")
    private static let day: Int64 = 86_400
    /// A clock without a battery: the start of 1970, and the build date of a system.
    private static let unset = -Journal.epoch
    private static let built = -500 * day
    /// A clock that is ahead.
    private static let ahead = 1000 * day

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The seconds of the window.
        var window: ClosedRange<Int64> = 0...1000
        var aliveUntil: Int64?
        /// The beginnings of the outages, and the seconds of each condition.
        let outages: [Int64]
        let seconds: [Condition: Int64]
        let events: @Sendable (inout Journal) -> Void
    }

    /// A run with an outage of 20 s every 100 s, the last event being that at 520.
    private static func outages(_ journal: inout Journal) {
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: up)
        for second in stride(from: Int64(100), through: 500, by: 100) {
            journal.path(at: second, from: up, to: down)
            journal.path(at: second + 20, from: down, to: up)
        }
    }

    private static func boot(_ journal: inout Journal, at second: Int64) {
        journal.start(at: second)
        journal.path(at: second + 3, from: Journal.path(.unknown), to: up)
    }

    private static let all: [Int64] = [100, 200, 300, 400, 500]

    static let cases: [Case] = [
        Case(
            testDescription: "a start in 1970",
            outages: all + [800],
            seconds: [.full: 520, .none: 200, .unknown(.clockNotSet): 280]
        ) {
            outages(&$0)
            boot(&$0, at: unset + 100)
            $0.path(at: 800, observed: 799, from: up, to: down)
            $0.path(at: 900, from: down, to: up)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a start at the build date",
            outages: all,
            seconds: [.full: 620, .none: 100, .unknown(.noData): 280]
        ) {
            outages(&$0)
            boot(&$0, at: built)
            $0.other(at: 800)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "the seconds before the clock was set, which count as those of their stamps",
            window: built...built + 1000,
            outages: [],
            seconds: [.full: 7, .unknown(.noProbe): 3, .unknown(.noData): 990]
        ) {
            outages(&$0)
            boot(&$0, at: built)
            $0.other(at: built + 10)
            $0.other(at: 800)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "several starts with a wrong clock",
            outages: all,
            seconds: [.full: 520, .none: 100, .unknown(.noData): 380]
        ) {
            outages(&$0)
            boot(&$0, at: built)
            boot(&$0, at: built)
            $0.stop(at: built + 30)
            boot(&$0, at: unset)
            boot(&$0, at: built)
            $0.other(at: 900)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a start at a date within the journal, whose earlier records stay",
            outages: all,
            seconds: [.full: 620, .none: 100, .unknown(.noData): 280]
        ) {
            outages(&$0)
            boot(&$0, at: 210)
            $0.other(at: 220)
            $0.other(at: 800)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a start between two earlier runs, whose clock is set after them",
            outages: all,
            seconds: [
                .full: 457, .none: 100, .unknown(.noProbe): 6, .unknown(.agentOff): 57, .unknown(.agentCrashed): 100,
                .unknown(.noData): 280,
            ]
        ) {
            outages(&$0)
            $0.stop(at: 540)
            boot(&$0, at: 600)
            $0.other(at: 620)
            // Its last event before the clock was set is that at 553.
            boot(&$0, at: 550)
            $0.other(at: 900)
            $0.start(at: 1000)
        },
        Case(
            testDescription: "a clock that is still not set",
            aliveUntil: unset + 300,
            outages: all,
            seconds: [.full: 420, .none: 100, .unknown(.noData): 480]
        ) {
            outages(&$0)
            boot(&$0, at: unset + 100)
        },
        Case(
            testDescription: "a clock that was set without an event since",
            aliveUntil: 900,
            outages: all,
            seconds: [.full: 420, .none: 100, .unknown(.clockNotSet): 380, .unknown(.noData): 100]
        ) {
            outages(&$0)
            boot(&$0, at: unset + 100)
        },
        Case(
            testDescription: "a build date without an event since",
            aliveUntil: 900,
            outages: all,
            seconds: [.full: 420, .none: 100, .unknown(.noData): 480]
        ) {
            outages(&$0)
            boot(&$0, at: built)
        },
        Case(
            testDescription: "a small step back in a run, whose repeated time is replaced",
            outages: [100, 200, 300, 400, 490],
            seconds: [.full: 900, .none: 100]
        ) {
            outages(&$0)
            $0.path(at: 490, from: up, to: down)
            $0.path(at: 510, from: down, to: up)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a step back to before the start of the run, which replaces only its own records",
            outages: all,
            seconds: [.full: 700, .none: 100, .unknown(.noData): 200]
        ) {
            outages(&$0)
            boot(&$0, at: 600)
            $0.path(at: 700, from: up, to: down)
            $0.path(at: 410, from: down, to: up)
            $0.other(at: 720)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a step back across a start",
            outages: all,
            seconds: [.full: 890, .none: 100, .unknown(.noData): 10]
        ) {
            outages(&$0)
            boot(&$0, at: 505)
            $0.other(at: 515)
            $0.other(at: 530)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a clock that is ahead for a run",
            outages: all,
            seconds: [.full: 820, .none: 100, .unknown(.agentCrashed): 80]
        ) {
            outages(&$0)
            boot(&$0, at: ahead)
            $0.path(at: ahead + 100, from: up, to: down)
            $0.other(at: ahead + 300)
            $0.start(at: 600)
            $0.path(at: 603, from: up, to: up)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "the records of a clock that was ahead, which stay where they are",
            window: ahead...ahead + 1000,
            outages: [ahead + 100],
            seconds: [.full: 97, .none: 200, .unknown(.noProbe): 3, .unknown(.noData): 700]
        ) {
            outages(&$0)
            boot(&$0, at: ahead)
            $0.path(at: ahead + 100, from: up, to: down)
            $0.other(at: ahead + 300)
            boot(&$0, at: 600)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a clock that was ahead at a start, and is set right in the run",
            outages: all,
            seconds: [.full: 820, .none: 100, .unknown(.agentCrashed): 80]
        ) {
            outages(&$0)
            boot(&$0, at: ahead)
            $0.path(at: ahead + 60, from: up, to: down)
            $0.path(at: 600, from: down, to: up)
            $0.other(at: 1000)
        },
        Case(
            testDescription: "a clock that falls back to 1970 in a run",
            outages: all,
            seconds: [.full: 620, .none: 100, .unknown(.clockNotSet): 280]
        ) {
            outages(&$0)
            $0.other(at: unset + 5)
            $0.other(at: 800)
            $0.other(at: 1000)
        },
    ]

    @Test(arguments: cases)
    func `no run erases what an earlier one recorded, and nothing counts twice`(example: Case) throws {
        var journal = Journal()
        example.events(&journal)
        let window = try Journal.window(example.window.lowerBound, example.window.upperBound)
        let account = journal.account(window, aliveUntil: example.aliveUntil)
        let path = try #require(account.subjects.first)
        var seconds: [Condition: Int64] = [:]
        for condition in Condition.allCases where path.tally[condition] > 0 {
            seconds[condition] = path.tally[condition] / 1_000_000
        }
        #expect(seconds == example.seconds)
        #expect(path.outages.map(\.begin) == example.outages.map(Journal.moment))
        #expect(path.tally.total == 1000 * 1_000_000)
    }

    /// A run that ends without a stop, with events after its clock was set.
    private static func powerLoss(_ journal: inout Journal, bootedAt second: Int64, then seconds: [Int64]) {
        boot(&journal, at: second)
        for second in seconds { journal.other(at: second) }
    }

    @Test(arguments: [0, unset + 40, built])
    func `losses of power count where the events before them are, whatever the time of the next boot`(
        boot: Int64
    ) throws {
        var journal = Journal()
        Self.powerLoss(&journal, bootedAt: 0, then: [50, 150])
        Self.powerLoss(&journal, bootedAt: boot == 0 ? 200 : boot, then: [250, 350])
        // Events that were lost with the power.
        journal.sequence += 5
        Self.powerLoss(&journal, bootedAt: boot == 0 ? 400 : boot, then: [450, 550])
        Self.powerLoss(&journal, bootedAt: boot == 0 ? 600 : boot, then: [1550])
        let coverage = journal.account(try Journal.window(0, 1000)).coverage
        #expect(coverage.crashes == 2 && coverage.missing == 5)
        #expect(coverage.clockSteps == (boot == 0 ? 0 : 3))
        let later = journal.account(try Journal.window(1000, 2000)).coverage
        #expect(later.crashes == 0 && later.missing == 0 && later.clockSteps == 0)
    }

    @Test(arguments: [unset + 40, built])
    func `boots with a wrong clock after the window are none of its irregularities`(boot: Int64) throws {
        var journal = Journal()
        Self.powerLoss(&journal, bootedAt: -100, then: [100, 900, 1100])
        for run in 0..<9 as Range<Int64> {
            Self.powerLoss(&journal, bootedAt: boot, then: [1200 + 50 * run, 1220 + 50 * run])
        }
        let coverage = journal.account(try Journal.window(0, 1000)).coverage
        #expect(coverage.clockSteps == 0 && coverage.repeated == 0 && coverage.crashes == 0)
        let later = journal.account(try Journal.window(1000, 2000)).coverage
        #expect(later.clockSteps == 9 && later.crashes == 9)
    }

    @Test
    func `events that are missing until the clock is set count where that is`() throws {
        var journal = Journal()
        Self.powerLoss(&journal, bootedAt: 0, then: [900])
        journal.stop(at: 1100)
        Self.boot(&journal, at: Self.unset + 40)
        journal.sequence += 3
        journal.other(at: 1200)
        #expect(journal.account(try Journal.window(0, 1000)).coverage.missing == 0)
        #expect(journal.account(try Journal.window(1000, 2000)).coverage.missing == 3)
    }

    @Test
    func `more records than can be set aside stay, and nothing counts until their time has passed`() throws {
        var journal = Journal()
        journal.start(at: 0)
        journal.path(at: 0, from: Journal.path(.unknown), to: Self.up)
        var second: Int64 = 10
        // Each run fills time before those of the runs before it.
        for run in (0..<4).reversed() as ReversedCollection<Range<Int64>> {
            second = 10_000 * run + 1000
            journal.start(at: second)
            for _ in 0..<400 {
                journal.path(at: second, from: Self.up, to: Self.down)
                journal.path(at: second + 1, from: Self.down, to: Self.up)
                second += 2
            }
        }
        journal.other(at: 50_000)
        journal.other(at: 60_000)
        let path = try #require(journal.account(try Journal.window(0, 60_000)).subjects.first)
        // Those of the run that was first, and of the one before it.
        #expect(path.outageCount == 800)
        #expect(zip(path.outages, path.outages.dropFirst()).allSatisfy { $0.end <= $1.begin })
        #expect(path.tally.total == 60_000 * 1_000_000)
    }
}
