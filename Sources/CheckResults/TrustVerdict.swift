public import FoundationEssentials

/// The result of a trust evaluation: whether the policy accepts the server, and all findings.
public struct TrustVerdict: Sendable, Hashable, CustomStringConvertible {
    /// `true` if the security policy accepts the server.
    public let isAccepted: Bool
    /// The findings, the most important refusal first.
    public let findings: [Finding]
    /// The certificates as sent by the server, its own first; including invalid ones.
    public let presentedChain: [CertificateDescription]
    /// The verified path from the server's certificate to its anchor; empty when there is none.
    public let validatedChain: [CertificateDescription]
    /// The time at which the certificates had to be valid.
    public package(set) var date: Date
    /// The audit of the pins; nil when the policy has none.
    public var pinAudit: PinAudit?

    /// Creates a verdict.
    public init(
        isAccepted: Bool,
        findings: [Finding],
        presentedChain: [CertificateDescription],
        validatedChain: [CertificateDescription],
        date: Date,
        pinAudit: PinAudit? = nil
    ) {
        self.isAccepted = isAccepted
        self.findings = findings
        self.presentedChain = presentedChain
        self.validatedChain = validatedChain
        self.date = date
        self.pinAudit = pinAudit
    }

    /// The code of the most important refusal; nil when the server is accepted.
    public var code: FindingCode? {
        isAccepted ? nil : findings.first { $0.severity == .refusal }?.code
    }

    /// The verdict for operators, without the findings: `accepted`, `not accepted: tls_expired`.
    public var description: String {
        isAccepted ? "accepted" : "not accepted" + (code.map { ": \($0)" } ?? "")
    }
}

/// A certificate in readable form, including one that was rejected or that uses unsupported algorithms.
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

/// The SHA-256 hash of a DER-encoded SubjectPublicKeyInfo, written `sha256//BASE64` as curl and RFC 7469 do.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let digest: [UInt8]

    /// Creates a pin from a hash that the caller has computed or checked.
    package init(digest: [UInt8]) { self.digest = digest }

    /// The pin in the format `sha256//BASE64`.
    public var description: String { "sha256//" + Data(digest).base64EncodedString() }
}

/// The pins that match a server's certificates now: the information needed for a key rotation.
public struct PinAudit: Sendable, Hashable, Codable {
    /// One pin and its match.
    public struct Entry: Sendable, Hashable, Codable {
        /// The pin: `sha256//…` for a key, the SHA-256 hash of a certificate in hexadecimal digits.
        public var pin: String
        /// `true` if a certificate of the verified path matches; without a path, a certificate that really signed the
        /// chain.
        public var isMatched: Bool
        /// `true` for a backup pin, meant for the next change of keys.
        public var isBackup: Bool

        /// Creates an entry.
        public init(pin: String, isMatched: Bool, isBackup: Bool) {
            self.pin = pin
            self.isMatched = isMatched
            self.isBackup = isBackup
        }
    }

    /// The pins in the order of the policy, backups last.
    public var entries: [Entry]

    /// Creates an audit.
    public init(entries: [Entry]) { self.entries = entries }

    /// `true` if a backup pin matches, and no other pin does.
    public var matchesBackupOnly: Bool {
        entries.contains { $0.isBackup && $0.isMatched } && !entries.contains { !$0.isBackup && $0.isMatched }
    }
}
