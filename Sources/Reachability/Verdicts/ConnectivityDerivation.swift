internal import CheckResults

/// The combined result of the probes of one uplink, or of the default path.
struct ConnectivityVerdict: Sendable, Equatable {
    var connectivity: Connectivity
    /// The connectivity of each family; nil without probes.
    var families: FamilyConnectivity?
    var reason: ConnectivityReason?

    /// The verdict without probes.
    static let unknown = ConnectivityVerdict(connectivity: .unknown)

    /// `true` if there are probes.
    var isProbed: Bool { families != nil }

    /// The verdict without any results.
    var forgotten: ConnectivityVerdict {
        ConnectivityVerdict(connectivity: .unknown, families: families.map { _ in FamilyConnectivity() })
    }
}

/// A probe's share in the reason for a connectivity.
struct ProbeView {
    let name: String
    let isRequired: Bool
    let state: ProbeState
}

extension ConnectivityVerdict {
    /// Combines the results of the probes of one uplink, or of the default path.
    ///
    /// - Parameters:
    ///   - tally: The numbers of probes by verdict.
    ///   - egresses: The paths, of the families with a usable one.
    ///   - quorum: The number of required probes of a family that must be up.
    ///   - probes: The faulty probes, in order, one of which is named as the reason; others may be included.
    init(
        _ tally: ConnectivityTally,
        egresses: Vantages.Egresses,
        quorum: Quorum,
        probes: some Collection<ProbeView>
    ) {
        let families = FamilyConnectivity(
            ipv4: egresses.ipv4 == nil ? .none : tally.family(tally.ipv4, quorum),
            ipv6: egresses.ipv6 == nil ? .none : tally.family(tally.ipv6, quorum)
        )
        let connectivity = egresses.isEmpty ? .none : tally.connectivity(families, quorum)
        self.init(
            connectivity: connectivity,
            families: families,
            reason: tally.reason(connectivity, families, quorum: quorum, probes: probes)
        )
    }
}

extension ConnectivityTally {
    /// Returns the connectivity of one family; probes of no particular family count only towards the quorum.
    fileprivate func family(_ own: Votes, _ quorum: Quorum) -> Connectivity {
        if own.portals > 0 { return .portal }
        guard own.isDefinite else { return .unknown }
        return own.connectivity(isQuorumMet: (own + any).satisfies(quorum))
    }

    fileprivate func connectivity(_ families: FamilyConnectivity, _ quorum: Quorum) -> Connectivity {
        if meetsPortal { return .portal }
        let all = ipv4 + ipv6 + any
        var parts = [(ipv4, families.ipv4), (ipv6, families.ipv6)].filter { $0.isExpected && $1 != .none }.map { $1 }
        if parts.isEmpty, any.isExpected { parts = [any.connectivity(isQuorumMet: any.satisfies(quorum))] }
        if parts.contains(.partial) || parts.contains(.local) { return all.connectivityUnlessFull }
        if parts.contains(.unknown) { return .unknown }
        // If no probe is required, any answer is sufficient, and a missing answer proves nothing.
        return !parts.isEmpty || all.exempt == 0 && all.hasAnswer ? .full : .unknown
    }

    fileprivate func reason(
        _ connectivity: Connectivity,
        _ families: FamilyConnectivity,
        quorum: Quorum,
        probes: some Collection<ProbeView>
    ) -> ConnectivityReason? {
        switch connectivity {
        case .full, .none: return nil
        case .portal:
            guard let probe = probes.first(where: { $0.state.verdict == .portal }) else { return nil }
            let code = probe.state.code ?? .portalContent
            let url = probes.compactMap(\.doorRank).min { $0.rank < $1.rank }?.url
            return ConnectivityReason(code: code.rawValue, probe: probe.name, portalURL: url)
        case .unknown:
            guard ignored > 0 else { return nil }
            let unchecked = probes.filter { $0.state.isIgnored || $0.state.isUnresolved }
            // A code that closes the path says more than one that merely keeps this machine from checking it.
            let closed = unchecked.first { $0.state.code.map { !$0.leavesPathOpen } ?? false }
            // Pending checks are the reason otherwise, for as long as there are any.
            let open = (ipv4 + ipv6 + any).pending == 0 ? unchecked.first : nil
            return (closed ?? open)?.reason
        case .partial, .local:
            return commonReason(families, probes: probes) ?? individualReason(quorum: quorum, probes: probes)
        }
    }

    /// Returns the common reason of the checks with and without TLS, if it is the same in each family that is not full.
    private func commonReason(
        _ families: FamilyConnectivity,
        probes: some Collection<ProbeView>
    ) -> ConnectivityReason? {
        let failing: Set<Connectivity> = [.partial, .local]
        var groups = [(families.ipv4, ipv4), (families.ipv6, ipv6)].filter { failing.contains($0.0) }.map { $0.1 + any }
        if groups.isEmpty { groups = [any] }
        let codes = Set(groups.map(\.commonReason))
        guard codes.count == 1, let common = codes.first, let code = common else { return nil }
        // A single wrong certificate may be the target's own fault: that probe is named.
        let isForeign = code != .httpsUnreachable
        let foreign = isForeign ? Set(probes.lazy.filter(\.isForeign).map(\.name)) : []
        return ConnectivityReason(code: code.rawValue, probe: foreign.count == 1 ? foreign.first : nil)
    }

    /// Returns the reason of the first probe that is down, else of the first that failed to resolve; a missed quorum if
    /// they differ.
    private func individualReason(quorum: Quorum, probes: some Collection<ProbeView>) -> ConnectivityReason? {
        if case .atLeast = quorum, codes.count > 1 {
            return ConnectivityReason(code: ReasonCode.quorumMissed.rawValue)
        }
        let culprit =
            probes.first { $0.isRequired && $0.state.verdict == .down }
            ?? probes.first { $0.isRequired && $0.state.isUnresolved }
        return culprit?.reason
    }
}

extension ConnectivityTally.Votes {
    /// Returns the connectivity; unknown while it depends on pending probes.
    ///
    /// - Parameter isQuorumMet: Whether enough probes are up; nil while that depends on pending ones.
    fileprivate func connectivity(isQuorumMet: Bool?) -> Connectivity {
        // Probes of no particular family may meet the quorum alone.
        let mayBeFull = up + pending > 0 && isQuorumMet != false
        guard mayBeFull else { return connectivityUnlessFull }
        return up > 0 && isQuorumMet == true ? .full : .unknown
    }

    /// The connectivity if it is not full; unknown while a pending probe may yet get the first answer.
    fileprivate var connectivityUnlessFull: Connectivity {
        guard isShut else { return .partial }
        return pending == 0 ? .local : .unknown
    }

    fileprivate var commonReason: ReasonCode? {
        guard upTLS == 0, tlsAnswered == 0 else { return nil }
        switch (tlsForeign, tlsOther) {
        case (0, 0): return nil
        case (0, _): return upPlain > 0 ? .httpsUnreachable : nil
        case (_, 0) where upPlain > 0: return .tlsIntercepted
        default: return upPlain > 0 ? nil : .portalSuspected
        }
    }
}

extension ProbeView {
    /// The login page and its rank: the network's own API precedes a redirect.
    fileprivate var doorRank: (rank: Int, url: String)? {
        guard state.verdict == .portal, let url = state.portalURL else { return nil }
        return switch state.code {
        case .portalAPI: (0, url)
        case .portalRedirect: (1, url)
        default: (2, url)
        }
    }

    fileprivate var isForeign: Bool { isRequired && state.verdict == .down && state.evidence == .foreign }

    fileprivate var reason: ConnectivityReason? {
        state.code.map { ConnectivityReason(code: $0.rawValue, probe: name) }
    }
}
