public import EventEnvelope

/// For which events a hook runs: one of the types, and everything that `when` asks for.
public struct HookTrigger: Sendable, Hashable {
    /// The types that a hook can have.
    ///
    /// Not `hook.completed`, which would run it for ever, nor the agent's last event.
    public static let types: [EventType] = [
        .agentStarted, .pathChanged, .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged,
        .certificateExpiring,
        .netlinkOverrun, .netlinkResynced, .suspendResumed, .configReloaded, .journalDegraded,
    ]

    /// The types of event; never empty.
    public var types: Set<EventType>
    /// What else must hold.
    public var filter: HookFilter

    /// The default path's settled changes, all of them.
    public init(types: Set<EventType> = [.reachabilityChanged], filter: HookFilter = HookFilter()) {
        self.types = types
        self.filter = filter
    }
}

/// What an event must say; a list that is empty asks for nothing.
public struct HookFilter: Sendable, Hashable {
    /// What is different after the event.
    public enum Aspect: String, Sendable, Hashable, CaseIterable {
        /// The `via`.
        case via
        /// The interface that the default path, or the target's, leads through.
        case interface
        /// The `connectivity`.
        case connectivity
        /// The probe's `verdict`.
        case verdict
    }

    /// The `via` before, one of these.
    public var fromVia: [String] = []
    /// The `via` after, one of these.
    public var toVia: [String] = []
    /// The `connectivity` before, one of these.
    public var fromConnectivity: [String] = []
    /// The `connectivity` after, one of these.
    public var toConnectivity: [String] = []
    /// The names of targets, one of these (`target.changed`, and `path.changed` of targets).
    public var targets: [String] = []
    /// The names of probes, one of these (`probe.changed`, `certificate.expiring`).
    public var probes: [String] = []
    /// Shell patterns (fnmatch(3)) of which one matches the interface before, after or of the cause.
    public var interfaces: [String] = []
    /// The codes of the cause, one of these.
    public var causes: [String] = []
    /// What must be different after the event; one of these is enough.
    public var changes: [Aspect] = []

    /// Asks for nothing.
    public init() {}
}
