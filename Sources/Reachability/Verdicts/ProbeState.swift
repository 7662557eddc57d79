public import CheckResults

/// The status of one probe at one vantage.
public struct ProbeState: Sendable, Hashable {
    /// The verdict on the last checks.
    public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
        /// No verdict yet, or a fault of this machine.
        case unknown
        /// The target answers as expected.
        case up
        /// The target does not answer as expected.
        case down
        /// A captive portal answers in its place.
        case portal
    }

    /// The verdict on the last checks.
    public var verdict: Verdict
    /// The reason the verdict is not `up`; nil before the first check.
    public var code: FindingCode?
    /// The login page, if the verdict is `portal` and the page is known.
    public var portalURL: String?
    /// `true` if the verdict changes too often to be reliable.
    public var isFlapping: Bool
    /// `true` if the target had answered before the check failed, in case the code does not show it.
    var wasAnswered = false
    /// `true` if the check ended over TLS, in case the target's scheme does not show it.
    var endedOverTLS = false
    /// `true` if the check ended at this machine itself, to which the target's name has led.
    var leadsToThisMachine = false
    /// `true` if nothing is known about the target in this family because the other one alone resolves its name.
    var isExcused = false

    /// Creates a status.
    public init(_ verdict: Verdict, code: FindingCode? = nil, portalURL: String? = nil, isFlapping: Bool = false) {
        self.verdict = verdict
        self.code = code
        self.portalURL = portalURL
        self.isFlapping = isFlapping
    }

    /// The initial status.
    public static let unknown = ProbeState(.unknown)

    /// The details of the verdict.
    var particulars: ProbeTrack.Particulars {
        get {
            .init(
                code: code,
                portalURL: portalURL,
                wasAnswered: wasAnswered,
                endedOverTLS: endedOverTLS,
                leadsToThisMachine: leadsToThisMachine,
                isExcused: isExcused
            )
        }
        set {
            (code, portalURL) = (newValue.code, newValue.portalURL)
            (wasAnswered, endedOverTLS) = (newValue.wasAnswered, newValue.endedOverTLS)
            (leadsToThisMachine, isExcused) = (newValue.leadsToThisMachine, newValue.isExcused)
        }
    }

    /// Returns whether events show this status as another one: the evidence beyond the code is in none.
    func isPublished(like other: ProbeState) -> Bool {
        verdict == other.verdict && code == other.code && portalURL == other.portalURL
            && isFlapping == other.isFlapping
    }

    /// `true` if the name of the target, or of its redirect, could not be resolved, in the other family neither.
    var isUnresolved: Bool { verdict == .unknown && code?.isResolverFault == true && !isExcused }
    /// `true` if this machine could not check for a reason that concerns more than a family that the target lacks.
    var isIgnored: Bool { verdict == .unknown && code != nil && !isExcused && !isUnresolved }

    /// The failure's evidence about the path.
    var evidence: FailureEvidence {
        let evidence = code?.evidence ?? .silent
        // An answer by this machine in the target's place is no evidence about the way to it.
        if leadsToThisMachine { return evidence == .nothing ? .nothing : .silent }
        // A failure after the target's answer is its own, or that of another server, whose certificate it is too.
        return wasAnswered ? .answered : evidence
    }
}

/// The status of one probe at one vantage, with its history, for `status`.
public struct ProbeRecord: Sendable, Hashable {
    /// The probe and its vantage.
    public var point: ProbePoint
    /// The status.
    public var state: ProbeState
    /// The status according to the last event: after a change of the path it stands until the next verdict, which is no
    /// event if it is the same.
    public var published: ProbeState
    /// The start of the current verdict; nil before the first check.
    public var since: Observed?
    /// The last check; nil before the first one.
    public var last: ProbeSample?
    /// The number of consecutive checks with the last outcome.
    public var streak: Int
    /// `true` if the path has changed since the last check.
    public var isStale: Bool
    /// The thresholds of expiring certificates.
    public var expiry: ExpiryPolicy

    /// Creates a record; by default of a published status.
    public init(
        point: ProbePoint,
        state: ProbeState,
        published: ProbeState? = nil,
        since: Observed? = nil,
        last: ProbeSample? = nil,
        streak: Int = 0,
        isStale: Bool = false,
        expiry: ExpiryPolicy = ExpiryPolicy()
    ) {
        self.point = point
        self.state = state
        self.published = published ?? state
        self.since = since
        self.last = last
        self.streak = streak
        self.isStale = isStale
        self.expiry = expiry
    }
}

/// The evidence of a failed check about the path to its target.
enum FailureEvidence: Sendable, Hashable {
    /// The server answered: the path works, and the failure is the target's own.
    case answered
    /// The TLS peer has a certificate that is not the target's: the target is misconfigured, or the connection is
    /// intercepted.
    case foreign
    /// The connection was refused or broken before the handshake was complete: by the target, or on the way to it.
    case refused
    /// No evidence about the path, as when the name does not exist.
    case nothing
    /// There was no answer.
    case silent
}

extension FindingCode {
    /// `true` for failed name lookups: no target is at fault, but none is reachable by name either.
    var isResolverFault: Bool {
        switch self {
        case .dnsTimeout, .dnsFailure, .resolverBusy: true
        default: false
        }
    }

    /// `true` if this machine could not check, for a reason that keeps no other packets from the path: it did not make
    /// the check, or discards answers only while the path is not the preferred one.
    var leavesPathOpen: Bool {
        switch self {
        case .budgetExhausted, .cellularNotAllowed, .icmpNotPermitted, .interfaceNotPermitted, .resourcesExhausted,
            .reversePathFilter, .tlsRootsUnavailable:
            true
        default: false
        }
    }

    /// The evidence about the path of a check that failed with this code.
    var evidence: FailureEvidence {
        if isCertificateSuspicious { return .foreign }
        switch self {
        case .connectRefused, .connectReset, .tlsHandshake, .tlsAlert, .tlsNotSpoken, .tlsClosed, .connectionReset,
            .connectionClosed:
            return .refused
        case .dnsNXDomain, .dnsNoAddress, .requestInvalid, .cancelled, .pathChanged, .transferYielded, .transferMetered,
            .transferBusy, .tlsRootsUnavailable:
            return .nothing
        case .dnsTimeout, .dnsFailure, .resolverBusy, .linkDown, .noRoute, .noAddress, .localFirewall,
            .reversePathFilter, .hostUnreachable, .connectTimeout, .connectFailed, .interfaceUnknown,
            .interfaceNotPermitted, .cellularNotAllowed, .icmpNotPermitted, .icmpUnreachable, .timeout,
            .resourcesExhausted, .budgetExhausted:
            return .silent
        default: return .answered
        }
    }
}
