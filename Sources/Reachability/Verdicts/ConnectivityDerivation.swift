internal import Probes

/// What the probes of one place come to together.
struct ConnectivityVerdict: Sendable, Equatable {
    var connectivity: Connectivity
    /// Of each family; nil where nothing is probed.
    var families: FamilyConnectivity?
    var reason: ConnectivityReason?

    /// Nothing is probed.
    static let unknown = ConnectivityVerdict(connectivity: .unknown)

    /// Whether anything is probed.
    var isProbed: Bool { families != nil }

    /// Without what the probes said.
    var forgotten: ConnectivityVerdict {
        ConnectivityVerdict(connectivity: .unknown, families: families.map { _ in FamilyConnectivity() })
    }
}

/// One probe as the reason for a connectivity sees it.
struct ProbeView {
    let name: String
    let isRequired: Bool
    let standing: ProbeStanding
}

extension ConnectivityVerdict {
    /// Derives what the probes of one place come to.
    ///
    /// - Parameters:
    ///   - tally: The probes, counted.
    ///   - ways: The families in which packets can leave at all.
    ///   - quorum: How many of the required probes of a family have to be up.
    ///   - probes: Those of them that are not up for a reason, in order, to name one; others may be among them.
    init(
        _ tally: ConnectivityTally,
        ways: Vantages.Ways,
        quorum: Quorum,
        probes: some Collection<ProbeView>
    ) {
        let families = FamilyConnectivity(
            ipv4: ways.ipv4 == nil ? .none : tally.family(tally.ipv4, quorum),
            ipv6: ways.ipv6 == nil ? .none : tally.family(tally.ipv6, quorum)
        )
        let connectivity = ways.isEmpty ? .none : tally.connectivity(families, quorum)
        self.init(
            connectivity: connectivity,
            families: families,
            reason: tally.reason(connectivity, families, quorum: quorum, probes: probes)
        )
    }
}

extension ConnectivityTally {
    /// What the probes of one family come to; those of no family in particular help to fill the quorum, no more.
    fileprivate func family(_ own: Votes, _ quorum: Quorum) -> Connectivity {
        if own.portals > 0 { return .portal }
        guard own.isDefinite else { return .unknown }
        if own.isShut { return .local }
        return own.up > 0 && (own + any).satisfies(quorum) ? .full : .partial
    }

    fileprivate func connectivity(_ families: FamilyConnectivity, _ quorum: Quorum) -> Connectivity {
        if meetsPortal { return .portal }
        let told: Set<Connectivity> = [.full, .partial, .local]
        var definite: [Connectivity] = [families.ipv4, families.ipv6].filter(told.contains)
        if definite.isEmpty, any.isDefinite {
            let satisfied: Connectivity = any.up > 0 && any.satisfies(quorum) ? .full : .partial
            definite = [any.isShut ? .local : satisfied]
        }
        let all = ipv4 + ipv6 + any
        guard !definite.isEmpty else {
            // Where nothing is required, whatever answers is good enough, and whatever does not says nothing.
            return all.pending == 0 && all.hasAnswer ? .full : .unknown
        }
        if definite.allSatisfy({ $0 == .full }) { return .full }
        return all.isShut ? .local : .partial
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
            guard let probe = probes.first(where: { $0.standing.verdict == .portal }) else { return nil }
            let code = probe.standing.code ?? .portalContent
            let url = probes.compactMap(\.doorRank).min { $0.rank < $1.rank }?.url
            return ConnectivityReason(code: code.rawValue, probe: probe.name, portalURL: url)
        case .unknown:
            guard ignored > 0 else { return nil }
            return probes.first { $0.standing.verdict == .unknown && $0.standing.code != nil }?.reason
        case .partial, .local:
            return commonReason(families, probes: probes) ?? individualReason(quorum: quorum, probes: probes)
        }
    }

    /// What the checks over TLS and those without say together, where that is the same in each family that is not full.
    private func commonReason(
        _ families: FamilyConnectivity,
        probes: some Collection<ProbeView>
    ) -> ConnectivityReason? {
        let failing: Set<Connectivity> = [.partial, .local]
        var groups = [(families.ipv4, ipv4), (families.ipv6, ipv6)].filter { failing.contains($0.0) }.map { $0.1 + any }
        if groups.isEmpty { groups = [any] }
        let codes = Set(groups.map(\.commonReason))
        guard codes.count == 1, let common = codes.first, let code = common else { return nil }
        // One wrong certificate may as well be the target's own: it is named.
        let isForeign = code != .httpsUnreachable
        let foreign = isForeign ? Set(probes.lazy.filter(\.isForeign).map(\.name)) : []
        return ConnectivityReason(code: code.rawValue, probe: foreign.count == 1 ? foreign.first : nil)
    }

    /// The first probe that is down, else the first that could not ask; a missed quorum when they differ.
    private func individualReason(quorum: Quorum, probes: some Collection<ProbeView>) -> ConnectivityReason? {
        if case .atLeast = quorum, codes.count > 1 {
            return ConnectivityReason(code: ReasonCode.quorumMissed.rawValue)
        }
        let culprit =
            probes.first { $0.isRequired && $0.standing.verdict == .down }
            ?? probes.first { $0.isRequired && $0.standing.isUnresolved }
        return culprit?.reason
    }
}

extension ConnectivityTally.Votes {
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
    /// Where a person logs in, and how much that is worth: the network's own word comes before a redirect.
    fileprivate var doorRank: (rank: Int, url: String)? {
        guard standing.verdict == .portal, let url = standing.portalURL else { return nil }
        return switch standing.code {
        case .portalAPI: (0, url)
        case .portalRedirect: (1, url)
        default: (2, url)
        }
    }

    fileprivate var isForeign: Bool { isRequired && standing.verdict == .down && standing.evidence == .foreign }

    fileprivate var reason: ConnectivityReason? {
        standing.code.map { ConnectivityReason(code: $0.rawValue, probe: name) }
    }
}
