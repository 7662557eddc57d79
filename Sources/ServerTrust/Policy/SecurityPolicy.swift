public import CheckResults
internal import ForeignText
internal import FoundationEssentials
internal import Nettle

/// The rules for evaluating a server's trust: AFNetworking's complete AFSecurityPolicy, as a value.
///
/// ``TrustEvaluator`` documents each combination. The defaults are AFSecurityPolicy's: no pinning, invalid certificates
/// refused, the domain name validated.
public struct SecurityPolicy: Sendable, Hashable {
    /// The objects that pins are compared with.
    public enum PinningMode: String, Sendable, Hashable, CaseIterable {
        /// Pins are ignored; the trust anchors decide.
        case none
        /// One certificate of the chain must have a pinned public key.
        case publicKey = "public-key"
        /// The chain must lead to a pinned certificate and contain one.
        case certificate
    }

    /// The pinning mode.
    public var pinningMode: PinningMode
    /// The pinned certificates; in ``PinningMode/publicKey`` only their keys count.
    public var pinnedCertificates: [PinnedCertificate]
    /// The hashes of additional pinned public keys; used only in ``PinningMode/publicKey``.
    public var pinnedPublicKeys: [PublicKeyPin]
    /// The hashes of the server's future keys (RFC 7469, section 4.3); they count like the other pins.
    ///
    /// A server that matches nothing else is accepted with the warning `tls_backup_pin_only`: the pins should be
    /// renewed.
    public var backupPublicKeys: [PublicKeyPin]
    /// `true` to accept a chain that does not verify, within the limits of the pinning mode.
    public var allowsInvalidCertificates: Bool
    /// `true` if the certificate must be valid for the requested name.
    public var validatesDomainName: Bool
    /// `true` to keep AFNetworking's gap: public key pinning with invalid certificates allowed never checks the name.
    public var isAFNetworkingCompatible: Bool
    /// `true` to refuse a server's certificate for violations of RFC 5280's profile that its validation does not check.
    ///
    /// Such violations are an authority's certificate and a missing authority key identifier; both are warnings
    /// otherwise.
    public var isStrict: Bool

    /// Creates a policy; the defaults are AFSecurityPolicy's `defaultPolicy`.
    public init(
        pinningMode: PinningMode = .none,
        pinnedCertificates: [PinnedCertificate] = [],
        pinnedPublicKeys: [PublicKeyPin] = [],
        backupPublicKeys: [PublicKeyPin] = [],
        allowsInvalidCertificates: Bool = false,
        validatesDomainName: Bool = true,
        isAFNetworkingCompatible: Bool = false,
        isStrict: Bool = false
    ) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
        self.pinnedPublicKeys = pinnedPublicKeys
        self.backupPublicKeys = backupPublicKeys
        self.allowsInvalidCertificates = allowsInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.isAFNetworkingCompatible = isAFNetworkingCompatible
        self.isStrict = isStrict
    }
}

/// A pinned certificate, known to be valid DER.
public struct PinnedCertificate: Sendable, Hashable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The hash of its public key.
    public let publicKeyPin: PublicKeyPin

    /// Creates a pin from a DER certificate.
    ///
    /// - Throws: ``SecurityPolicyError/undecodableCertificate(source:reason:)``; AFSecurityPolicy would silently skip
    ///   such a pin.
    public init(der: [UInt8]) throws(SecurityPolicyError) {
        let certificate = DecodedCertificate(der: der, within: .unlimited())
        guard certificate.isUsable, let pin = certificate.publicKeyPin else {
            let reason = certificate.flaws.first ?? "it has no public key"
            throw .undecodableCertificate(source: "the pinned certificate", reason: reason)
        }
        self.der = der
        publicKeyPin = pin
    }
}

extension PublicKeyPin {
    /// Parses `sha256//` and 44 characters of Base64.
    ///
    /// - Throws: ``SecurityPolicyError`` for anything else.
    public init(parsing text: String) throws(SecurityPolicyError) {
        let prefix = "sha256//"
        guard text.hasPrefix(prefix), let data = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            data.count == SHA2.sha256.byteCount
        else {
            throw SecurityPolicyError.invalidPublicKeyPin(text)
        }
        self.init(digest: [UInt8](data))
    }

    /// Creates the pin of a SubjectPublicKeyInfo in DER.
    public init(subjectPublicKeyInfo: [UInt8]) {
        self.init(digest: SHA2.sha256.hash(subjectPublicKeyInfo))
    }
}

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
