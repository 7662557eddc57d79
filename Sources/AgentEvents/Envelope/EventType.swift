/// The event types.
///
/// The raw value is the CloudEvents `type`, which is never renamed or given another meaning.
public enum EventType: String, Sendable, Hashable, CaseIterable {
    /// The agent is ready; the first numbered event of a run.
    case agentStarted = "reachagent.agent.started"
    /// The agent is about to stop; the last numbered event of a run.
    case agentStopping = "reachagent.agent.stopping"
    /// A path changed: every change, reported immediately.
    case pathChanged = "reachagent.path.changed"
    /// The machine's reachability changed, and the change has settled.
    case reachabilityChanged = "reachagent.reachability.changed"
    /// A target's reachability changed, and the change has settled.
    case targetChanged = "reachagent.target.changed"
    /// The state of an uplink changed, and the change has settled.
    case uplinkChanged = "reachagent.uplink.changed"
    /// A probe's verdict changed.
    case probeChanged = "reachagent.probe.changed"
    /// The checks of a probe within an hour.
    case probeSummary = "reachagent.probe.summary"
    /// The remaining lifetime of a certificate fell below a threshold.
    case certificateExpiring = "reachagent.certificate.expiring"
    /// The machine was suspended, and has resumed.
    case suspendResumed = "reachagent.suspend.resumed"
    /// The agent applied another configuration.
    case configReloaded = "reachagent.config.reloaded"
    /// A reload was rejected, until the next `config.reloaded`.
    case configRejected = "reachagent.config.rejected"
    /// Kernel messages were lost or could not be read.
    case netlinkOverrun = "reachagent.netlink.overrun"
    /// The kernel's state was read again after a loss.
    case netlinkResynced = "reachagent.netlink.resynced"
    /// A run of a hook ended, or could not start.
    case hookCompleted = "reachagent.hook.completed"
    /// The journal can no longer be written, or can be written again.
    case journalDegraded = "reachagent.journal.degraded"
    /// Events left the journal before a sink had shipped them.
    case sinkLost = "reachagent.sink.lost"
    /// Recorded events are no longer kept; this event replaces them in the journal.
    case eventsOmitted = "reachagent.events.omitted"
    /// The first line on a socket: the agent, and the number of its newest event; not numbered.
    case agentHello = "reachagent.agent.hello"
    /// The complete current state; not numbered.
    case networkSnapshot = "reachagent.network.snapshot"
    /// A check ended; only for subscribers that request it; not numbered.
    case probeCompleted = "reachagent.probe.completed"
    /// The progress of a transfer; only for subscribers that request it; not numbered.
    case probeProgress = "reachagent.probe.progress"
    /// The subscriber was too slow, and events after this one are missing; not numbered.
    case subscriberLagged = "reachagent.subscriber.lagged"

    /// The prefix of all types, which is omitted for people.
    public static let prefix = "reachagent."

    /// The type without ``prefix``: `reachability.changed`.
    public var shortName: String { Self.shortName(of: rawValue) }

    /// Returns the name of a type without ``prefix``; a foreign type without the prefix is returned unchanged.
    public static func shortName(of type: String) -> String {
        // By bytes, because it may be a stranger's.
        guard type.utf8.starts(with: prefix.utf8) else { return type }
        return String(Substring(type.utf8.dropFirst(prefix.utf8.count)))
    }

    /// True if events of the type are part of the history: numbered, and kept in the journal.
    public var isNumbered: Bool {
        switch self {
        case .agentHello, .networkSnapshot, .probeCompleted, .probeProgress, .subscriberLagged: false
        default: true
        }
    }
}

extension EventType {
    /// The meaning of an event of this type, for people: the source of the list in docs/events.md and
    /// reachagent-events(7).
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
    /// Returns the types that a pattern selects: one by its name, or all with the prefix before a `*` at the end.
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

    /// Creates the type with this raw value in UTF-8, without a string, because a journal has tens of thousands of
    /// lines.
    package init?(text: Span<UInt8>) {
        guard let found = text.withUnsafeBufferPointer({ Self.find($0) }) else { return nil }
        self = found
    }

    /// Creates the type with this raw value, which is compared by its bytes: it may be a stranger's.
    init?(text: String) {
        var text = text
        guard let found = text.withUTF8({ Self.find($0) }) else { return nil }
        self = found
    }

    private static func find(_ text: UnsafeBufferPointer<UInt8>) -> EventType? {
        texts.first { known in
            known.text.count == text.count && text.indices.allSatisfy { known.text[$0] == text[$0] }
        }?.type
    }
}
