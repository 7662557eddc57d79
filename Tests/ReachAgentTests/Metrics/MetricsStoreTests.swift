import NetlinkMonitor
import Reachability
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
}
