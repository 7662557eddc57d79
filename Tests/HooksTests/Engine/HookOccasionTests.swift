import AgentEvents
import Testing

@testable import Hooks

@Suite
struct HookOccasionTests {
    typealias Side = (via: String, connectivity: String)

    @Test(
        arguments: [
            (("unknown", "unknown"), ("wifi", "unknown"), [.every, .wifi]),
            (("unknown", "unknown"), ("none", "none"), [.every, .none, .offline]),
            (("wifi", "unknown"), ("wifi", "full"), [.every, .online]),
            (("wifi", "full"), ("wwan", "full"), [.every, .wwan]),
            (("wwan", "full"), ("wired", "unknown"), [.every, .wired]),
            (("wired", "full"), ("other", "partial"), [.every, .other, .offline]),
            (("wifi", "full"), ("wifi", "portal"), [.every, .offline]),
            (("wifi", "portal"), ("wifi", "partial"), [.every]),
            (("wifi", "local"), ("none", "none"), [.every, .none]),
            (("none", "none"), ("wired", "full"), [.every, .wired, .online]),
            (("wifi", "full"), ("unknown", "unknown"), [.every]),
        ] as [(Side, Side, Set<HookOccasion>)]
    )
    func `a transition is an occasion for the directories of the new state`(
        from: Side,
        to: Side,
        expected: Set<HookOccasion>
    ) throws {
        let event = HookEvent(SampleEvent.reachability(from: from, to: to))
        #expect(HookOccasion.occasions(of: event) == expected)
    }

    @Test
    func `an uplink's change is the occasion of one directory, in which none replaces another`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("uplink.changed")))
        #expect(HookOccasion.occasions(of: event) == [.uplink])
        #expect(HookOccasion.allCases.filter { $0.type == .uplinkChanged } == [.uplink])
        #expect(HookOccasion.allCases.filter { $0.pace.queue == .all } == [.uplink])
    }

    @Test(arguments: [("uplink.d/10-a", HookOccasion.uplink, 3), ("10-a", .every, 5), ("wifi.d/10-a", .wifi, 5)])
    func `events that were lost count for the files that they are an occasion for`(
        name: String,
        occasion: HookOccasion,
        count: Int
    ) {
        let hook = RunnableHook(file: "/hooks.d/\(name)", name: name, timeout: .seconds(1))
        let state = HookState(file: hook, on: occasion)
        state.countLost([.uplinkChanged: 3, .reachabilityChanged: 5, .probeChanged: 7])
        #expect(state.queue.superseded == UInt64(count))
    }

    @Test
    func `other events are not an occasion`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("target.changed")))
        #expect(HookOccasion.occasions(of: event).isEmpty)
    }
}
