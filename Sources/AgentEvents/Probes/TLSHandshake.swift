/// A TLS handshake, and the security policy's verdict on the server.
public struct TLSHandshake: Codable, Sendable, Hashable {
    /// The protocol version.
    public var version: String?
    /// The cipher suite.
    public var cipher: String?
    /// The application protocol (ALPN).
    public var applicationProtocol: String?
    /// The server name that was requested (SNI).
    public var serverName: String?
    /// The verdict.
    public var trust: TrustVerdict?

    private enum CodingKeys: String, CodingKey {
        case version, cipher
        case applicationProtocol = "alpn"
        case serverName = "server_name"
        case trust
    }

    /// Creates a TLS handshake.
    public init(
        version: String? = nil,
        cipher: String? = nil,
        applicationProtocol: String? = nil,
        serverName: String? = nil,
        trust: TrustVerdict? = nil
    ) {
        self.version = version
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.serverName = serverName
        self.trust = trust
    }
}

/// The security policy's verdict on a certificate chain.
public struct TrustVerdict: Codable, Sendable, Hashable {
    /// True if the policy accepts the server.
    public var isAccepted: Bool
    /// The code of the rejection.
    public var code: String?
    /// The moment at which the chain had to be valid.
    public var at: Timestamp
    /// The findings.
    @List public var findings: [Finding]
    /// The certificates that the server sent.
    @List public var presented: [Certificate]
    /// The verified path, the anchor last.
    @List public var validated: [Certificate]
    /// The pins; `nil` for a policy without pins.
    public var pins: [Pin]?

    private enum CodingKeys: String, CodingKey {
        case isAccepted = "accepted"
        case code, at, findings, presented, validated, pins
    }

    /// Creates a verdict.
    public init(
        isAccepted: Bool,
        code: String? = nil,
        at: Timestamp,
        findings: [Finding],
        presented: [Certificate],
        validated: [Certificate],
        pins: [Pin]? = nil
    ) {
        self.isAccepted = isAccepted
        self.code = code
        self.at = at
        self.findings = findings
        self.presented = presented
        self.validated = validated
        self.pins = pins
    }
}

/// A certificate.
public struct Certificate: Codable, Sendable, Hashable {
    /// The subject, in the form of RFC 4514.
    public var subject: String
    /// The subject alternative names.
    @List public var names: [String]
    /// The issuer.
    public var issuer: String
    /// The start of its validity.
    public var notBefore: Timestamp?
    /// The end of its validity.
    public var notAfter: Timestamp?
    /// The remaining whole days; negative after the end.
    public var daysLeft: Int?
    /// The serial number, in hexadecimal digits.
    public var serial: String
    /// The SHA-256 of its DER, in hexadecimal digits.
    public var sha256: String
    /// The pin of its public key: `sha256//BASE64`.
    public var pin: String?
    /// The key, such as `ECDSA P-256`.
    public var key: String
    /// The signature algorithm.
    public var signature: String
    /// True for the certificate of a certificate authority.
    public var isCertificateAuthority: Bool

    private enum CodingKeys: String, CodingKey {
        case subject, names, issuer
        case notBefore = "not_before"
        case notAfter = "not_after"
        case daysLeft = "days_left"
        case serial, sha256, pin, key, signature
        case isCertificateAuthority = "ca"
    }

    /// Creates a certificate.
    public init(
        subject: String,
        names: [String],
        issuer: String,
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        daysLeft: Int? = nil,
        serial: String,
        sha256: String,
        pin: String? = nil,
        key: String,
        signature: String,
        isCertificateAuthority: Bool
    ) {
        self.subject = subject
        self.names = names
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.daysLeft = daysLeft
        self.serial = serial
        self.sha256 = sha256
        self.pin = pin
        self.key = key
        self.signature = signature
        self.isCertificateAuthority = isCertificateAuthority
    }
}

/// A pin of the security policy.
public struct Pin: Codable, Sendable, Hashable {
    /// The pin.
    public var pin: String
    /// True if a certificate of the path matches it.
    public var isMatched: Bool
    /// True for a backup pin, for the next key.
    public var isBackup: Bool?

    private enum CodingKeys: String, CodingKey {
        case pin
        case isMatched = "matched"
        case isBackup = "backup"
    }

    /// Creates a pin.
    public init(pin: String, isMatched: Bool, isBackup: Bool? = nil) {
        self.pin = pin
        self.isMatched = isMatched
        self.isBackup = isBackup
    }
}
