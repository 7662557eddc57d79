public import AgentEvents

/// The events for which a hook runs: one of the types, and all conditions of `when`.
public struct HookTrigger: Sendable, Hashable {
    /// The types that a hook can have.
    ///
    /// Not `hook.completed`, which would run it in an endless loop, nor the agent's last event.
    public static let types: [EventType] = [
        .agentStarted, .pathChanged, .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged,
        .certificateExpiring,
        .netlinkOverrun, .netlinkResynced, .suspendResumed, .configReloaded, .configRejected,
        .journalDegraded, .sinkLost,
    ]

    /// The types of event; never empty.
    public var types: Set<EventType>
    /// The conditions.
    public var filter: HookFilter

    /// Creates a trigger; by default all settled changes of the default path.
    public init(types: Set<EventType> = [.reachabilityChanged], filter: HookFilter = HookFilter()) {
        self.types = types
        self.filter = filter
    }
}

/// The conditions on an event; an empty list is no condition.
public struct HookFilter: Sendable, Hashable {
    /// An aspect that an event may change.
    public enum Aspect: String, Sendable, Hashable, CaseIterable {
        /// The `via`.
        case via
        /// The interface of the default path, or of the target's path.
        case interface
        /// The `connectivity`.
        case connectivity
        /// The probe's `verdict`.
        case verdict
    }

    /// The `via` before must be one of these.
    public var fromVia: [String] = []
    /// The `via` after must be one of these.
    public var toVia: [String] = []
    /// The `connectivity` before must be one of these.
    public var fromConnectivity: [String] = []
    /// The `connectivity` after must be one of these.
    public var toConnectivity: [String] = []
    /// The target must be one of these (`target.changed`, and `path.changed` of targets).
    public var targets: [String] = []
    /// The probe must be one of these (`probe.changed`, `certificate.expiring`).
    public var probes: [String] = []
    /// One of these shell patterns (fnmatch(3)) must match the interface before, after or of the cause.
    public var interfaces: [String] = []
    /// The code of the cause must be one of these.
    public var causes: [String] = []
    /// One of these aspects must have changed.
    public var changes: [Aspect] = []

    /// Creates a filter without conditions.
    public init() {}
}
