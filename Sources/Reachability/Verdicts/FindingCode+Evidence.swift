internal import Probes

/// What a failed check says of the way to its target.
enum FailureEvidence: Sendable, Hashable {
    /// The server answered: the way is open, and the failure is the target's own.
    case answered
    /// Somebody answers over TLS with a certificate that is not the target's: the target, or whoever stands in its way.
    case foreign
    /// The connection was refused or broken before the handshake was over: by the target, or by something on the way.
    case refused
    /// Nothing about the way: the name does not exist.
    case nothing
    /// No answer.
    case silent
}

extension FindingCode {
    /// The name could not be looked up: nobody's target's fault, and nothing is reached without it either.
    var isResolverFault: Bool {
        switch self {
        case .dnsTimeout, .dnsFailure, .resolverBusy: true
        default: false
        }
    }

    /// What a check that fails with this code says of the way.
    var evidence: FailureEvidence {
        if PortalJudge.isCertificateSuspicious(self) { return .foreign }
        switch self {
        case .connectRefused, .connectReset, .tlsHandshake, .tlsAlert, .tlsNotSpoken, .tlsClosed, .connectionReset,
            .connectionClosed:
            return .refused
        case .dnsNXDomain, .dnsNoAddress, .requestInvalid, .cancelled: return .nothing
        case .dnsTimeout, .dnsFailure, .resolverBusy, .linkDown, .noRoute, .noAddress, .hostUnreachable,
            .connectTimeout, .connectFailed, .interfaceUnknown, .interfaceNotPermitted, .cellularNotAllowed,
            .icmpNotPermitted, .icmpUnreachable, .timeout, .resourcesExhausted, .budgetExhausted:
            return .silent
        default: return .answered
        }
    }
}
