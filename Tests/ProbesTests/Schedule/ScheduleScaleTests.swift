import Testing

@testable import Probes

@Suite struct ScheduleScaleTests {
    @Test func `ten thousand probes are on time for an hour`() {
        var run = SimulatedSchedule(limits: ScheduleLimits(checks: 256, checksPerTarget: 4))
        run.latency = { _ in .milliseconds(30) }
        let probes = (0..<10_000).map { ScheduledProbe.sample("p\($0)", pace: ProbePace(interval: .seconds(300))) }
        run.setProbes(probes)
        run.run(until: .seconds(3600))
        let statistics = run.schedule.statistics(seconds: 0)
        #expect(statistics.longestDelay <= .milliseconds(5))
        #expect(statistics.skipped == 0)
        // One at once, then one in each of the twelve intervals, the first and the last of which may be cut.
        let rounds = Dictionary(grouping: run.completed, by: \.point).mapValues { $0.map { $0.due - run.start } }
        #expect(rounds.count == 10_000)
        var isOnTime = true
        for dues in rounds.values {
            if !(12...14).contains(dues.count) { isOnTime = false }
            for (one, other) in zip(dues.dropFirst(), dues.dropFirst(2)) {
                // Three per cent either way, at both ends.
                if !(.seconds(282)...(.seconds(318))).contains(other - one) { isOnTime = false }
            }
        }
        #expect(isOnTime)
        #expect((120_000...140_000).contains(run.begun.count))
    }
}
