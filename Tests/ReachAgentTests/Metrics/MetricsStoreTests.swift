import NetlinkMonitor
import Probes
import Reachability
import StatePages
import Testing

import struct AgentEvents.Timestamp

@testable import ReachAgent

/// The counters since the start of the agent.
@Suite struct MetricsStoreTests {
    @Test func `the seconds of each connectivity are those of the clock that stops during suspend`() {
        let start = SuspendingClock.Instant.now
        let store = MetricsStore(start: start)
        let full = ReachabilityState(ipv4: .unknown, ipv6: .unknown, connectivity: .full)
        // The input was observed at a time on the other clock, which has no influence.
        let observed = ObservedTime(instant: .now + .seconds(86_400), microsecondsSince1970: 0)
        let change = Change(from: ReachabilityState.unknown, to: full, cause: .start, observed: observed)
        store.note(.reachability(change), at: start + .seconds(30))
        let seconds = store.figures(of: [], at: start + .seconds(50)).seconds
        #expect(seconds == ["unknown": 30, "full": 20])
    }

    @Test func `a point that is gone for a while goes on with its counters, and without its last check`() throws {
        let store = MetricsStore()
        let (web, other) = (ProbePoint(probe: "web", vantage: .default), ProbePoint(probe: "api", vantage: .default))
        for _ in 0..<3 { store.note(.sample(web, .ok), endedAt: .now) }
        #expect(store.figures(of: [web, other]).checks[web]?.last?.outcome == "ok")
        store.bound(to: [other])
        #expect(store.figures(of: [other]).checks.isEmpty)
        store.bound(to: [web, other])
        let back = try #require(store.figures(of: [web, other]).checks[web])
        #expect(back.last == nil && back.counts.ok == 3)
        store.note(.sample(web, .ok), endedAt: .now)
        #expect(store.figures(of: [web]).checks[web]?.counts.ok == 4)
    }

    /// A check of a point that was a transfer.
    private static func transfer(_ point: ProbePoint, _ verdict: CheckVerdict = .ok) -> CompletedCheck {
        var check = CompletedCheck.sample(point, verdict)
        var download = TransferLeg(wantedBytes: 1000)
        download.bytes = 1000
        download.goodput = Goodput(p50: 38e6, p95: 38e6, mean: 38e6, windows: 3, slowStart: .zero)
        check.report.transfer = TransferReport(download: download)
        return check
    }

    @Test(arguments: [0, 0.3, -0.3, 1_794_999_900, -86_400])
    func `what was before a step of the clock has the time of the clock as it is set now`(step: Double) {
        let point = ProbePoint(probe: "web", vantage: .default)
        let (instant, microseconds) = (ContinuousClock.now, Int64(40_000_000))
        let past = ObservedTime(instant: instant, microsecondsSince1970: microseconds)
        let now = ObservedTime(
            instant: instant + .seconds(100),
            microsecondsSince1970: microseconds + Int64((100 + step) * 1_000_000)
        )
        let store = MetricsStore()
        store.note(Self.transfer(point), endedAt: past)
        let figures = store.figures(of: [point], observed: now)
        // Less than a second is no step: two clocks are read.
        let expected = 40 + step.rounded()
        #expect(figures.checks[point]?.last?.ended == expected)
        #expect(figures.transfers[point]?.ended == expected)
        #expect(store.transfers(at: now)[point]?.ended == expected)
        let record = ProbeRecord(point: point, state: ProbeState(.up), since: past)
        #expect(ProbeMetrics(record, last: nil, counts: nil, at: now).since == expected)
    }

    @Test func `a transfer that yielded leaves the end of the one before it`() {
        let point = ProbePoint(probe: "web", vantage: .default)
        let first = ObservedTime.now
        let store = MetricsStore()
        store.note(Self.transfer(point), endedAt: first)
        let second = ObservedTime(
            instant: first.instant + .seconds(60),
            microsecondsSince1970: first.microsecondsSince1970 + 60_000_000
        )
        store.note(Self.transfer(point, .unknown(.transferYielded, .body)), endedAt: second)
        let figures = store.figures(of: [point], observed: second)
        #expect(figures.transfers[point]?.ended == Timestamp(first).seconds)
        #expect(figures.transfers[point]?.downloadedBytes == 2000)
        #expect(figures.checks[point]?.last?.ended == Timestamp(second).seconds)
    }

    @Test func `the durations of transfers are no latencies`() throws {
        let point = ProbePoint(probe: "web", vantage: .default)
        let store = MetricsStore()
        store.note(.sample(point, .ok), endedAt: .now)
        store.note(Self.transfer(point), endedAt: .now)
        let counts = try #require(store.figures(of: [point]).checks[point]?.counts)
        #expect(counts.ok == 2 && counts.durations.count == 1)
    }

    @Test func `points that come and go do not pile up`() {
        let store = MetricsStore()
        let points = (0..<1000).map { ProbePoint(probe: "probe\($0)", vantage: .default) }
        for point in points {
            store.note(.sample(point, .ok), endedAt: .now)
            store.bound(to: [point])
        }
        #expect(store.figures(of: points).checks.count <= 67)
    }
}
