public import CheckResults

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
        let certificate = DecodedCertificate(der: der)
        guard certificate.isUsable, let pin = certificate.publicKeyPin else {
            let reason = certificate.flaws.first ?? "it has no public key"
            throw .undecodableCertificate(source: "the pinned certificate", reason: reason)
        }
        self.der = der
        publicKeyPin = pin
    }
}
