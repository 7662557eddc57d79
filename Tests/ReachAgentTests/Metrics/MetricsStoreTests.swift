import NetlinkMonitor
import Probes
import Reachability
import StatePages
import Testing

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
        for _ in 0..<3 { store.note(.sample(web, .ok), endedAt: 1) }
        #expect(store.figures(of: [web, other]).checks[web]?.last?.outcome == "ok")
        store.bound(to: [other])
        #expect(store.figures(of: [other]).checks.isEmpty)
        store.bound(to: [web, other])
        let back = try #require(store.figures(of: [web, other]).checks[web])
        #expect(back.last == nil && back.counts.ok == 3)
        store.note(.sample(web, .ok), endedAt: 2)
        #expect(store.figures(of: [web]).checks[web]?.counts.ok == 4)
    }

    @Test func `points that come and go do not pile up`() {
        let store = MetricsStore()
        let points = (0..<1000).map { ProbePoint(probe: "probe\($0)", vantage: .default) }
        for point in points {
            store.note(.sample(point, .ok), endedAt: 1)
            store.bound(to: [point])
        }
        #expect(store.figures(of: points).checks.count <= 67)
    }
}
