/// How a server's trust is evaluated: the whole of AFNetworking's AFSecurityPolicy, as a value.
///
/// What each combination means is ``TrustEvaluator``'s subject. The defaults are AFSecurityPolicy's: no pinning, invalid
/// certificates refused, the domain name validated.
public struct SecurityPolicy: Sendable, Hashable {
    /// What a pin is compared with.
    public enum PinningMode: String, Sendable, Hashable, CaseIterable {
        /// Pins are ignored; the trust anchors decide.
        case none
        /// One certificate of the chain must have a pinned public key.
        case publicKey = "public-key"
        /// The chain must lead to a pinned certificate and contain one.
        case certificate
    }

    /// What a pin is compared with.
    public var pinningMode: PinningMode
    /// The certificates to pin; in ``PinningMode/publicKey`` their keys count.
    public var pinnedCertificates: [PinnedCertificate]
    /// Hashes of public keys to pin besides; they only count in ``PinningMode/publicKey``.
    public var pinnedPublicKeys: [PublicKeyPin]
    /// Hashes of the keys that the server will come to next (RFC 7469, section 4.3); they count like the other pins.
    ///
    /// A server that matches nothing else is accepted with the warning `tls_backup_pin_only`: the pins want renewing.
    public var backupPublicKeys: [PublicKeyPin]
    /// Whether a chain that does not verify is accepted, as far as the pinning mode lets it.
    public var allowsInvalidCertificates: Bool
    /// Whether the certificate must be for the name that was asked for.
    public var validatesDomainName: Bool
    /// Whether AFNetworking's gap is kept: public key pinning with invalid certificates allowed never looks at the name.
    public var isAFNetworkingCompatible: Bool
    /// Whether a server's certificate is refused for what RFC 5280's profile forbids and its validation does not look at.
    ///
    /// That it is an authority's, or has no authority key identifier; both are warnings otherwise.
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
