/// An issued certificate with its private key.
public struct IssuedCertificate: Sendable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The private key.
    public let key: TestKey
    /// The template of the certificate.
    public let template: CertificateTemplate
    /// The bytes of the serial number, as in a revocation list.
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

    /// The subject, which is the issuer of certificates issued by this one.
    public var subject: CertificateName { template.subject }

    /// Returns a self-signed certificate; its subject is its issuer, unless the template names another.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public static func selfSigned(
        _ template: CertificateTemplate,
        key: TestKey = .p256()
    ) throws -> IssuedCertificate {
        try IssuedCertificate(template: template, key: key, issuerName: template.subject, issuerKey: key)
    }

    /// Returns a certificate issued by this one, whether or not it may.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func issue(_ template: CertificateTemplate, key: TestKey = .p256()) throws -> IssuedCertificate {
        try IssuedCertificate(template: template, key: key, issuerName: subject, issuerKey: self.key)
    }
}
