import AgentEvents
import ForeignText

@testable import ReachAgentFleet

/// A device that a test lets write events, in seconds since 2026-11-21T00:00:00Z.
struct WrittenDevice {
    static let epoch: Int64 = 1_795_219_200

    let name: String
    let origin: EventOrigin
    /// The stream of numbers as the broker knows it.
    var stream: String
    var sequence: UInt64 = 0
    private var state: ReachabilityState

    init(_ name: String, host: String? = nil, stream: String = "6f1c0000000000000000000000000001") {
        self.name = name
        self.stream = stream
        origin = EventOrigin(streamID: stream, host: host ?? name)
        state = Self.state(.unknown)
    }

    static func moment(_ second: Int64) -> Timestamp { Timestamp(microsecondsSince1970: (epoch + second) * 1_000_000) }

    static func state(
        _ connectivity: Connectivity,
        interface: String = "wlan0",
        via: Via = .wifi,
        reason: String? = nil,
        probe: String? = nil
    ) -> ReachabilityState {
        let isPathless = connectivity == .none
        let path = Path(
            via: isPathless ? .none : via,
            reason: isPathless ? reason : nil,
            interface: interface,
            kind: via.rawValue
        )
        return ReachabilityState(
            via: path.via,
            afStatus: 2,
            connectivity: connectivity,
            connectivityReason: isPathless ? nil : reason,
            connectivityProbe: probe,
            reason: isPathless ? reason : nil,
            path: .init(path)
        )
    }

    mutating func event(
        _ type: EventType,
        at second: Int64,
        stored: Int64? = nil,
        subject: String = "agent",
        _ content: AgentEvent.Content
    ) -> FleetMessage {
        sequence += 1
        let draft = EventDraft(type, subject: subject, content)
        let event = Event(draft, from: origin, at: Self.moment(second), number: sequence)
        return FleetMessage(
            device: ForeignText(name),
            id: "\(stream)-\(sequence)",
            stored: Self.moment(stored ?? second),
            payload: event.line
        )
    }

    mutating func starts(at second: Int64) -> FleetMessage {
        let start = AgentStarted(
            version: "0.1.0",
            schema: 1,
            stream: stream,
            settleUpMilliseconds: 250,
            settleDownMilliseconds: 1000,
            targets: []
        )
        return event(.agentStarted, at: second, .agentStarted(start))
    }

    mutating func stops(at second: Int64) -> FleetMessage {
        event(.agentStopping, at: second, .agentStopping(AgentStopping(reason: "SIGTERM")))
    }

    mutating func changes(to next: ReachabilityState, at second: Int64, stored: Int64? = nil) -> FleetMessage {
        let change = StateChange(
            from: state,
            to: next,
            cause: ChangeCause(kind: "link", code: next.reason ?? next.connectivityReason ?? "initial"),
            observed: Self.moment(second),
            settledMilliseconds: 1000
        )
        state = next
        return event(.reachabilityChanged, at: second, stored: stored, subject: "default", .reachabilityChanged(change))
    }

    static func uplink(
        _ interface: String,
        _ kind: String,
        _ connectivity: Connectivity,
        isUsed: Bool = false,
        reason: String? = nil
    ) -> Uplink {
        Uplink(
            interface: interface,
            interfaceIndex: 2,
            kind: kind,
            connectivity: connectivity,
            reason: reason.map { Uplink.Reason(code: $0) },
            isUsed: isUsed
        )
    }

    mutating func uplink(
        _ interface: String,
        _ kind: String,
        _ connectivity: Connectivity,
        isUsed: Bool = false,
        reason: String? = nil,
        at second: Int64
    ) -> FleetMessage {
        func uplink(_ connectivity: Connectivity) -> Uplink {
            Self.uplink(interface, kind, connectivity, isUsed: isUsed, reason: reason)
        }
        let change = UplinkChange(
            from: uplink(.unknown),
            to: uplink(connectivity),
            cause: ChangeCause(kind: "link", code: "link_up"),
            observed: Self.moment(second),
            settledMilliseconds: 250
        )
        return event(.uplinkChanged, at: second, subject: interface, .uplinkChanged(change))
    }

    /// An event about missing ones, with the settled states.
    mutating func states(
        _ next: ReachabilityState,
        _ uplinks: [Uplink] = [],
        omitted: Int? = nil,
        at second: Int64
    ) -> FleetMessage {
        state = next
        let change = JournalDegraded(
            isDegraded: false,
            code: "journal_resumed",
            missingFirstSequence: 1,
            missingLastSequence: sequence,
            settled: SettledStates(state: next, uplinks: uplinks, omitted: omitted)
        )
        return event(.journalDegraded, at: second, .journalDegraded(change))
    }

    mutating func loses(_ range: ClosedRange<UInt64>, count: UInt64? = nil, at second: Int64) -> FleetMessage {
        let loss = SinkLoss(
            sink: "hq",
            firstSequence: range.lowerBound,
            lastSequence: range.upperBound,
            matching: count
        )
        return event(.sinkLost, at: second, .sinkLost(loss))
    }

    /// An event whose content no fleet reads.
    mutating func other(at second: Int64) -> FleetMessage {
        let moment = Self.moment(second)
        let overrun = NetlinkOverrun(
            code: "netlink_overrun",
            detail: "messages were lost",
            dropped: 0,
            observed: moment
        )
        return event(.netlinkOverrun, at: second, .netlinkOverrun(overrun))
    }
}
