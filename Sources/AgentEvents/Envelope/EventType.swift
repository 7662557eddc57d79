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
