import Testing

@testable import Probes

@Suite struct ScheduleTimingTests {
    private let point = ProbePoint(probe: "web", vantage: .default)

    @Test func `a new probe is due at once, and then once in each interval without drift`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web")])
        #expect(run.schedule.deadline == run.now)
        run.run(until: .seconds(3 * 3600))
        let dues = run.dues(of: point)
        #expect(dues.first == .zero)
        // 180 intervals; the first one joins the grid and may be short.
        #expect((180...182).contains(dues.count))
        let rounds = dues.dropFirst()
        for (round, due) in rounds.enumerated() {
            let expected = (rounds.first ?? .zero) + .seconds(60) * round
            #expect(abs((due - expected).clampedNanoseconds) <= 3_600_000_000)
        }
    }

    @Test func `a restart does not move the phase`() {
        var first = SimulatedSchedule(seed: 1)
        first.setProbes([.sample("web")])
        first.run(until: .seconds(600))
        // The same machine and epoch, another process with another seed that starts 17 s later.
        var second = first
        second.schedule = ProbeSchedule(epoch: first.schedule.rhythm.epoch, seed: 2)
        second.now = first.start + .seconds(617)
        second.setProbes([.sample("web")])
        second.run(until: .seconds(1200))
        let before = first.dues(of: point).last ?? .zero
        for due in second.dues(of: point).suffix(8) {
            let off = (due - before).clampedNanoseconds % 60_000_000_000
            #expect(min(off, 60_000_000_000 - off) <= 3_600_000_000)
        }
    }

    @Test func `while the verdict is in doubt rounds are fast, and while it is down they back off to the maximum`() {
        var run = SimulatedSchedule()
        var answers: [Cadence] = [.doubtful, .doubtful] + (0..<8).map { .down(attempt: $0) }
        run.cadence = { _ in answers.isEmpty ? .steady : answers.removeFirst() }
        run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(60), maximumBackoff: .seconds(30)))])
        run.run(until: .seconds(190))
        let dues = run.dues(of: point)
        let expected = [2, 2, 2, 4, 8, 16, 30, 30, 30, 30]
        #expect(dues.count >= 11)
        for (gap, seconds) in zip(zip(dues, dues.dropFirst()).map { $1 - $0 }, expected) {
            #expect(abs((gap - .seconds(seconds)).clampedNanoseconds) <= Int64(seconds) * 60_000_000)
        }
    }

    @Test func `the interval of a point follows its cadence, and the cost of its link extends the steady one`() {
        var run = SimulatedSchedule()
        var answer = Cadence.steady
        run.cadence = { _ in answer }
        let pace = ProbePace(interval: .seconds(60), fastInterval: .seconds(2), maximumBackoff: .seconds(90))
        let probe = ScheduledProbe.sample("web", pace: pace, cost: LinkCost(intervalFactor: 10))
        #expect(run.schedule.intervals.isEmpty)
        run.setProbes([probe])
        #expect(run.schedule.intervals == [probe.point: .seconds(2)])
        for (cadence, seconds) in [(Cadence.steady, 600), (.doubtful, 2), (.down(attempt: 9), 90), (.portal, 10)] {
            answer = cadence
            run.run(until: run.now - run.start + .seconds(700))
            #expect(run.schedule.intervals == [probe.point: .seconds(seconds)])
        }
        run.setProbes([])
        #expect(run.schedule.intervals.isEmpty)
    }

    @Test func `a check that takes longer than its interval leaves rounds out and is never there twice`() {
        var run = SimulatedSchedule()
        run.latency = { _ in .seconds(25) }
        run.cadence = { _ in .doubtful }
        run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(10), fastInterval: .seconds(10)))])
        run.run(until: .seconds(300))
        #expect(run.maximumUnderWay == 1)
        #expect((9...11).contains(run.begun.count))
        // Two rounds pass during each check.
        let skipped = run.schedule.statistics(seconds: 0).skipped
        #expect(skipped == UInt64(2 * run.completed.count))
    }

    @Test func `after a long delay there is one job for each point, not one for each round`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web"), .sample("dns")])
        run.run(until: .seconds(300))
        let before = run.begun.count
        let skippedBefore = run.schedule.statistics(seconds: 0).skipped
        // Nobody took what was due for two hours.
        run.now = run.start + .seconds(7500)
        run.run(until: .seconds(7500))
        #expect(run.begun.count == before + 2)
        #expect((237...241).contains(run.schedule.statistics(seconds: 0).skipped - skippedBefore))
        run.run(until: .seconds(7500 + 120))
        #expect((5...7).contains(run.begun.count - before))
        #expect(run.schedule.statistics(seconds: 0).longestDelay < .seconds(60))
    }

    @Test func `a recheck replaces the running check and keeps the phase`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web")])
        run.run(until: .seconds(200))
        let before = run.dues(of: point)
        run.latency = { _ in .seconds(5) }
        run.run(until: (before.last ?? .zero) + .seconds(61.9))
        #expect(run.schedule.underWay == 1)
        #expect(run.recheck([point]).count == 1)
        #expect(run.schedule.underWay == 0)
        #expect(run.schedule.deadline == run.now)
        run.run(until: .seconds(900))
        let grid = (run.dues(of: point).last ?? .zero) - (before.last ?? .zero)
        let off = grid.clampedNanoseconds % 60_000_000_000
        #expect(min(off, 60_000_000_000 - off) <= 3_600_000_000)
    }

    @Test func `a recheck during a judgement runs after it`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web")])
        run.schedule.takeDue(now: run.now)
        guard case .check(let job, _, _) = run.schedule.takeStep(now: run.now, seconds: 0) else {
            Issue.record("no check")
            return
        }
        let checks = run.schedule.finish(job, report: run.report, account: nil, seconds: 0)
        #expect(checks.map(\.point) == [point])
        #expect(run.schedule.isAwaited(point, job: job))
        #expect(run.recheck([point]) == [])
        #expect(!run.schedule.isAwaited(point, job: job))
        run.schedule.settle(point, job: job, cadence: .steady, now: run.now)
        #expect(run.schedule.deadline == run.now)
        // A second answer for the same job changes nothing.
        run.schedule.settle(point, job: job, cadence: .steady, now: run.now)
        #expect(run.schedule.deadline == run.now)
    }

    @Test(arguments: [(1, 10), (50, 500), (100, 1000), (1000, 1000), (4000, 2000), (10_000, 5000), (50_000, 5000)])
    func `checks due at once are staggered`(count: Int, milliseconds: Int) {
        #expect(ProbeSchedule.stagger(count) == .milliseconds(milliseconds))
    }

    @Test func `many new probes are spread in the order given`() {
        var run = SimulatedSchedule()
        let probes = (0..<40).map { ScheduledProbe.sample("p\($0)") }
        run.setProbes(probes)
        for (index, probe) in probes.enumerated() {
            #expect(run.schedule.rounds.due(of: probe.point) == run.start + .milliseconds(10) * index)
        }
    }

    @Test func `probes that stay keep their job, and those that go or change lose it`() {
        var run = SimulatedSchedule()
        run.latency = { _ in .seconds(3) }
        run.setProbes([.sample("stays"), .sample("goes"), .sample("changes")])
        run.run(until: .seconds(1))
        #expect(run.schedule.underWay == 3)
        let cancelled = run.schedule.setProbes([.sample("stays"), .sample("changes", identity: "other")], now: run.now)
        #expect(cancelled.count == 2)
        #expect(run.schedule.underWay == 1)
        run.run(until: .seconds(10))
        #expect(run.completed.map(\.point.probe) == ["stays", "changes"])
        #expect(run.schedule.setProbes([], now: run.now) == [])
        #expect(run.schedule.deadline == nil)
    }

    @Test func `a changed interval counts from the round before`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(3600)))])
        run.run(until: .seconds(2 * 3600))
        let before = run.completed.count
        run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(10)))])
        run.run(until: .seconds(2 * 3600 + 100))
        #expect((9...11).contains(run.completed.count - before))
        run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(3600)))])
        run.run(until: .seconds(2 * 3600 + 200))
        #expect(run.completed.count - before <= 12)
    }
}
