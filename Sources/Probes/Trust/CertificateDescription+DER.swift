extension CertificateDescription {
    /// Describes a certificate in DER, as far as it can be decoded.
    public init(der: [UInt8]) {
        self.init(
            subject: "", subjectAlternativeNames: [], issuer: "", notValidBefore: nil, notValidAfter: nil,
            serialNumber: "", sha256: "", publicKeyPin: nil, key: "", signature: "", isCertificateAuthority: false)
    }
}
