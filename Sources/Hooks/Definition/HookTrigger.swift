public import AgentEvents
internal import NetlinkMonitor

/// The events for which a hook runs: those of one of the types that satisfy all conditions of `when`.
public struct HookTrigger: Sendable, Hashable {
    /// The event types for which a hook can run.
    ///
    /// Excluded are `hook.completed`, which would cause an endless loop, and the agent's last event.
    public static let types: [EventType] = [
        .agentStarted, .pathChanged, .reachabilityChanged, .targetChanged, .uplinkChanged, .probeChanged,
        .certificateExpiring,
        .netlinkOverrun, .netlinkResynced, .suspendResumed, .configReloaded, .configRejected,
        .journalDegraded, .sinkLost,
    ]

    /// The event types; never empty.
    public var types: Set<EventType>
    /// The conditions.
    public var filter: HookFilter

    /// Creates a trigger; by default all settled changes of the default path.
    public init(types: Set<EventType> = [.reachabilityChanged], filter: HookFilter = HookFilter()) {
        self.types = types
        self.filter = filter
    }
}

/// The conditions on an event; an empty array imposes none.
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
    /// One of these shell patterns (fnmatch(3)) must match the interface before or after the change, or of its cause, by
    /// its own name or an alternative one; for `uplink.changed` the uplink alone.
    public var interfaces: [String] = []
    /// The code of the cause must be one of these.
    public var causes: [String] = []
    /// One of these aspects must have changed.
    public var changes: [Aspect] = []

    /// Creates a filter without conditions.
    public init() {}
}

/// The result of matching a hook with an event.
public enum HookMatch: Sendable, Hashable {
    /// The hook runs.
    case matches
    /// The hook is for events of other types.
    case type
    /// The event reports the state at the agent's start, and `at_start` is not set for the hook.
    case atStartOnly
    /// A probe is `unknown` because of a captive portal, and the hook does not list that cause.
    case behindPortal
    /// A condition of `when` does not hold.
    ///
    /// - Parameters:
    ///   - name: The condition's key, such as `to_via`.
    ///   - wanted: The values of the condition.
    ///   - found: The value of the event; nil if it has none.
    case filter(name: String, wanted: [String], found: String?)
}

extension HookMatch: CustomStringConvertible {
    /// A short explanation; values of the event are unmodified.
    public var description: String {
        switch self {
        case .matches: "it runs"
        case .type: "it is for events of other types"
        case .atStartOnly: "it has no 'at_start', and the event is the state at the agent's start"
        case .behindPortal: "a captive portal answers, and 'cause' does not ask for behind_portal"
        case .filter(let name, let wanted, let found):
            "'\(name)' asks for \(wanted.joined(separator: " or ")), and the event says \(found ?? "nothing of it")"
        }
    }
}

extension HookTrigger {
    /// Matches an event: the type first, then each condition in the order of the documentation.
    public func matches(_ event: HookEvent) -> HookMatch {
        guard types.contains(event.type) else { return .type }
        // Behind a portal, failing probes say nothing about their targets; the portal itself is in the event of the
        // state.
        if event.type == .probeChanged, event.to.code == "behind_portal", filter.causes.isEmpty { return .behindPortal }
        return filter.obstacle(to: event) ?? .matches
    }
}

extension HookDefinition {
    /// Matches an event that just happened: by the trigger, and the agent's first state only with `at_start`.
    public func matches(_ event: HookEvent) -> HookMatch {
        let match = trigger.matches(event)
        guard match == .matches else { return match }
        return event.isInitial && !pace.runsAtStart ? .atStartOnly : .matches
    }
}

extension HookFilter {
    /// Returns the first condition that does not hold.
    fileprivate func obstacle(to event: HookEvent) -> HookMatch? {
        let exact: [(name: String, wanted: [String], found: String?)] = [
            ("from_via", fromVia, event.from.via),
            ("to_via", toVia, event.to.via),
            ("from_connectivity", fromConnectivity, event.from.connectivity),
            ("to_connectivity", toConnectivity, event.to.connectivity),
            ("target", targets, event.target),
            ("probe", probes, event.probe),
            ("cause", causes, event.cause?.code),
        ]
        for (name, wanted, found) in exact where !wanted.isEmpty {
            guard let found, wanted.contains(found) else { return .filter(name: name, wanted: wanted, found: found) }
        }
        return interfaceObstacle(to: event) ?? changeObstacle(to: event)
    }

    private func interfaceObstacle(to event: HookEvent) -> HookMatch? {
        guard !interfaces.isEmpty else { return nil }
        let patterns = interfaces.map { NamePattern($0) }
        let found = event.interfaces
        let names = found + event.alternativeNames
        if names.contains(where: { name in patterns.contains { $0.matches(name) } }) { return nil }
        return .filter(
            name: "interface",
            wanted: interfaces,
            found: found.isEmpty ? nil : found.joined(separator: ", ")
        )
    }

    private func changeObstacle(to event: HookEvent) -> HookMatch? {
        guard !changes.isEmpty else { return nil }
        let found = event.changes
        if changes.contains(where: found.contains) { return nil }
        return .filter(
            name: "changed",
            wanted: changes.map(\.rawValue),
            found: found.isEmpty ? nil : found.map(\.rawValue).joined(separator: ", ")
        )
    }
}

extension HookEvent {
    /// The interfaces of the event without duplicates: after the change, its own, of the cause, before the change.
    var interfaces: [String] {
        // At a failover, the interface that went is the cause of the events of all uplinks.
        let cause = type == .uplinkChanged ? nil : cause?.interface
        var names: [String] = []
        for case let name? in [to.interface, interface, cause, from.interface] where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Sets the alternative names of the event's interfaces.
    ///
    /// - Parameter names: Returns the alternative names of an interface.
    package mutating func addAlternativeNames(_ names: (String) -> [String]) {
        alternativeNames = interfaces.flatMap(names)
    }

    /// The changed aspects of the event.
    var changes: [HookFilter.Aspect] {
        HookFilter.Aspect.allCases.filter { aspect in
            switch aspect {
            case .via: from.via != to.via
            case .interface: from.interface != to.interface
            case .connectivity: from.connectivity != to.connectivity
            case .verdict: from.verdict != to.verdict
            }
        }
    }
}
