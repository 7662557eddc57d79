import Testing

@testable import Probes

extension ScheduledProbe {
    /// A transfer, which is due every six hours where it is not refused.
    static func transfer(
        _ name: String,
        plan: TransferPlan = TransferPlan(downloadBytes: 1_000_000),
        vantage: Vantage = .default,
        pace: ProbePace = ProbePace(interval: .seconds(6 * 3600), fastInterval: .seconds(600)),
        cost: LinkCost = .free
    ) -> ScheduledProbe {
        var scheduled = ScheduledProbe.sample(name, vantage: vantage, pace: pace, cost: cost)
        scheduled.probe.transfer = plan
        return scheduled
    }
}

/// Transfers among other checks: one at a time, when they may, and never in the way.
@Suite struct ScheduleTransferTests {
    private static let delay = Duration.seconds(30)...Duration.seconds(90)

    private static func run(isOpen: Bool = true) -> SimulatedSchedule {
        var run = SimulatedSchedule()
        run.schedule.allowTransfers(isOpen)
        return run
    }

    private static func begun(_ run: SimulatedSchedule, _ name: String) -> [Duration] {
        run.begun.filter { $0.points.contains { $0.probe == name } }.map(\.time)
    }

    @Test(arguments: 1...20) func `the first transfer of a point starts after a random delay`(seed: UInt64) throws {
        var run = SimulatedSchedule(seed: seed)
        run.schedule.allowTransfers(true)
        run.setProbes([.transfer("speed"), .sample("web")])
        run.run(until: .seconds(91))
        let begun = try #require(Self.begun(run, "speed").first)
        #expect(Self.delay.contains(begun))
        #expect(Self.begun(run, "web").first.map { $0 < .seconds(1) } == true)
    }

    @Test func `delays differ from start to start`() {
        let delays = (1...20 as ClosedRange<UInt64>).map { seed in
            var run = SimulatedSchedule(seed: seed)
            run.setProbes([.transfer("speed")])
            return run.schedule.deadline.map { $0 - run.start }
        }
        #expect(Set(delays).count > 15)
    }

    @Test func `one transfer runs at a time, whatever the target, and other checks do not wait for it`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 1, checksPerTarget: 1))
        run.schedule.allowTransfers(true)
        run.latency = { $0.probe.hasPrefix("speed") ? .seconds(100) : .milliseconds(20) }
        run.setProbes(
            (0..<4).map { .transfer("speed\($0)") } + [.sample("web", pace: ProbePace(interval: .seconds(10)))]
        )
        run.run(until: .seconds(600))
        let starts = (0..<4).flatMap { Self.begun(run, "speed\($0)") }.sorted()
        #expect(starts.count == 4)
        for (one, next) in zip(starts, starts.dropFirst()) { #expect(next - one >= .seconds(100)) }
        #expect(Self.begun(run, "web").count >= 59)
        // The longest wait for a slot is that of the checks that need one.
        #expect(run.schedule.statistics(seconds: 0).longestDelay < .milliseconds(20))
    }

    @Test func `a transfer starts while all slots of other checks are taken`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 1, checksPerTarget: 1))
        run.schedule.allowTransfers(true)
        run.latency = { $0.probe == "slow" ? .seconds(3600) : .seconds(1) }
        run.setProbes([.sample("slow"), .transfer("speed")])
        run.run(until: .seconds(100))
        #expect(Self.begun(run, "speed").count == 1)
    }

    @Test func `while transfers are not allowed they wait, and one begins when they are`() {
        var run = Self.run(isOpen: false)
        run.setProbes([.transfer("speed"), .sample("web")])
        run.run(until: .seconds(300))
        #expect(Self.begun(run, "speed").isEmpty)
        #expect(Self.begun(run, "web").count >= 5)
        run.schedule.allowTransfers(true)
        run.run(until: .seconds(400))
        #expect(Self.begun(run, "speed").count == 1)
        // Transfers that came due meanwhile were left out.
        #expect(run.completed.count { $0.point.probe == "speed" } == 1)
    }

    @Test func `a transfer on request begins at once, and counts as the one that waits`() {
        var run = Self.run()
        let transfer = ScheduledProbe.transfer("speed")
        run.setProbes([transfer])
        #expect(run.schedule.request([transfer.point], now: run.now, seconds: 0).started == 1)
        run.run(until: .seconds(1))
        #expect(Self.begun(run, "speed").count == 1)
    }

    @Test func `a changed path puts a waiting transfer off, and does not cancel a running one`() throws {
        var run = Self.run(isOpen: false)
        run.latency = { _ in .seconds(100) }
        let transfer = ScheduledProbe.transfer("speed")
        run.setProbes([transfer])
        run.run(until: .seconds(100))
        #expect(run.recheck([transfer.point]) == [])
        run.schedule.allowTransfers(true)
        run.run(until: .seconds(129))
        #expect(Self.begun(run, "speed").isEmpty)
        run.run(until: .seconds(200))
        let begun = try #require(Self.begun(run, "speed").first)
        #expect(Self.delay.contains(begun - .seconds(100)))

        #expect(run.recheck([transfer.point]) == [])
        #expect(run.schedule.underWay == 0 && run.schedule.transfers.running != nil)
        run.run(until: begun + .seconds(101))
        #expect(run.completed.count == 1)
    }

    @Test(arguments: [false, true])
    func `after a path change a transfer is repeated unless it was good`(isGood: Bool) throws {
        var run = Self.run()
        run.latency = { _ in .seconds(20) }
        run.cadence = { _ in isGood ? .steady : .doubtful }
        let transfer = ScheduledProbe.transfer("speed")
        run.setProbes([transfer])
        run.run(until: .seconds(91))
        let begun = try #require(Self.begun(run, "speed").first)
        // One that has ended is repeated after the fast interval; this one is still running.
        if run.completed.isEmpty {
            _ = run.recheck([transfer.point])
            run.run(until: begun + .seconds(300))
            #expect(Self.begun(run, "speed").count == (isGood ? 1 : 2))
        }
    }

    @Test func `a transfer whose point is gone for a moment continues, and its report is judged`() throws {
        var run = Self.run()
        run.latency = { _ in .seconds(100) }
        let transfer = ScheduledProbe.transfer("speed")
        run.setProbes([transfer])
        run.run(until: .seconds(91))
        #expect(run.schedule.setProbes([], keeping: ["speed": transfer.identity], now: run.now) == [])
        #expect(run.schedule.deadline == nil)
        run.run(until: .seconds(120))
        #expect(run.schedule.setProbes([transfer], keeping: ["speed": transfer.identity], now: run.now) == [])
        run.run(until: .seconds(200))
        #expect(run.completed.map(\.point) == [transfer.point])
        #expect(run.schedule.entries.count == 1 && run.schedule.deadline != nil)
    }

    @Test func `a transfer whose point stays away is judged, and then forgotten`() {
        var run = Self.run()
        run.latency = { _ in .seconds(100) }
        let transfer = ScheduledProbe.transfer("speed")
        run.setProbes([transfer])
        run.run(until: .seconds(91))
        _ = run.schedule.setProbes([], keeping: ["speed": transfer.identity], now: run.now)
        run.run(until: .seconds(200))
        #expect(run.completed.count == 1)
        #expect(run.schedule.entries.isEmpty && run.schedule.jobs.isEmpty && run.schedule.rounds.isEmpty)
        #expect(run.schedule.transfers.running == nil && run.schedule.transfers.waiting.isEmpty)
    }

    @Test func `a transfer that is no longer configured is cancelled, and the next one waits for its report`() throws {
        var run = Self.run()
        run.latency = { _ in .seconds(100) }
        let (old, new) = (ScheduledProbe.transfer("old"), ScheduledProbe.transfer("new"))
        run.setProbes([old])
        run.run(until: .seconds(91))
        let job = try #require(run.schedule.transfers.running?.job)
        #expect(run.schedule.setProbes([new], keeping: ["new": new.identity], now: run.now) == [job])
        #expect(run.schedule.request([new.point], now: run.now, seconds: 0).started == 1)
        run.schedule.takeDue(now: run.now)
        #expect(run.schedule.transfers.next == nil)
        #expect(run.schedule.finish(job, report: run.report, account: nil, seconds: 0).isEmpty)
        #expect(run.schedule.transfers.next != nil)
    }

    @Test func `the transfer of a renamed probe is cancelled, and the probe of the new name makes its own`() throws {
        var run = Self.run()
        run.latency = { _ in .seconds(100) }
        let old = ScheduledProbe.transfer("old")
        run.setProbes([old])
        run.run(until: .seconds(91))
        let job = try #require(run.schedule.transfers.running?.job)
        var new = old
        new.point.probe = "new"
        #expect(run.schedule.setProbes([new], keeping: ["new": new.identity], now: run.now) == [job])
        #expect(Array(run.schedule.entries.keys) == [new.point])
        run.run(until: .seconds(400))
        #expect(run.completed.map(\.point) == [new.point])
    }

    @Test(arguments: [
        (false, false, nil), (false, true, nil), (true, true, nil), (true, false, FindingCode.transferMetered),
    ])
    func `a metered uplink is used only where the probe says so`(
        isMetered: Bool,
        allowsMetered: Bool,
        code: FindingCode?
    ) throws {
        var run = Self.run()
        let plan = TransferPlan(downloadBytes: 1_000_000, allowsMetered: allowsMetered)
        run.setProbes([.transfer("speed", plan: plan, cost: LinkCost(account: "wwan", isMetered: isMetered))])
        run.run(until: .seconds(91))
        let check = try #require(run.completed.first)
        #expect(check.report.verdict.code == code)
        #expect(run.begun.isEmpty == (code != nil))
        #expect(run.schedule.transfers.running == nil && run.schedule.jobs.isEmpty)
    }

    @Test func `a refused transfer shows no secret of its target`() throws {
        var run = Self.run()
        var transfer = ScheduledProbe.transfer("speed", cost: LinkCost(account: "wwan", isMetered: true))
        transfer.probe.target = try ProbeTarget(parsing: "https://host.test/large?access_token=abcdefgh")
        run.setProbes([transfer])
        run.run(until: .seconds(91))
        let check = try #require(run.completed.first)
        #expect(check.report.verdict.code == .transferMetered)
        #expect(check.report.findings.map(\.subject) == ["https://host.test/large?access_token=(not-shown)"])
    }

    @Test(arguments: [(-1, true), (0, false), (1, false)])
    func `a transfer needs its whole size in the day's remaining budget`(missing: Int, isRefused: Bool) throws {
        var run = Self.run()
        let plan = TransferPlan(downloadBytes: 1_000_000, uploadBytes: 200_000, allowsMetered: true)
        run.report = SimulatedSchedule.report(bytes: 1000)
        let cost = LinkCost(account: "wwan", bytesPerDay: plan.bytesOnWire + 1000 + missing, isMetered: true)
        run.setProbes([.sample("web", pace: ProbePace(interval: .seconds(86_400)), cost: cost)])
        run.run(until: .milliseconds(500))
        #expect(run.schedule.budget.used == ["wwan": 1000])
        run.setProbes([
            .sample("web", pace: ProbePace(interval: .seconds(86_400)), cost: cost),
            .transfer("speed", plan: plan, cost: cost),
        ])
        run.run(until: .seconds(91))
        let check = try #require(run.completed.first { $0.point.probe == "speed" })
        #expect(check.report.verdict.code == (isRefused ? .budgetExhausted : nil))
        if isRefused { #expect(check.report.findings.first?.evidence.contains("\(plan.bytesOnWire)") == true) }
    }
}
