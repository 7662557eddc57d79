/// The reason a certificate, key or list could not be created.
public enum CertificateFactoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key could not be created; the second value is the reason.
    case key(TestKey.Kind, String)
    /// The key does not support the signature scheme; the third value is the reason.
    case signature(SignatureScheme, TestKey.Kind, String)

    /// The failed operation, and the reason.
    public var description: String {
        switch self {
        case .key(let kind, let reason): "a key of the kind \(kind) cannot be made: \(reason)"
        case .signature(let scheme, let kind, let reason): "a key of the kind \(kind) cannot sign \(scheme): \(reason)"
        }
    }
}
