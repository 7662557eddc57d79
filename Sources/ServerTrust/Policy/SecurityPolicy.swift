public import CheckResults

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
    /// `true` to accept a chain that does not verify, as far as the pinning mode allows.
    public var allowsInvalidCertificates: Bool
    /// `true` if the certificate must be valid for the requested name.
    public var validatesDomainName: Bool
    /// `true` to keep AFNetworking's gap: public key pinning with invalid certificates allowed never checks the name.
    public var isAFNetworkingCompatible: Bool
    /// `true` to refuse a server's certificate for violations of RFC 5280's profile that its validation does not check.
    ///
    /// These are a certificate of an authority, and a missing authority key identifier; both are warnings otherwise.
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
