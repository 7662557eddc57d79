/// A certificate revocation list (RFC 5280, section 5).
public struct CertificateRevocationList: Sendable, Hashable {}
