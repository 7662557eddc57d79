/// A certificate that a policy pins, known to be decodable.
public struct PinnedCertificate: Sendable, Hashable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The hash of its public key.
    public let publicKeyPin: PublicKeyPin

    init(der: [UInt8], publicKeyPin: PublicKeyPin) {
        self.der = der
        self.publicKeyPin = publicKeyPin
    }
}
