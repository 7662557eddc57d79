internal import CheckResults
internal import Glibc

/// Findings for failed socket system calls.
enum SystemFinding {
    /// - Parameters:
    ///   - error: The errno value.
    ///   - operation: The failed operation, for the evidence: `connect`.
    static func make(_ error: CInt, operation: String, subject: String) -> Finding {
        let code: FindingCode =
            switch error {
            // A route of type blackhole answers EINVAL, one of type prohibit EACCES.
            case ENETUNREACH, EINVAL, EACCES: .noRoute
            case EHOSTUNREACH: .hostUnreachable
            case ENETDOWN: .linkDown
            case EADDRNOTAVAIL, EAFNOSUPPORT: .noAddress
            case ECONNREFUSED: .connectRefused
            case ECONNRESET: .connectReset
            case ETIMEDOUT: .connectTimeout
            case EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN: .resourcesExhausted
            default: .connectFailed
            }
        return Finding(code, subject: subject, evidence: "\(operation): \(text(error))")
    }

    /// Returns a finding for a failure to bind to an interface.
    static func interface(_ error: CInt, _ name: String) -> Finding {
        switch error {
        case ENODEV, EINVAL: Finding(.interfaceUnknown, subject: name, evidence: "SO_BINDTODEVICE: \(text(error))")
        case EPERM, EACCES:
            Finding(.interfaceNotPermitted, subject: name, evidence: "SO_BINDTODEVICE: \(text(error))")
        default: make(error, operation: "SO_BINDTODEVICE", subject: name)
        }
    }

    /// Returns the system's message for an errno value.
    static func text(_ error: CInt) -> String { String(cString: strerror(error)) }
}
