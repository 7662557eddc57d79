/// The configuration errors of a security policy: a pin, an anchor or a revocation list that cannot be used.
public enum SecurityPolicyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The string is not `sha256//` and the Base64 of 32 bytes.
    case invalidPublicKeyPin(String)
    /// The file or directory cannot be read; the second value is the reason.
    case unreadable(path: String, reason: String)
    /// The source cannot be decoded as a certificate; the second value is the place and the reason.
    case undecodableCertificate(source: String, reason: String)
    /// The source contains no certificate.
    case noCertificate(source: String)
    /// The source cannot be decoded as a revocation list.
    case undecodableRevocationList(source: String, reason: String)
    /// Pins are configured for a target without TLS.
    case pinningWithoutTLS(target: String)

    /// The message for operators.
    public var description: String {
        switch self {
        case .invalidPublicKeyPin(let text):
            "'\(text)' is not a public key pin: 'sha256//' and the Base64 form of a SHA-256 hash are needed"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .undecodableCertificate(let source, let reason): "\(source) is not a usable certificate: \(reason)"
        case .noCertificate(let source): "\(source) holds no certificate"
        case .undecodableRevocationList(let source, let reason): "\(source) is not a usable revocation list: \(reason)"
        case .pinningWithoutTLS(let target): "pinning needs TLS, and '\(target)' is reached without it"
        }
    }
}
