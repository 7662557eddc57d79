/// The types of event.
///
/// The raw value is the CloudEvents `type`; none is ever renamed or given another meaning.
public enum EventType: String, Sendable, Hashable, CaseIterable {
    /// The agent is ready; the first numbered event of its life.
    case agentStarted = "reachagent.agent.started"
    /// The agent is about to end; the last numbered event of its life.
    case agentStopping = "reachagent.agent.stopping"
    /// A path changed: every edge, at once.
    case pathChanged = "reachagent.path.changed"
    /// The machine's reachability changed, and held.
    case reachabilityChanged = "reachagent.reachability.changed"
    /// A target's reachability changed, and held.
    case targetChanged = "reachagent.target.changed"
    /// The state of an uplink changed, and held.
    case uplinkChanged = "reachagent.uplink.changed"
    /// A probe's verdict changed.
    case probeChanged = "reachagent.probe.changed"
    /// The checks of a probe within an hour.
    case probeSummary = "reachagent.probe.summary"
    /// A certificate came to the end of its lifetime as far as a threshold.
    case certificateExpiring = "reachagent.certificate.expiring"
    /// The machine was suspended, and is awake again.
    case suspendResumed = "reachagent.suspend.resumed"
    /// The agent was given another configuration.
    case configReloaded = "reachagent.config.reloaded"
    /// A reload was rejected; the next `config.reloaded` ends it.
    case configRejected = "reachagent.config.rejected"
    /// Kernel messages were lost or could not be read.
    case netlinkOverrun = "reachagent.netlink.overrun"
    /// The kernel's state was read again after a loss.
    case netlinkResynced = "reachagent.netlink.resynced"
    /// A run of a hook is over, or could not begin.
    case hookCompleted = "reachagent.hook.completed"
    /// The journal cannot be written any more, or can be written again.
    case journalDegraded = "reachagent.journal.degraded"
    /// Events left the journal before a sink had shipped them.
    case sinkLost = "reachagent.sink.lost"
    /// Events that were recorded are not kept any more; in their place in the journal.
    case eventsOmitted = "reachagent.events.omitted"
    /// The introduction of the agent with the number of its newest event; the first line on a socket, not numbered.
    case agentHello = "reachagent.agent.hello"
    /// The complete current state; not numbered.
    case networkSnapshot = "reachagent.network.snapshot"
    /// A check is over; for subscribers that ask for it; not numbered.
    case probeCompleted = "reachagent.probe.completed"
    /// The progress of a transfer; for subscribers that ask for it; not numbered.
    case probeProgress = "reachagent.probe.progress"
    /// The subscriber was too slow, and events are missing from here on; not numbered.
    case subscriberLagged = "reachagent.subscriber.lagged"

    /// The prefix of all types, which people leave out.
    public static let prefix = "reachagent."

    /// The type without ``prefix``: `reachability.changed`.
    public var shortName: String { Self.shortName(of: rawValue) }

    /// A type's name without ``prefix``; one that does not begin with it, such as a stranger's, as it is.
    public static func shortName(of type: String) -> String {
        type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
    }

    /// True when events of the type are part of the history: numbered, and kept in the journal.
    public var isNumbered: Bool {
        switch self {
        case .agentHello, .networkSnapshot, .probeCompleted, .probeProgress, .subscriberLagged: false
        default: true
        }
    }
}

extension EventType {
    /// The meaning of an event of this type, for people: the list that docs/events.md and reachagent-events(7) are made from.
    public var meaning: String {
        switch self {
        case .agentStarted: "The agent is ready; the first event of a run."
        case .agentStopping: "The agent is about to stop; the last event of a run."
        case .pathChanged: "A path changed: every edge, at once, for the default path and for each target."
        case .reachabilityChanged: "The default path changed, and the change has held for the settle time."
        case .targetChanged: "The same for a target."
        case .uplinkChanged: "The same for an uplink: an interface with a default route, or bound by a probe."
        case .probeChanged: "A probe's verdict changed, over one path and in one family."
        case .probeSummary: "The checks of a probe within an hour: counts by result, and a histogram of their latency."
        case .certificateExpiring: "A certificate that a probe saw is about to expire; one event per threshold."
        case .suspendResumed: "The machine was suspended, and for how long."
        case .configReloaded: "The configuration was reloaded: the differences."
        case .configRejected: "A reload was rejected, with the errors; the earlier configuration stays in effect."
        case .netlinkOverrun: "Kernel messages were lost, or could not be read."
        case .netlinkResynced: "After such a loss the agent resynchronized with the kernel: the differences."
        case .hookCompleted: "A hook run finished, or could not start: its outcome and its output."
        case .journalDegraded: "The journal cannot be written, or can be written again: the events that it lacks."
        case .sinkLost: "Events left the journal before a sink had shipped them: its broker never gets them."
        case .eventsOmitted: "In the place of events that were recorded, and are older than `journal_age`."
        case .agentHello:
            "The first line on a socket: the agent's identity, and the number after which the events continue."
        case .networkSnapshot: "The whole state: the second line on a socket, and what `run --once` prints."
        case .probeCompleted: "A check finished, with its whole report; only for subscribers that request it."
        case .probeProgress: "The progress of a transfer, at most ten a second; only for subscribers that request it."
        case .subscriberLagged: "The reader was too slow; events are missing after `last_seq`."
        }
    }
}

extension EventType {
    /// The types that a pattern names: one by its name, or all that begin with what stands before a `*` at the end.
    ///
    /// - Parameter pattern: With or without ``prefix``: `path.changed`, `probe.*`, `*`.
    package static func matching(_ pattern: String) -> [EventType] {
        let name = shortName(of: pattern)
        guard name.last == "*" else { return allCases.filter { $0.shortName == name } }
        return allCases.filter { $0.shortName.hasPrefix(name.dropLast()) }
    }
}

extension EventType {
    private static let texts = allCases.map { (type: $0, text: Array($0.rawValue.utf8)) }

    /// The type with this raw value in UTF-8; made without a string, because a journal has tens of thousands of lines.
    package init?(text: Span<UInt8>) {
        let found = text.withUnsafeBufferPointer { text in
            Self.texts.first { $0.text.count == text.count && $0.text.elementsEqual(text) }
        }
        guard let found else { return nil }
        self = found.type
    }
}
