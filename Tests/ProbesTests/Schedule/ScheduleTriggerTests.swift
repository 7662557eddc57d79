import Testing

@testable import Probes

@Suite struct ScheduleTriggerTests {
    private let point = ProbePoint(probe: "hop", vantage: .default)
    private let other = ProbePoint(probe: "other", vantage: .default)
    private let daily = ProbePace(interval: .seconds(86_400), fastInterval: .seconds(10))

    @Test(
        arguments: [
            // As often as a target fails, against as long as a next hop takes to be found silent.
            (.seconds(1), .milliseconds(12_500), 16), (.seconds(10), .milliseconds(12_500), 10),
            (.milliseconds(5), .seconds(3), 66), (.seconds(1), .milliseconds(20), 200),
        ] as [(Duration, Duration, Int)]
    )
    func `however often a check is triggered, it completes, and there is one at a time`(
        pause: Duration,
        latency: Duration,
        checks: Int
    ) {
        var run = SimulatedSchedule()
        run.latency = { _ in latency }
        run.setProbes([.sample("hop", pace: daily)])
        run.run(until: .seconds(100))
        let before = run.completed.count
        var time = Duration.seconds(100)
        while time < .seconds(300) {
            run.run(until: time)
            run.schedule.trigger([point], now: run.now)
            time += pause
        }
        run.run(until: .seconds(300))
        #expect(run.completed.count - before >= checks - 1)
        #expect(run.begun.count - run.completed.count <= 1)
        #expect(run.maximumUnderWay == 1)
    }

    @Test func `a trigger joins a check that waits, is running or is being judged, and cancels none`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("hop", pace: daily)])
        func deadline(_ run: inout SimulatedSchedule) -> ContinuousClock.Instant? {
            run.schedule.trigger([point], now: run.now)
            return run.schedule.deadline
        }
        #expect(deadline(&run) == run.now, "due at once")
        run.schedule.takeDue(now: run.now)
        let next = run.schedule.deadline
        #expect(deadline(&run) == next, "waiting for its place")
        guard case .check(let job, _, _) = run.schedule.takeStep(now: run.now, seconds: 0) else {
            Issue.record("no check")
            return
        }
        #expect(deadline(&run) == next, "under way")
        #expect(run.schedule.jobs[job]?.points == [point])
        _ = run.schedule.finish(job, report: run.report, account: nil, seconds: 0)
        #expect(deadline(&run) == next, "being judged")
        #expect(run.schedule.isAwaited(point, job: job))
        run.schedule.settle(point, job: job, cadence: .steady, now: run.now)
        #expect(deadline(&run) == run.now, "waiting for its round")
        #expect(deadline(&run) == run.now, "triggered already")
    }

    @Test func `a trigger starts checks of its points only, and uses no share of a budget`() {
        var run = SimulatedSchedule()
        run.report = SimulatedSchedule.report(bytes: 1000)
        let cost = LinkCost(account: "wwan", bytesPerDay: 40_000)
        run.setProbes([.sample("hop", pace: daily, cost: cost), .sample("other", pace: daily, cost: cost)])
        let gone = ProbePoint(probe: "gone", vantage: .default)
        for second in 1...20 {
            run.run(until: .seconds(second))
            run.schedule.trigger([gone, point], now: run.now)
        }
        run.run(until: .seconds(21))
        #expect(run.dues(of: point).count == 21)
        #expect(run.dues(of: other).count == 1)
    }
}
