internal import BenchmarkKit
internal import EventEnvelope

/// Events as large as real ones, which carry the moment at which they were made.
struct SampleEvent {
    private let origin: EventOrigin

    init(streamID: String) { origin = EventOrigin(streamID: streamID, host: "benchmark") }

    /// The event with a number; `data.sent` is CLOCK_MONOTONIC now, in nanoseconds.
    func event(_ number: UInt64) -> Event {
        let draft = EventDraft(.pathChanged, subject: "default", summary: "") { json in
            json.member("sent", MonotonicClock.nanoseconds)
            json.name("from")
            Self.writePath(&json, via: "none", number)
            json.name("to")
            Self.writePath(&json, via: "wired", number)
            json.name("cause")
            json.object { json in
                json.member("kind", "route")
                json.member("code", "route_changed")
                json.member("interface", "eth0")
            }
        }
        return Event(draft, from: origin, at: .wallClock, number: number)
    }

    /// An event that is not numbered: what a stream begins with.
    func opening(_ type: EventType) -> Event {
        Event(EventDraft(type, subject: "agent", summary: "") { _ in }, from: origin, at: .wallClock, number: 0)
    }

    private static func writePath(_ json: inout JSONWriter, via: String, _ number: UInt64) {
        json.object { json in
            json.member("via", via)
            json.member("af_status", 2)
            json.member("interface", "eth0")
            json.member("ifindex", 2)
            json.member("gateway", "192.0.2.\(number % 250)")
            json.member("source", "192.0.2.2")
            json.member("metric", number % 1000)
        }
    }
}
