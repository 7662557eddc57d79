import EventEnvelope
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
    func `a transition is an occasion for the folders of what became true`(
        from: Side,
        to: Side,
        expected: Set<HookOccasion>
    ) throws {
        let event = try #require(HookEvent(SampleEvent.reachability(from: from, to: to)))
        #expect(HookOccasion.occasions(of: event) == expected)
    }

    @Test
    func `other events are no occasion`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("target.changed")))
        #expect(HookOccasion.occasions(of: event).isEmpty)
    }
}
