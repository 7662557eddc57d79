internal import Probes

/// How many probes of one place fare how: all that connectivity depends on.
///
/// Kept up to date standing by standing, so that a check of one probe among many costs nothing for the others.
struct ConnectivityTally: Sendable, Equatable {
    /// The required probes of one family, or of none in particular.
    struct Votes: Sendable, Equatable {
        var up = 0
        /// Down, or a portal in their place.
        var down = 0
        /// Nobody could tell them the target's address.
        var unresolved = 0
        /// Without a verdict so far.
        var pending = 0

        /// Whether there is a verdict at all.
        var isDefinite: Bool { up + down + unresolved > 0 }

        static func + (left: Votes, right: Votes) -> Votes {
            Votes(
                up: left.up + right.up,
                down: left.down + right.down,
                unresolved: left.unresolved + right.unresolved,
                pending: left.pending + right.pending
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

    /// Probes at which a portal answers.
    var portals = (ipv4: 0, ipv6: 0, any: 0)
    /// Probes that are up, required or not.
    var up = (tls: 0, plain: 0)
    /// Required probes over TLS that are down because of a certificate of somebody else's, or for another reason.
    var tlsDown = (foreign: 0, other: 0)
    /// Probes of which nothing is known by a fault of this machine's that is not the resolver's.
    var ignored = 0

    /// The codes of the required probes that are down or could not ask, each with their number.
    var codes: [FindingCode?: Int] = [:]

    var portalCount: Int { portals.ipv4 + portals.ipv6 + portals.any }

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
        if rule.isRequired {
            switch families {
            case .ipv4: ipv4.count(standing, by: step)
            case .ipv6: ipv6.count(standing, by: step)
            case .any: any.count(standing, by: step)
            }
            if standing.verdict == .down || standing.isUnresolved {
                let number = codes[standing.code, default: 0] + step
                codes[standing.code] = number == 0 ? nil : number
            }
        }
        switch standing.verdict {
        case .portal:
            switch families {
            case .ipv4: portals.ipv4 += step
            case .ipv6: portals.ipv6 += step
            case .any: portals.any += step
            }
        case .up: if rule.speaksTLS { up.tls += step } else { up.plain += step }
        case .down:
            guard rule.isRequired, rule.speaksTLS else { return }
            if standing.code.map(PortalJudge.isCertificateSuspicious) == true {
                tlsDown.foreign += step
            } else {
                tlsDown.other += step
            }
        case .unknown: if let code = standing.code, !code.isResolverFault { ignored += step }
        }
    }

    static func == (left: ConnectivityTally, right: ConnectivityTally) -> Bool {
        (left.ipv4, left.ipv6, left.any, left.ignored) == (right.ipv4, right.ipv6, right.any, right.ignored)
            && left.codes == right.codes && left.portals == right.portals && left.up == right.up
            && left.tlsDown == right.tlsDown
    }
}

extension ConnectivityTally.Votes {
    fileprivate mutating func count(_ standing: ProbeStanding, by step: Int) {
        switch standing.verdict {
        case .up: up += step
        case .down, .portal: down += step
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
    /// Nobody could tell the target's address.
    var isUnresolved: Bool { verdict == .unknown && code?.isResolverFault == true }
}

extension ProbeRule {
    /// A portal check never does: what it looks for hides behind plain HTTP.
    fileprivate var speaksTLS: Bool { usesTLS && !isPortalCheck }
}
