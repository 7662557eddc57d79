/// A certificate that a policy pins, known to be decodable.
public struct PinnedCertificate: Sendable, Hashable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The hash of its public key.
    public let publicKeyPin: PublicKeyPin

    /// Takes a certificate in DER.
    ///
    /// - Throws: ``SecurityPolicyError/undecodableCertificate(source:reason:)``; AFSecurityPolicy would pass over such a
    ///   pin in silence.
    public init(der: [UInt8]) throws(SecurityPolicyError) {
        let certificate = DecodedCertificate(der: der)
        guard certificate.isUsable, let pin = certificate.publicKeyPin else {
            let reason = certificate.flaws.first ?? "it has no public key"
            throw .undecodableCertificate(source: "the pinned certificate", reason: reason)
        }
        self.der = der
        publicKeyPin = pin
    }
}
