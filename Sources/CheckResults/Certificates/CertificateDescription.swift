public import struct FoundationEssentials.Date

/// A certificate in readable form; also one that was refused or that uses unsupported algorithms.
///
/// All strings are printable (control and format characters appear as `\u{…}`) and bounded, with an ellipsis if
/// truncated: 1024 bytes of a distinguished name, 256 of an alternative name, 64 of a serial number.
public struct CertificateDescription: Sendable, Hashable {
    /// The subject's distinguished name in the format of RFC 4514; empty if there is none.
    public let subject: String
    /// The first 1000 alternative names: `host.test`, `192.0.2.1`, or prefixed by their type, as `email:a@host.test`.
    public let subjectAlternativeNames: [String]
    /// The issuer's distinguished name in the format of RFC 4514.
    public let issuer: String
    /// The start of the validity; nil when it cannot be decoded.
    public let notValidBefore: Date?
    /// The end of the validity; nil when it cannot be decoded.
    public let notValidAfter: Date?
    /// The serial number in lower-case hexadecimal digits, two for each byte.
    public let serialNumber: String
    /// The SHA-256 hash of the whole certificate in lower-case hexadecimal digits.
    public let sha256: String
    /// The hash of the public key in the format of `--pin-spki`; nil when the key cannot be decoded.
    public let publicKeyPin: PublicKeyPin?
    /// The public key: `RSA 2048`, `ECDSA P-256`, `Ed25519`.
    public let key: String
    /// The signature algorithm: `ECDSA with SHA-256`.
    public let signature: String
    /// `true` if the basic constraints mark a certificate authority.
    public let isCertificateAuthority: Bool

    /// Creates a description from its parts; `ServerTrust` creates one from a certificate.
    public init(
        subject: String,
        subjectAlternativeNames: [String],
        issuer: String,
        notValidBefore: Date?,
        notValidAfter: Date?,
        serialNumber: String,
        sha256: String,
        publicKeyPin: PublicKeyPin?,
        key: String,
        signature: String,
        isCertificateAuthority: Bool
    ) {
        self.subject = subject
        self.subjectAlternativeNames = subjectAlternativeNames
        self.issuer = issuer
        self.notValidBefore = notValidBefore
        self.notValidAfter = notValidAfter
        self.serialNumber = serialNumber
        self.sha256 = sha256
        self.publicKeyPin = publicKeyPin
        self.key = key
        self.signature = signature
        self.isCertificateAuthority = isCertificateAuthority
    }

    /// Returns the whole days from `date` to the end of the validity, rounded down; negative after it.
    public func daysLeft(at date: Date) -> Int? {
        guard let notValidAfter else { return nil }
        let days = (notValidAfter.timeIntervalSince(date) / 86_400).rounded(.down)
        return Int(exactly: days)
    }
}
