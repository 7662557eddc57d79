internal import CheckResults

/// The numbers of probes of one uplink, or of the default path, by verdict and reason, which determine the
/// connectivity.
///
/// Updated incrementally, so that the cost of a check does not depend on the number of probes.
struct ConnectivityTally: Sendable, Equatable {
    /// The votes of one family, or of no particular one.
    struct Votes: Sendable, Equatable {
        /// Required probes that are up.
        var up = 0
        /// Required probes that are down, or behind a portal.
        var down = 0
        /// Required probes with a name that could not be resolved: the target's, or that of its redirect.
        var unresolved = 0
        /// Probes among `unresolved` whose target has answered, with the redirect.
        var redirected = 0
        /// Required probes whose first verdict over the path is still to come.
        var pending = 0
        /// Required probes without a verdict, and perhaps for good (``ProbeTrack/isExempt``).
        var exempt = 0
        /// Probes among `down` without any answer, which is evidence of a blocked path.
        var silent = 0

        /// Probes at which a portal answers, required or not.
        var portals = 0
        /// Probes that are up, required or not, over TLS and without.
        var upTLS = 0
        var upPlain = 0
        /// Required probes over TLS that are down or not resolved, by the evidence about the path.
        var tlsAnswered = 0
        var tlsForeign = 0
        var tlsOther = 0

        /// `true` if there is a verdict at all.
        var isDefinite: Bool { up + down + unresolved > 0 }

        /// `true` if there is a verdict, or one is still to come.
        var isExpected: Bool { isDefinite || pending > 0 }

        /// `true` if a target beyond this network answers as expected.
        var hasAnswer: Bool { up + upTLS + upPlain > 0 }

        /// `true` if nothing answers, and no failure is the target's own.
        var isShut: Bool { !hasAnswer && redirected == 0 && silent + unresolved > 0 && silent == down }

        static func + (left: Votes, right: Votes) -> Votes {
            Votes(
                up: left.up + right.up,
                down: left.down + right.down,
                unresolved: left.unresolved + right.unresolved,
                redirected: left.redirected + right.redirected,
                pending: left.pending + right.pending,
                exempt: left.exempt + right.exempt,
                silent: left.silent + right.silent,
                portals: left.portals + right.portals,
                upTLS: left.upTLS + right.upTLS,
                upPlain: left.upPlain + right.upPlain,
                tlsAnswered: left.tlsAnswered + right.tlsAnswered,
                tlsForeign: left.tlsForeign + right.tlsForeign,
                tlsOther: left.tlsOther + right.tlsOther
            )
        }

        /// Returns whether enough probes are up; nil while that depends on the pending ones.
        func satisfies(_ quorum: Quorum) -> Bool? {
            let counted = up + down + unresolved + pending
            let needed =
                switch quorum {
                case .all: counted
                case .atLeast(let number): min(max(1, number), counted)
                }
            if up >= needed { return true }
            return up + pending < needed ? false : nil
        }
    }

    var ipv4 = Votes()
    var ipv6 = Votes()
    /// The votes of probes that use any family.
    var any = Votes()
    /// Probes with an unknown verdict because of a fault of this machine outside the resolver.
    var ignored = 0
    /// The codes of the required probes that are down or failed to resolve, with their counts.
    var codes: [FindingCode?: Int] = [:]

    /// `true` if a portal answers in any family.
    var meetsPortal: Bool { ipv4.portals + ipv6.portals + any.portals > 0 }

    /// Adds a probe's status.
    mutating func add(_ state: ProbeState, _ rule: ProbeRule, _ families: AddressFamilies, isExempt: Bool) {
        count(state, rule, families, isExempt, by: 1)
    }

    /// Removes a probe's status.
    mutating func remove(_ state: ProbeState, _ rule: ProbeRule, _ families: AddressFamilies, isExempt: Bool) {
        count(state, rule, families, isExempt, by: -1)
    }

    private mutating func count(
        _ state: ProbeState,
        _ rule: ProbeRule,
        _ families: AddressFamilies,
        _ isExempt: Bool,
        by step: Int
    ) {
        guard !rule.isApart else { return }
        switch families {
        case .ipv4: ipv4.count(state, rule, isExempt, by: step)
        case .ipv6: ipv6.count(state, rule, isExempt, by: step)
        case .any: any.count(state, rule, isExempt, by: step)
        }
        if rule.isRequired, state.verdict == .down || state.isUnresolved {
            let number = codes[state.code, default: 0] + step
            codes[state.code] = number == 0 ? nil : number
        }
        if state.isIgnored { ignored += step }
    }
}

extension ConnectivityTally.Votes {
    fileprivate mutating func count(_ state: ProbeState, _ rule: ProbeRule, _ isExempt: Bool, by step: Int) {
        // A success at this machine itself says nothing about the path, not even beside other probes.
        if state.verdict == .up, state.leadsToThisMachine { return }
        // Never for portal checks, which test plain HTTP.
        let isOverTLS = (rule.usesTLS || state.endedOverTLS) && !rule.isPortalCheck
        switch state.verdict {
        case .portal: portals += step
        case .up:
            if isOverTLS { upTLS += step } else if rule.reachesBeyond { upPlain += step }
        case .down, .unknown: break
        }
        guard rule.isRequired else { return }
        switch state.verdict {
        case .up: up += step
        case .portal: down += step
        case .down:
            down += step
            let evidence = state.evidence
            if evidence == .silent { silent += step }
            guard isOverTLS else { return }
            switch evidence {
            case .answered: tlsAnswered += step
            case .foreign: tlsForeign += step
            case .refused, .silent: tlsOther += step
            case .nothing: break
            }
        case .unknown:
            guard state.isUnresolved else {
                // Other faults of this machine are no evidence.
                guard state.code == nil else { return }
                if isExempt { exempt += step } else { pending += step }
                return
            }
            unresolved += step
            guard state.wasAnswered else { return }
            redirected += step
            if isOverTLS { tlsAnswered += step }
        }
    }
}
