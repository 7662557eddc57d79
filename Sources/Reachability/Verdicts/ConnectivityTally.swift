internal import Probes

/// How many probes of one place have which verdict, and for what reason: all that connectivity depends on.
///
/// Kept up to date standing by standing, so that a check of one probe among many costs nothing for the others.
struct ConnectivityTally: Sendable, Equatable {
    /// The probes of one family, or of none in particular.
    struct Votes: Sendable, Equatable {
        /// Required ones that are up.
        var up = 0
        /// Required ones that are down, or a portal in their place.
        var down = 0
        /// Required ones for which the target's address could not be looked up.
        var unresolved = 0
        /// Required ones without a verdict so far.
        var pending = 0
        /// Of those that are down: they got no answer, which is evidence that the way is shut.
        var silent = 0

        /// Probes at which a portal answers, required or not.
        var portals = 0
        /// Probes that are up, required or not, over TLS and without.
        var upTLS = 0
        var upPlain = 0
        /// Required probes over TLS that are down, by what that says of the way.
        var tlsAnswered = 0
        var tlsForeign = 0
        var tlsOther = 0

        /// Whether there is a verdict at all.
        var isDefinite: Bool { up + down + unresolved > 0 }

        /// Whether something answers that is not this network's own.
        var hasAnswer: Bool { up + upTLS + upPlain > 0 }

        /// Whether nothing answers, and no failure has a reason of the target's own.
        var isShut: Bool { !hasAnswer && silent + unresolved > 0 && silent == down }

        static func + (left: Votes, right: Votes) -> Votes {
            Votes(
                up: left.up + right.up,
                down: left.down + right.down,
                unresolved: left.unresolved + right.unresolved,
                pending: left.pending + right.pending,
                silent: left.silent + right.silent,
                portals: left.portals + right.portals,
                upTLS: left.upTLS + right.upTLS,
                upPlain: left.upPlain + right.upPlain,
                tlsAnswered: left.tlsAnswered + right.tlsAnswered,
                tlsForeign: left.tlsForeign + right.tlsForeign,
                tlsOther: left.tlsOther + right.tlsOther
            )
        }

        /// Whether enough is up; a probe without a verdict is given the benefit of the doubt.
        func satisfies(_ quorum: Quorum) -> Bool {
            let counted = up + down + unresolved + pending
            return switch quorum {
            case .all: up + pending >= counted
            case .atLeast(let number): up + pending >= min(max(1, number), counted)
            }
        }
    }

    var ipv4 = Votes()
    var ipv6 = Votes()
    /// Of probes that are made in whichever family answers.
    var any = Votes()
    /// Probes of which nothing is known by a fault of this machine's that is not the resolver's.
    var ignored = 0
    /// The codes of the required probes that are down or could not ask, each with their number.
    var codes: [FindingCode?: Int] = [:]

    /// Whether a portal answers in any family.
    var meetsPortal: Bool { ipv4.portals + ipv6.portals + any.portals > 0 }

    /// Counts a probe's standing in.
    mutating func add(_ standing: ProbeStanding, _ rule: ProbeRule, _ families: AddressFamilies) {
        count(standing, rule, families, by: 1)
    }

    /// Takes out what was counted in.
    mutating func remove(_ standing: ProbeStanding, _ rule: ProbeRule, _ families: AddressFamilies) {
        count(standing, rule, families, by: -1)
    }

    private mutating func count(
        _ standing: ProbeStanding,
        _ rule: ProbeRule,
        _ families: AddressFamilies,
        by step: Int
    ) {
        switch families {
        case .ipv4: ipv4.count(standing, rule, by: step)
        case .ipv6: ipv6.count(standing, rule, by: step)
        case .any: any.count(standing, rule, by: step)
        }
        if rule.isRequired, standing.verdict == .down || standing.isUnresolved {
            let number = codes[standing.code, default: 0] + step
            codes[standing.code] = number == 0 ? nil : number
        }
        if standing.verdict == .unknown, let code = standing.code, !code.isResolverFault { ignored += step }
    }
}

extension ConnectivityTally.Votes {
    fileprivate mutating func count(_ standing: ProbeStanding, _ rule: ProbeRule, by step: Int) {
        switch standing.verdict {
        case .portal: portals += step
        case .up:
            // What a network says of itself (RFC 8908) is no answer from beyond the first hop.
            if rule.speaksTLS { upTLS += step } else if !rule.isPortalCheck || !rule.usesTLS { upPlain += step }
        case .down, .unknown: break
        }
        guard rule.isRequired else { return }
        switch standing.verdict {
        case .up: up += step
        case .portal: down += step
        case .down:
            down += step
            let evidence = standing.evidence
            if evidence == .silent { silent += step }
            guard rule.speaksTLS else { return }
            switch evidence {
            case .answered: tlsAnswered += step
            case .foreign: tlsForeign += step
            case .refused, .silent: tlsOther += step
            case .nothing: break
            }
        case .unknown:
            guard let code = standing.code else {
                pending += step
                return
            }
            // Other faults of this machine's say nothing, neither good nor bad.
            if code.isResolverFault { unresolved += step }
        }
    }
}

extension ProbeStanding {
    /// The target's address could not be looked up.
    var isUnresolved: Bool { verdict == .unknown && code?.isResolverFault == true }

    /// What the failure says of the way.
    var evidence: FailureEvidence {
        let evidence = code?.evidence ?? .silent
        return wasAnswered && (evidence == .silent || evidence == .refused) ? .answered : evidence
    }
}

extension ProbeRule {
    /// A portal check never does: what it looks for hides behind plain HTTP.
    fileprivate var speaksTLS: Bool { usesTLS && !isPortalCheck }
}
