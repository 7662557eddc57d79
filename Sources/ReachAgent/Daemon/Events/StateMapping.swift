internal import AgentEvents
internal import NetlinkMonitor
internal import Reachability

// States and their changes as the values of the schema.

extension AgentEvents.Path {
    init(_ path: Reachability.Path) {
        self.init(
            via: AgentEvents.Via(path.via.rawValue),
            reason: path.reason?.rawValue,
            interface: path.interface?.name,
            interfaceIndex: path.interface?.index,
            kind: path.interface?.kind.rawValue,
            kindIsGuess: path.interface?.kindIsGuess == true,
            gateway: path.gateway?.description,
            source: path.source?.description,
            prefix: path.prefix?.description,
            table: path.table,
            metric: path.metric,
            underlay: path.underlay.map { underlay in
                Underlay(
                    interface: underlay.interface?.name,
                    kind: underlay.interface?.kind.rawValue,
                    evidence: underlay.evidence.rawValue,
                    isGuess: !underlay.evidence.isCertain
                )
            },
            deadLegs: path.deadLegs.map { Leg($0) },
            unconnected: path.unconnected.map { Leg($0) }
        )
    }
}

extension AgentEvents.Path.Leg {
    fileprivate init(_ branch: PathBranch) {
        self.init(
            interface: branch.interface,
            gateway: branch.gateway?.description,
            reason: branch.reason?.rawValue
        )
    }
}

/// A state of the machine or of a target.
protocol PublishedState: Sendable, Equatable {
    /// The state as a value of the schema.
    var published: AgentEvents.ReachabilityState { get }
}

extension Reachability.ReachabilityState: PublishedState {
    var published: AgentEvents.ReachabilityState {
        let (path4, path6) = (AgentEvents.Path(ipv4), AgentEvents.Path(ipv6))
        // The overall path is one of the two.
        let overall = path == ipv4 ? path4 : path6
        let byFamily = familyConnectivity == FamilyConnectivity() ? nil : familyConnectivity
        return AgentEvents.ReachabilityState(
            via: overall.via,
            afStatus: via.afStatus,
            connectivity: AgentEvents.Connectivity(connectivity.rawValue),
            connectivityReason: connectivityReason?.code,
            connectivityProbe: connectivityReason?.probe,
            portalURL: connectivityReason?.portalURL,
            connectivityByFamily: byFamily.map { families in
                .init(
                    ipv4: AgentEvents.Connectivity(families.ipv4.rawValue),
                    ipv6: AgentEvents.Connectivity(families.ipv6.rawValue)
                )
            },
            isFlapping: isFlapping,
            reason: overall.reason,
            alternative: alternative.map { alternative in
                .init(
                    code: alternative.code.rawValue,
                    preferred: alternative.preferred.name,
                    interface: alternative.interface.name
                )
            },
            path: .init(overall, ipv4: path4, ipv6: path6)
        )
    }
}

extension TargetState: PublishedState {
    var published: AgentEvents.ReachabilityState {
        let path = AgentEvents.Path(path)
        return AgentEvents.ReachabilityState(
            via: path.via,
            afStatus: via.afStatus,
            reason: path.reason,
            address: address.description,
            path: .init(path)
        )
    }
}

extension AgentEvents.ChangeCause {
    init(_ cause: Reachability.ChangeCause) {
        self.init(kind: cause.kind.rawValue, code: cause.code, interface: cause.interface, detail: cause.detail)
    }
}

extension StateChange {
    /// A settled change.
    init<State: PublishedState>(_ change: Change<State>) {
        self.init(raw: change)
        settledMilliseconds = change.settled.milliseconds
    }

    /// A change of a path, as it was observed.
    init<State: PublishedState>(raw change: Change<State>) {
        self.init(
            from: change.from.published,
            to: change.to.published,
            cause: AgentEvents.ChangeCause(change.cause),
            observed: Timestamp(change.observed)
        )
    }
}

extension AgentEvents.Uplink {
    init(_ uplink: Reachability.Uplink) {
        self.init(
            interface: uplink.interface.name,
            interfaceIndex: uplink.interface.index,
            kind: uplink.interface.kind.rawValue,
            kindIsGuess: uplink.interface.kindIsGuess,
            connectivity: AgentEvents.Connectivity(uplink.connectivity.rawValue),
            reason: uplink.reason.map { Reason(code: $0.code, probe: $0.probe, portalURL: $0.portalURL) },
            isUsed: uplink.isUsed,
            isBoundOnly: uplink.isBoundOnly
        )
    }
}

extension UplinkChange {
    init(_ change: Change<Reachability.Uplink>) {
        self.init(
            from: AgentEvents.Uplink(change.from),
            to: AgentEvents.Uplink(change.to),
            cause: AgentEvents.ChangeCause(change.cause),
            observed: Timestamp(change.observed),
            settledMilliseconds: change.settled.milliseconds
        )
    }
}

extension SettledStates {
    /// The maximum size of each list, in bytes: `reachagent fleet` skips the content of events above 64 KiB.
    private static let maximumListBytes = 16 << 10

    init(_ machine: ReachabilityMachine) {
        let targets = BoundedList(
            machine.targetPaths.map { target, state in
                AgentEvents.NetworkSnapshot.Target(name: target.name, state: state.published)
            },
            bytes: Self.maximumListBytes
        )
        let uplinks = BoundedList(machine.uplinks.map { AgentEvents.Uplink($0) }, bytes: Self.maximumListBytes)
        let probes = BoundedList(
            machine.publishedProbes.troubledFirst(by: \.published).map { AgentEvents.NetworkSnapshot.ProbeVerdict($0) },
            bytes: Self.maximumListBytes
        )
        let omitted = [targets.omitted, uplinks.omitted, probes.omitted].compactMap(\.self)
        self.init(
            state: machine.state.published,
            targets: targets.elements,
            uplinks: uplinks.elements,
            probes: probes.elements,
            omitted: omitted.isEmpty ? nil : omitted.reduce(0, +)
        )
    }
}
