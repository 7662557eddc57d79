internal import AgentEvents
internal import NetlinkMonitor
internal import Reachability

// The parts of a running agent's status that stand in for settings which cannot be read: the files have errors since, or this
// user may not read them.

extension KindOverride {
    /// Returns the kinds of interface that an agent has determined, except for guesses.
    static func published(in status: AgentStatus) -> [KindOverride] {
        status.interfaces.compactMap { interface in
            guard !interface.kindIsGuess, let kind = InterfaceKind(rawValue: interface.kind) else { return nil }
            return KindOverride(pattern: pattern(of: interface.name), kind: kind)
        }
    }

    /// Returns the pattern that matches a name alone, even one with the characters of a pattern.
    private static func pattern(of name: String) -> String {
        name.reduce(into: "") { pattern, character in
            if #"*?[\"#.contains(character) { pattern += #"\"# }
            pattern.append(character)
        }
    }
}

extension Reachability.ReachabilityState {
    /// Creates the state of the default paths that an agent has published; `nil` if it does not know them.
    init?(publishedIn status: AgentStatus, interfaces snapshot: NetlinkMonitor.NetworkSnapshot) {
        guard let state = status.reachability.state, state.via != .unknown, let ipv4 = state.path.ipv4,
            let ipv6 = state.path.ipv6
        else { return nil }
        self.init(
            ipv4: NetlinkPath(published: ipv4, interfaces: snapshot),
            ipv6: NetlinkPath(published: ipv6, interfaces: snapshot)
        )
    }
}

extension NetlinkPath {
    fileprivate init(published path: AgentEvents.Path, interfaces snapshot: NetlinkMonitor.NetworkSnapshot) {
        self.init(
            via: Reachability.Via(rawValue: path.via.rawValue) ?? .other,
            interface: snapshot.pathInterface(named: path.interface),
            gateway: path.gateway.flatMap { IPAddress($0) },
            source: path.source.flatMap { IPAddress($0) },
            underlay: path.underlay.flatMap { underlay in
                let evidence = underlay.evidence.flatMap { Underlay.Evidence(rawValue: $0) }
                return evidence.map {
                    PathUnderlay(interface: snapshot.pathInterface(named: underlay.interface), evidence: $0)
                }
            },
            deadLegs: path.deadLegs.map { leg in
                PathBranch(
                    interface: leg.interface,
                    gateway: leg.gateway.flatMap { IPAddress($0) },
                    reason: leg.reason.flatMap { ReasonCode(rawValue: $0) }
                )
            },
            reason: path.reason.flatMap { ReasonCode(rawValue: $0) }
        )
    }
}

extension NetlinkMonitor.NetworkSnapshot {
    fileprivate func pathInterface(named name: String?) -> PathInterface? {
        name.flatMap { link(named: $0) }.map { link in
            PathInterface(
                index: link.index,
                name: link.name,
                kind: link.kind,
                kindIsGuess: link.classification.isGuess
            )
        }
    }
}
