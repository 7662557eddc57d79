import AgentEvents
import Foundation

@testable import Hooks

/// Events for tests, as the agent would make them.
enum SampleEvent {
    static let origin = EventOrigin(streamID: "6f1c0000000000000000000000000001", host: "edge-7")

    private static let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)

    /// A settled change of the default path.
    static func reachability(
        _ number: UInt64 = 1,
        from: (via: String, connectivity: String) = ("wired", "full"),
        to: (via: String, connectivity: String) = ("wifi", "full"),
        reasonBefore: String? = nil,
        cause: String = "link",
        interface: String? = nil
    ) -> Event {
        func state(_ side: (via: String, connectivity: String), reason: String? = nil) -> ReachabilityState {
            let via = Via(side.via)
            return ReachabilityState(
                via: via,
                afStatus: 2,
                connectivity: Connectivity(side.connectivity),
                reason: reason,
                path: .init(Path(via: via, reason: reason))
            )
        }
        let change = StateChange(
            from: state(from, reason: reasonBefore),
            to: state(to),
            cause: ChangeCause(kind: cause, code: cause == "start" ? "initial" : "link_down", interface: interface),
            observed: time,
            settledMilliseconds: 0
        )
        return make(.reachabilityChanged, AgentEvent.defaultSubject, number, .reachabilityChanged(change))
    }

    /// A settled change of an uplink that is lost.
    static func uplink(_ name: String, cause interface: String, _ number: UInt64 = 1) -> Event {
        func uplink(_ connectivity: Connectivity) -> Uplink {
            Uplink(interface: name, interfaceIndex: 2, kind: "wired", connectivity: connectivity, isUsed: false)
        }
        let change = UplinkChange(
            from: uplink(.full),
            to: uplink(.none),
            cause: ChangeCause(kind: "link", code: "link_down", interface: interface),
            observed: time,
            settledMilliseconds: 0
        )
        return make(.uplinkChanged, name, number, .uplinkChanged(change))
    }

    /// A change of a target, or of the path to it.
    static func target(_ type: EventType, _ name: String, address: String, _ number: UInt64 = 1) -> Event {
        let state = ReachabilityState(
            via: Via("wifi"),
            afStatus: 2,
            address: address,
            path: .init(Path(via: Via("wifi")))
        )
        let change = StateChange(
            from: state,
            to: state,
            cause: ChangeCause(kind: "link", code: "link_up"),
            observed: time,
            settledMilliseconds: 0
        )
        return make(type, name, number, type == .pathChanged ? .pathChanged(change) : .targetChanged(change))
    }

    /// A change of a probe's verdict.
    static func probe(_ name: String, _ number: UInt64 = 1) -> Event { probe(at: ProbePoint(probe: name), number) }

    /// A change of a probe's verdict at a vantage point.
    static func probe(at point: ProbePoint, _ number: UInt64 = 1) -> Event {
        probe(point, number, ProbeVerdict(verdict: "down", code: "timeout"), code: "timeout")
    }

    /// A probe of which nothing is known, because a captive portal answers.
    static func probeBehindPortal(_ name: String, _ number: UInt64 = 1) -> Event {
        let verdict = ProbeVerdict(verdict: "unknown", code: "behind_portal")
        return probe(ProbePoint(probe: name), number, verdict, code: "behind_portal")
    }

    private static func probe(_ point: ProbePoint, _ number: UInt64, _ verdict: ProbeVerdict, code: String) -> Event {
        let change = ProbeChange(
            point: point,
            from: ProbeVerdict(verdict: "up"),
            to: verdict,
            cause: ChangeCause(kind: "probe", code: code),
            observed: time
        )
        return make(.probeChanged, point.probe, number, .probeChanged(change))
    }

    /// An event of any type that says nothing more.
    static func plain(_ type: EventType, subject: String = "agent", _ number: UInt64 = 1) -> Event {
        make(type, subject, number, .unknown)
    }

    private static func make(
        _ type: EventType,
        _ subject: String,
        _ number: UInt64,
        _ content: AgentEvent.Content
    ) -> Event {
        Event(EventDraft(type, subject: subject, content), from: origin, at: time, number: number)
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
