/// Why something could not be made.
public enum CertificateFactoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key could not be made; the second value is the reason.
    case key(TestKey.Kind, String)
    /// The key cannot make a signature of this kind; the third value is the reason.
    case signature(SignatureScheme, TestKey.Kind, String)

    /// What could not be made, and why.
    public var description: String {
        switch self {
        case .key(let kind, let reason): "a key of the kind \(kind) cannot be made: \(reason)"
        case .signature(let scheme, let kind, let reason): "a key of the kind \(kind) cannot sign \(scheme): \(reason)"
        }
    }
}
