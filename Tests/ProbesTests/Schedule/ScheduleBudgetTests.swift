import AgentTestKit
import Testing

@testable import Probes

@Suite struct ScheduleBudgetTests {
    private static let day: Int64 = 86_400

    @Test func `when the day's bytes are used up there is no check until the next day`() {
        var run = SimulatedSchedule()
        run.seconds = 20_000 * Self.day
        run.report = SimulatedSchedule.report(bytes: 4000)
        run.setProbes([.sample("web", cost: LinkCost(account: "wwan", bytesPerDay: 10_000))])
        run.run(until: .seconds(600))
        #expect(run.begun.count == 3)
        let refused = run.completed.dropFirst(3)
        #expect(refused.count >= 6)
        for check in refused {
            #expect(check.report.verdict == .unknown(.budgetExhausted, .connect))
            #expect(check.report.findings.first?.subject == "wwan")
            #expect(check.report.findings.first?.evidence.contains("12000") == true)
            #expect(check.report.findings.first?.evidence.contains("10000") == true)
        }
        #expect(run.schedule.statistics(seconds: run.seconds).refused == UInt64(refused.count))
        #expect(run.schedule.statistics(seconds: run.seconds).bytes == ["wwan": 12_000])
        #expect(run.schedule.underWay == 0)

        run.seconds += Self.day
        run.run(until: .seconds(900))
        #expect(run.begun.count == 6)
        // A clock that is set back over midnight gives nothing twice; one that was set right from 1970 counts anew.
        run.seconds -= Self.day
        run.run(until: .seconds(1200))
        #expect(run.begun.count == 6)
        run.seconds += 1000 * Self.day
        run.run(until: .seconds(1500))
        #expect(run.begun.count == 9)
    }

    @Test(arguments: [0, 20_000]) func `bytes that an earlier process used count on its day`(firstDay: Int64) {
        // A clock without a battery starts in 1970, and is set right later.
        var budget = ByteBudget(continuing: DataUsage(day: 20_000, bytes: ["wwan": 900]))
        let cost = LinkCost(account: "wwan", bytesPerDay: 1000)
        budget.update(seconds: firstDay * Self.day + 5)
        budget.update(seconds: 20_000 * Self.day + 10)
        #expect(budget.refusal(cost) == nil)
        #expect(budget.takeChange() == DataUsage(day: 20_000, bytes: ["wwan": 900]))
        #expect(budget.takeChange() == nil)
        budget.use(100, of: "wwan")
        #expect(budget.refusal(cost)?.code == .budgetExhausted)
        #expect(budget.takeChange() == DataUsage(day: 20_000, bytes: ["wwan": 1000]))
        budget.update(seconds: 20_001 * Self.day)
        #expect(budget.refusal(cost) == nil)
        budget.update(seconds: 20_000 * Self.day)
        #expect(budget.used.isEmpty)
    }

    @Test(
        arguments: [
            ([2], [1000, 990, 1000]), ([400], [1000, 1000, 1000]), ([2, 400], [1000, 990, 1000]),
            ([400, 2], [1000, 990, 1000]),
            // Set back by one day, a clock stays on the later one.
            ([-20_000, 3, 2], [1000, 1000, 980]), ([1], [989, 1000, 1000]),
        ] as [([Int64], [Int])]
    )
    func `a clock that was wrong for a while does not grant the day's budget twice`(wrong: [Int64], following: [Int]) {
        var budget = ByteBudget()
        let cost = LinkCost(account: "wwan", bytesPerDay: 1000)
        let today = 20_000 * Self.day
        _ = budget.charge(1000, to: cost, seconds: today)
        for days in wrong { _ = budget.charge(10, to: cost, seconds: today + days * Self.day) }
        let (left, usage) = budget.charge(1, to: cost, seconds: today)
        // A clock that is set back by one day stays on the later one.
        let staysLater = wrong == [1]
        #expect(left == (staysLater ? 989 : 0))
        #expect(usage == DataUsage(day: staysLater ? 20_001 : 20_000, bytes: ["wwan": staysLater ? 11 : 1001]))
        // Each day that follows has what was used on it, and no more.
        let lefts = [1, 2, 3].compactMap { budget.charge(0, to: cost, seconds: today + $0 * Self.day).left }
        #expect(lefts == following)
    }

    @Test func `the usage of a bounded number of days is remembered`() {
        var budget = ByteBudget()
        let cost = LinkCost(account: "wwan", bytesPerDay: 1000)
        for day in [0, 10, 20, 30, 40, 50] as [Int64] { _ = budget.charge(1000, to: cost, seconds: day * Self.day) }
        #expect(budget.charge(0, to: cost, seconds: 10 * Self.day).left == 0)
        #expect(budget.charge(0, to: cost, seconds: 0).left == 1000)
    }

    @Test func `the bytes of others count like those of checks`() {
        var budget = ByteBudget(continuing: DataUsage(day: 20_000, bytes: ["wwan": 900]))
        let (metered, free) = (LinkCost(account: "wwan", bytesPerDay: 1000), LinkCost(account: "wifi"))
        let seconds = 20_000 * Self.day
        var (left, usage) = budget.charge(60, to: metered, seconds: seconds)
        #expect(left == 40 && usage == DataUsage(day: 20_000, bytes: ["wwan": 960]))
        (left, usage) = budget.charge(0, to: metered, seconds: seconds)
        #expect(left == 40 && usage == nil && budget.refusal(metered) == nil)
        (left, usage) = budget.charge(.max, to: metered, seconds: seconds)
        #expect(left == 0 && budget.refusal(metered)?.code == .budgetExhausted)
        (left, usage) = budget.charge(7, to: free, seconds: seconds)
        #expect(left == nil && budget.usage?.bytes["wifi"] == 7)
        (left, usage) = budget.charge(7, to: .free, seconds: seconds)
        #expect(left == nil && usage == nil)
        (left, usage) = budget.charge(1, to: metered, seconds: seconds + Self.day)
        #expect(left == 999)
    }

    @Test func `bytes used on another day do not count`() {
        var budget = ByteBudget(continuing: DataUsage(day: 19_999, bytes: ["wwan": 900]))
        budget.update(seconds: 20_000 * Self.day)
        #expect(budget.used.isEmpty)
    }

    @Test func `accounts are separate, and use without an account is not counted`() {
        var run = SimulatedSchedule()
        run.report = SimulatedSchedule.report(bytes: 1000)
        run.setProbes([
            .sample("free"), .sample("counted", cost: LinkCost(account: "wlan0")),
            .sample("tight", cost: LinkCost(account: "wwan", bytesPerDay: 1500)),
            .sample("nothing", cost: LinkCost(account: "ppp", bytesPerDay: 0)),
        ])
        run.run(until: .seconds(300))
        let counts = Dictionary(grouping: run.begun.flatMap(\.points), by: \.probe).mapValues(\.count)
        #expect(counts["tight"] == 2)
        #expect(counts["nothing"] == nil)
        #expect((counts["free"] ?? 0) >= 5)
        let bytes = run.schedule.statistics(seconds: 0).bytes
        #expect(bytes == ["wlan0": 1000 * (counts["counted"] ?? 0), "wwan": 2000])
    }

    @Test(arguments: [(true, true, true), (true, false, true), (false, true, false), (false, false, true)])
    func `a probe that may not use a cellular link is not made over one`(allows: Bool, isCellular: Bool, isMade: Bool) {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web", cost: LinkCost(isCellular: isCellular), allowsCellular: allows)])
        run.run(until: .seconds(300))
        #expect(run.begun.isEmpty != isMade)
        // The judge's cadence holds for refusals too.
        #expect((5...7).contains(run.completed.count))
        if !isMade {
            #expect(run.completed.allSatisfy { $0.report.verdict == .unknown(.cellularNotAllowed, .connect) })
        }
    }

    @Test func `a refused check shows no secret of its target`() async throws {
        var scheduled = ScheduledProbe.sample("web", cost: LinkCost(isCellular: true), allowsCellular: false)
        scheduled.probe.target = try ProbeTarget(parsing: "https://host.test/?access_token=abcdefgh")
        let log = JudgeLog()
        let scheduler = ProbeScheduler(transport: ScriptedTransport()) {
            log.add($0)
            return .steady
        }
        scheduler.setProbes([scheduled])
        scheduler.start()
        await log.wait(for: 1)
        let report = try #require(log.checks.first?.report)
        #expect(report.verdict == .unknown(.cellularNotAllowed, .connect))
        #expect(report.target == "https://host.test/?access_token=(not-shown)")
        #expect(report.findings.map(\.subject) == [report.target])
        await onThread { scheduler.stop() }
    }

    @Test func `a serializer forbids cellular links as well as a request`() {
        var probe = ScheduledProbe.sample("web").probe
        #expect(probe.allowsCellularAccess)
        probe.serializer.allowsCellularAccess = false
        #expect(!probe.allowsCellularAccess)
        probe.serializer.allowsCellularAccess = true
        probe.request.allowsCellularAccess = false
        #expect(!probe.allowsCellularAccess)
    }

    @Test func `the bytes of a check that was given up count`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web", cost: LinkCost(account: "wwan"))])
        run.schedule.takeDue(now: run.now)
        guard case .check(let job, _, let account) = run.schedule.takeStep(now: run.now, seconds: 0) else {
            Issue.record("no check")
            return
        }
        #expect(run.recheck([ProbePoint(probe: "web", vantage: .default)]) == [job])
        let report = SimulatedSchedule.report(bytes: 700)
        #expect(run.schedule.finish(job, report: report, account: account, seconds: 0).isEmpty)
        #expect(run.schedule.statistics(seconds: 0).bytes == ["wwan": 700])
    }
}
