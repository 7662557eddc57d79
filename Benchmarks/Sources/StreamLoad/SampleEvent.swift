internal import AgentEvents
internal import BenchmarkKit

/// Events as large as real ones, which carry the moment at which they were made.
struct SampleEvent {
    private let origin: EventOrigin

    init(streamID: String) { origin = EventOrigin(streamID: streamID, host: "benchmark") }

    /// The event with a number; `data.settled_ms` is CLOCK_MONOTONIC now, in nanoseconds.
    func event(_ number: UInt64) -> Event {
        let change = StateChange(
            from: Self.state(.none, number),
            to: Self.state(.wired, number),
            cause: ChangeCause(kind: "route", code: "route_changed", interface: "eth0"),
            observed: .now,
            settledMilliseconds: Int64(MonotonicClock.nanoseconds)
        )
        let draft = EventDraft(.pathChanged, subject: AgentEvent.defaultSubject, .pathChanged(change))
        return Event(draft, from: origin, at: .now, number: number)
    }

    /// An event that is not numbered: what a stream begins with.
    func opening(_ type: EventType) -> Event {
        Event(EventDraft(type, .unknown), from: origin, at: .now, number: 0)
    }

    private static func state(_ via: Via, _ number: UInt64) -> ReachabilityState {
        let path = Path(
            via: via,
            interface: "eth0",
            interfaceIndex: 2,
            gateway: "192.0.2.\(number % 250)",
            source: "192.0.2.2",
            metric: UInt32(number % 1000)
        )
        return ReachabilityState(via: via, afStatus: 2, path: .init(path))
    }
}
