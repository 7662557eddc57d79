package import CheckResults
internal import Glibc
internal import NIOCore

/// Maps the kernel's errors for a connection attempt to findings.
enum ConnectFailure {
    /// Returns the finding for an attempt's error; the subject is the address.
    static func finding(_ error: any Error, connectingTo target: WireEndpoint, interface: String?) -> Finding {
        let subject = target.description
        switch error {
        case let failure as WireFailure: return failure.finding
        case let failure as IOError:
            let code = code(failure.errnoCode)
            let evidence = "connect: \(text(failure.errnoCode))"
            if code == .noRoute, LocalRoute.exists(to: target, interface: interface) {
                return Finding(.hostUnreachable, subject: subject, evidence: "\(evidence), as a router answered")
            }
            return Finding(code, subject: subject, evidence: evidence)
        case ChannelError.connectTimeout:
            return Finding(.connectTimeout, subject: subject, evidence: "no answer to the connection attempt")
        default:
            return Finding(.connectFailed, subject: subject, evidence: String(describing: error))
        }
    }

    /// Returns the code for an error of connect(2).
    static func code(_ errnoCode: CInt) -> FindingCode {
        switch errnoCode {
        case ECONNREFUSED: .connectRefused
        case ETIMEDOUT: .connectTimeout
        case EHOSTUNREACH, EHOSTDOWN: .hostUnreachable
        // A route of type blackhole answers EINVAL, one of type prohibit EACCES.
        case ENETUNREACH, EINVAL, EACCES: .noRoute
        case EADDRNOTAVAIL, EAFNOSUPPORT: .noAddress
        case ENETDOWN: .linkDown
        case ENODEV, ENXIO: .interfaceUnknown
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .resourcesExhausted
        case ECONNRESET, ECONNABORTED, EPIPE: .connectReset
        default: .connectFailed
        }
    }

    /// Returns the kernel's message for an error.
    static func text(_ errnoCode: CInt) -> String {
        SystemFinding.text(errnoCode)
    }
}

extension FindingCode {
    /// `true` for codes of failures on this machine, which say nothing about the target.
    package var isLocalFault: Bool {
        switch self {
        case .noRoute, .noAddress, .linkDown, .interfaceUnknown, .interfaceNotPermitted, .cellularNotAllowed,
            .dnsTimeout, .dnsFailure, .resolverBusy, .resourcesExhausted, .cancelled, .icmpNotPermitted,
            .requestInvalid, .budgetExhausted, .pathChanged, .transferYielded, .transferMetered, .transferBusy:
            true
        default: false
        }
    }
}
