public import struct FoundationEssentials.Date

/// A certificate as an operator reads it; also of a certificate that was refused or uses what cannot be verified.
///
/// All text is fit to be shown (control and format characters appear as `\u{…}`) and bounded, an ellipsis in the place of
/// the rest: 1024 bytes of a distinguished name, 256 of an alternative name, 64 of a serial number.
public struct CertificateDescription: Sendable, Hashable {
    /// The subject's distinguished name in the form of RFC 4514; empty when the certificate has none.
    public let subject: String
    /// The first 1000 alternative names: `host.test`, `192.0.2.1`, or with their kind in front, as `email:a@host.test`.
    public let subjectAlternativeNames: [String]
    /// The issuer's distinguished name in the form of RFC 4514.
    public let issuer: String
    /// When the validity begins; nil when it cannot be decoded.
    public let notValidBefore: Date?
    /// When the validity ends; nil when it cannot be decoded.
    public let notValidAfter: Date?
    /// The serial number as lower-case hexadecimal digits, two a byte.
    public let serialNumber: String
    /// The SHA-256 hash of the whole certificate as lower-case hexadecimal digits.
    public let sha256: String
    /// The hash of the public key in the form that `--pin-spki` takes; nil when the key cannot be decoded.
    public let publicKeyPin: PublicKeyPin?
    /// The public key in words: `RSA 2048`, `ECDSA P-256`, `Ed25519`.
    public let key: String
    /// The signature algorithm in words: `ECDSA with SHA-256`.
    public let signature: String
    /// Whether the basic constraints say that this is a certificate authority.
    public let isCertificateAuthority: Bool

    /// Creates a description from its parts; ``init(der:)`` makes one from a certificate.
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

    /// The whole days from `date` to the end of the validity, rounded down; negative once it is over.
    public func daysLeft(at date: Date) -> Int? {
        guard let notValidAfter else { return nil }
        let days = (notValidAfter.timeIntervalSince(date) / 86_400).rounded(.down)
        return Int(exactly: days)
    }
}
