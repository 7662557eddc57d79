internal import CheckResults

/// The evidence of a failed check about the path to its target.
enum FailureEvidence: Sendable, Hashable {
    /// The server answered: the path works, and the failure is the target's own.
    case answered
    /// The TLS peer has a certificate that is not the target's: the target is misconfigured, or the connection is
    /// intercepted.
    case foreign
    /// The connection was refused or broken before the handshake was complete: by the target, or on the way to it.
    case refused
    /// No evidence about the path: the name does not exist.
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

    /// The evidence about the path of a check that failed with this code.
    var evidence: FailureEvidence {
        if isCertificateSuspicious { return .foreign }
        switch self {
        case .connectRefused, .connectReset, .tlsHandshake, .tlsAlert, .tlsNotSpoken, .tlsClosed, .connectionReset,
            .connectionClosed:
            return .refused
        case .dnsNXDomain, .dnsNoAddress, .requestInvalid, .cancelled, .pathChanged, .transferYielded, .transferMetered,
            .transferBusy:
            return .nothing
        case .dnsTimeout, .dnsFailure, .resolverBusy, .linkDown, .noRoute, .noAddress, .hostUnreachable,
            .connectTimeout, .connectFailed, .interfaceUnknown, .interfaceNotPermitted, .cellularNotAllowed,
            .icmpNotPermitted, .icmpUnreachable, .timeout, .resourcesExhausted, .budgetExhausted:
            return .silent
        default: return .answered
        }
    }
}
