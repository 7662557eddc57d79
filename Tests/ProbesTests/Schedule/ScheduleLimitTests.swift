import Testing

@testable import Probes

@Suite struct ScheduleLimitTests {
    @Test func `no more checks are under way than allowed, in the order in which they were due`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 3, checksPerTarget: 3))
        run.latency = { _ in .seconds(1) }
        run.setProbes((0..<20).map { .sample("p\($0)") })
        run.run(until: .seconds(10))
        #expect(run.maximumUnderWay == 3)
        #expect(run.begun.flatMap(\.points).prefix(20).map(\.probe) == (0..<20).map { "p\($0)" })
    }

    @Test func `a target without a free slot blocks no other target`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 8, checksPerTarget: 2))
        run.latency = { $0.probe.hasPrefix("slow") ? .seconds(9) : .milliseconds(10) }
        run.setProbes(
            (0..<10).map { .sample("slow\($0)", host: "one.test") } + (0..<5).map { .sample("fast\($0)") }
        )
        run.run(until: .seconds(1))
        #expect(run.begun.flatMap(\.points).map(\.probe) == ["slow0", "slow1"] + (0..<5).map { "fast\($0)" })
        run.run(until: .seconds(50))
        // Two at a time, for 9 s each, in order.
        let slow = run.begun.flatMap(\.points).map(\.probe).filter { $0.hasPrefix("slow") }
        #expect(slow.prefix(10) == ArraySlice((0..<10).map { "slow\($0)" }))
    }

    @Test func `a waiting job of a removed point leaves its slot to the next`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 1, checksPerTarget: 1))
        run.latency = { _ in .seconds(1) }
        let probes = (0..<4).map { ScheduledProbe.sample("p\($0)", host: "one.test") }
        run.setProbes(probes)
        run.run(until: .milliseconds(500))
        run.setProbes([probes[0], probes[2], probes[3]])
        run.run(until: .seconds(3.5))
        #expect(run.begun.flatMap(\.points).map(\.probe).prefix(3) == ["p0", "p2", "p3"])
        // Everything that was counted is free again.
        run.setProbes([])
        #expect(run.schedule.underWay == 0 && run.schedule.destinations.isEmpty && run.schedule.ready.isEmpty)
        #expect(run.schedule.jobs.isEmpty && run.schedule.joinable.isEmpty && run.schedule.rounds.isEmpty)
    }

    @Test func `every probe gets its share when there is more to do than time`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 2, checksPerTarget: 2))
        run.latency = { _ in .seconds(1) }
        let probes = (0..<50).map { ScheduledProbe.sample("p\($0)", pace: ProbePace(interval: .seconds(10))) }
        run.setProbes(probes)
        run.run(until: .seconds(500))
        let counts = probes.map { run.dues(of: $0.point).count }
        // Two each second: 1000 jobs for 50 probes.
        #expect(counts.allSatisfy { (15...21).contains($0) })
        #expect(run.schedule.statistics(seconds: 0).skipped > 1000)
    }

    @Test func `points with the same check share it, and another vantage has its own`() {
        var run = SimulatedSchedule()
        let twins = ["a", "b", "c"].map { ScheduledProbe.sample($0, host: "one.test", identity: "same") }
        let bound = ScheduledProbe.sample("a", identity: "same", vantage: Vantage(interface: "wlan0"))
        run.setProbes(twins + [bound])
        run.run(until: .seconds(600))
        #expect(run.begun.count == run.begun.filter { $0.points.count == 3 }.count * 2)
        let statistics = run.schedule.statistics(seconds: 0)
        #expect(statistics.shared == UInt64(run.completed.count { $0.isShared }))
        #expect(statistics.shared * 2 == statistics.checks * 2)
        #expect(run.completed.count(where: { !$0.isShared }) == run.begun.count)
    }

    @Test func `a recheck of one of two points leaves the other its check`() {
        var run = SimulatedSchedule()
        run.latency = { _ in .seconds(2) }
        let twins = ["a", "b"].map { ScheduledProbe.sample($0, host: "one.test", identity: "same") }
        run.setProbes(twins)
        run.run(until: .seconds(1))
        #expect(run.recheck([twins[0].point]) == [])
        run.run(until: .seconds(5))
        #expect(run.begun.map(\.points) == [twins.map(\.point), [twins[0].point]])
        #expect(run.completed.map(\.point) == [twins[1].point, twins[0].point])
    }

    @Test func `a point added while its check is running shares it`() {
        var run = SimulatedSchedule()
        run.latency = { _ in .seconds(2) }
        run.setProbes([.sample("a", identity: "same")])
        run.run(until: .seconds(1))
        run.setProbes([.sample("a", identity: "same"), .sample("b", identity: "same")])
        run.run(until: .seconds(3))
        #expect(run.begun.count == 1)
        #expect(run.completed.map(\.point.probe) == ["a", "b"])
        #expect(run.completed.map(\.isShared) == [false, true])
        #expect(run.completed.map { $0.due - run.start } == [.zero, .seconds(1)])
    }
}
