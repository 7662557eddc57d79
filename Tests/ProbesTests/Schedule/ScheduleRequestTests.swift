import Testing

@testable import Probes

@Suite struct ScheduleRequestTests {
    private let point = ProbePoint(probe: "web", vantage: .default)
    private let slow = ProbePace(interval: .seconds(3600), fastInterval: .seconds(2))

    /// Requests the check again and again, and lets time pass in between.
    private func request(
        _ run: inout SimulatedSchedule,
        every pause: Duration,
        from start: Duration,
        until end: Duration
    ) -> RequestedChecks {
        var sum = RequestedChecks()
        var time = start
        while time < end {
            run.run(until: time)
            let answer = run.schedule.request([point], now: run.now, seconds: run.seconds)
            sum.started += answer.started
            sum.joined += answer.joined
            sum.refused += answer.refused
            time += pause
        }
        run.run(until: end)
        return sum
    }

    @Test(
        arguments: [
            (.milliseconds(5), .milliseconds(1), 58), (.milliseconds(5), .seconds(10), 5),
            (.seconds(1), .seconds(10), 5), (.seconds(1), .milliseconds(1), 58),
            // Each second request joins the check of the one before.
            (.milliseconds(990), .seconds(1), 29),
        ] as [(Duration, Duration, Int)]
    )
    func `however frequent the requests, every check is judged, and at most one starts in a second`(
        pause: Duration,
        latency: Duration,
        checks: Int
    ) {
        var run = SimulatedSchedule()
        run.latency = { _ in latency }
        run.cadence = { _ in .doubtful }
        run.setProbes([.sample("web", pace: slow)])
        let answer = request(&run, every: pause, from: .seconds(100), until: .seconds(160))
        let begun = run.begun.map(\.time)
        #expect(zip(begun, begun.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(990) })
        // A check that ends is judged; only the last one may be under way.
        #expect(run.completed.count >= begun.count - 1)
        #expect(begun.filter { $0 >= .seconds(100) }.count >= checks)
        #expect(answer.refused == 0 && answer.started + answer.joined > 0)
    }

    @Test func `a target that hangs is found down as soon with requests as without`() {
        func fall(withRequests: Bool) -> Duration {
            var run = SimulatedSchedule()
            run.latency = { _ in .seconds(5) }
            run.cadence = { _ in .doubtful }
            run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(10), fastInterval: .seconds(2)))])
            if withRequests {
                _ = request(&run, every: .seconds(1), from: .milliseconds(500), until: .seconds(60))
            } else {
                run.run(until: .seconds(60))
            }
            // The third failure in a row.
            return run.completed.count > 2 ? run.completed[2].started - run.start + .seconds(5) : .seconds(3600)
        }
        #expect(fall(withRequests: true) <= fall(withRequests: false))
    }

    @Test func `a request joins a check that waits or is running, and the next round`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web", pace: slow)])
        func joined(_ run: inout SimulatedSchedule) -> Bool {
            run.schedule.request([point], now: run.now, seconds: 0).joined == 1
        }
        #expect(joined(&run), "due at once")
        run.schedule.takeDue(now: run.now)
        #expect(joined(&run), "waiting for its place")
        guard case .check(let job, _, _) = run.schedule.takeStep(now: run.now, seconds: 0) else {
            Issue.record("no check")
            return
        }
        #expect(joined(&run), "under way")
        #expect(run.schedule.underWay == 1)
        _ = run.schedule.finish(job, report: run.report, account: nil, seconds: 0)
        // The result may be published already: one more check answers.
        #expect(run.schedule.request([point], now: run.now, seconds: 0).started == 1)
        #expect(joined(&run), "requested while the last result was judged")
        #expect(run.schedule.isAwaited(point, job: job))
        run.schedule.settle(point, job: job, cadence: .steady, now: run.now)
        // Within a second of the beginning the next one is put off, and joined.
        #expect(joined(&run), "due in a second")
        #expect(run.schedule.deadline == run.now + .seconds(1))
        run.now += .milliseconds(400)
        #expect(joined(&run), "requested already")
        #expect(run.schedule.deadline == run.now + .milliseconds(600))
    }

    @Test func `a request keeps the phase, and passes over points that are not scheduled`() {
        var run = SimulatedSchedule()
        run.setProbes([.sample("web")])
        run.run(until: .seconds(200))
        let before = run.dues(of: point).last ?? .zero
        run.run(until: before + .seconds(20))
        let other = ProbePoint(probe: "gone", vantage: .default)
        let answer = run.schedule.request([other, point], now: run.now, seconds: 0)
        #expect(answer.started == 1 && answer.joined == 0)
        run.run(until: .seconds(900))
        #expect(run.dues(of: point).contains(before + .seconds(20)))
        let off = ((run.dues(of: point).last ?? .zero) - before).clampedNanoseconds % 60_000_000_000
        #expect(min(off, 60_000_000_000 - off) <= 3_600_000_000)
    }

    @Test func `requests use a quarter of a link's budget in a day, and the schedule continues`() {
        var run = SimulatedSchedule()
        run.report = SimulatedSchedule.report(bytes: 1000)
        let cost = LinkCost(account: "wwan", bytesPerDay: 40_000)
        run.setProbes([.sample("web", pace: slow, cost: cost)])
        let answer = request(&run, every: .milliseconds(100), from: .seconds(10), until: .seconds(60))
        #expect(answer.started == 10)
        #expect(answer.refused > 0)
        #expect(run.begun.count == 11)
        #expect(run.schedule.budget.refusal(cost) == nil)
        run.run(until: .seconds(4000))
        #expect(run.begun.count > 11)
        // Another day, another quarter.
        run.seconds = 86_400
        #expect(run.schedule.request([point], now: run.now, seconds: run.seconds).started == 1)
    }
}
