internal import NetlinkMonitor

extension HookTrigger {
    /// Matches an event: the type first, then each condition in the order of the documentation.
    public func matches(_ event: HookEvent) -> HookMatch {
        guard types.contains(event.type) else { return .type }
        // Behind a portal probes fail through no fault of their own; the portal itself is in the state's event.
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
        if found.contains(where: { name in patterns.contains { $0.matches(name) } }) { return nil }
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
    /// The interfaces of the event: after, its own, of the cause, before; each once.
    var interfaces: [String] {
        var names: [String] = []
        for case let name? in [to.interface, interface, cause?.interface, from.interface] where !names.contains(name) {
            names.append(name)
        }
        return names
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
