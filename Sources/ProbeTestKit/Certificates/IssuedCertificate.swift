/// A certificate that was made, with the private key that belongs to it.
public struct IssuedCertificate: Sendable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The private key.
    public let key: TestKey
    /// What the certificate was made from.
    public let template: CertificateTemplate
    /// The serial number's bytes, as a revocation list names it.
    public let serialNumber: [UInt8]

    init(template: CertificateTemplate, key: TestKey, issuerName: CertificateName, issuerKey: TestKey) throws {
        var template = template
        let serialNumber = template.serialNumber ?? template.derivedSerialNumber(of: key)
        template.serialNumber = serialNumber
        self.serialNumber = serialNumber
        self.template = template
        self.key = key
        der = try template.encoded(publicKey: key, issuerName: issuerName, issuerKey: issuerKey)
    }

    /// The certificate in PEM.
    public var pem: String { PEMText.encode("CERTIFICATE", der) }

    /// The subject, under which this certificate issues others.
    public var subject: CertificateName { template.subject }

    /// A certificate that its own key signs; its subject is its issuer, unless the template names another.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key cannot sign as the template asks.
    public static func selfSigned(
        _ template: CertificateTemplate,
        key: TestKey = .p256()
    ) throws -> IssuedCertificate {
        try IssuedCertificate(template: template, key: key, issuerName: template.subject, issuerKey: key)
    }

    /// A certificate that this one issues; whether it may is not asked.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key cannot sign as the template asks.
    public func issue(_ template: CertificateTemplate, key: TestKey = .p256()) throws -> IssuedCertificate {
        try IssuedCertificate(template: template, key: key, issuerName: subject, issuerKey: self.key)
    }
}
