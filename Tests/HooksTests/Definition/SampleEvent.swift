import EventEnvelope
import Foundation

@testable import Hooks

/// Events for tests, as the agent would make them.
enum SampleEvent {
    static let origin = EventOrigin(streamID: "6f1c0000000000000000000000000001", host: "edge-7")

    /// A settled change of the default path.
    static func reachability(
        _ number: UInt64 = 1,
        from: (via: String, connectivity: String) = ("wired", "full"),
        to: (via: String, connectivity: String) = ("wifi", "full"),
        cause: String = "link"
    ) -> Event {
        make(.reachabilityChanged, "default", number) { json in
            for (name, side) in [("from", from), ("to", to)] as [(StaticString, (via: String, connectivity: String))] {
                json.name(name)
                json.object { json in
                    json.member("via", side.via)
                    json.member("connectivity", side.connectivity)
                }
            }
            json.name("cause")
            json.object { json in
                json.member("kind", cause)
                json.member("code", cause == "start" ? "initial" : "link_down")
            }
        }
    }

    /// A change of a probe's verdict.
    static func probe(_ name: String, _ number: UInt64 = 1) -> Event {
        make(.probeChanged, name, number) { json in
            json.name("from")
            json.object { $0.member("verdict", "up") }
            json.name("to")
            json.object { $0.member("verdict", "down") }
        }
    }

    /// A probe of which nothing is known, because a captive portal answers.
    static func probeBehindPortal(_ name: String, _ number: UInt64 = 1) -> Event {
        make(.probeChanged, name, number) { json in
            json.name("from")
            json.object { $0.member("verdict", "up") }
            json.name("to")
            json.object { json in
                json.member("verdict", "unknown")
                json.member("code", "behind_portal")
            }
            json.name("cause")
            json.object { json in
                json.member("kind", "probe")
                json.member("code", "behind_portal")
            }
        }
    }

    /// An event of any type that says nothing more.
    static func plain(_ type: EventType, subject: String = "agent", _ number: UInt64 = 1) -> Event {
        make(type, subject, number) { _ in }
    }

    private static func make(
        _ type: EventType,
        _ subject: String,
        _ number: UInt64,
        _ data: @escaping @Sendable (inout JSONWriter) -> Void
    ) -> Event {
        Event(
            EventDraft(type, subject: subject, summary: "", data),
            from: origin,
            at: Timestamp(microsecondsSince1970: 1_795_244_400_000_000),
            number: number
        )
    }

    /// A line of the frozen ones.
    static func golden(_ name: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.deletingLastPathComponent().appending(path: "EventSchemaTests/Golden/\(name).json")
        var line = [UInt8](try Data(contentsOf: file))
        while line.last == UInt8(ascii: "\n") { line.removeLast() }
        return line
    }
}
