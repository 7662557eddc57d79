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

    /// Returns a certificate issued by this one, even if this one must not issue certificates.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func issue(_ template: CertificateTemplate, key: TestKey = .p256()) throws -> IssuedCertificate {
        try IssuedCertificate(template: template, key: key, issuerName: subject, issuerKey: self.key)
    }
}

/// A root, an intermediate and a server certificate: the chain that most tests start with.
public struct TestAuthority: Sendable {
    /// The root, which a client trusts.
    public let root: IssuedCertificate
    /// The intermediate authority, issued by the root.
    public let intermediate: IssuedCertificate
    /// The server certificate, issued by the intermediate.
    public let leaf: IssuedCertificate

    /// Creates a chain of these three templates, each with a key of its own.
    ///
    /// - Throws: ``CertificateFactoryError`` when a key does not support its template's signature scheme.
    public init(
        root: CertificateTemplate = .authority("Test Root"),
        intermediate: CertificateTemplate = .intermediate("Test Intermediate"),
        leaf: CertificateTemplate = .server(names: ["host.test"]),
        rootKey: TestKey = .p256(),
        intermediateKey: TestKey = .p256(),
        leafKey: TestKey = .p256()
    ) throws {
        self.root = try .selfSigned(root, key: rootKey)
        self.intermediate = try self.root.issue(intermediate, key: intermediateKey)
        self.leaf = try self.intermediate.issue(leaf, key: leafKey)
    }

    /// Returns a correct chain for a server with these DNS names and IP addresses, valid in 2026.
    ///
    /// - Throws: ``CertificateFactoryError``, which does not happen with these keys.
    public static func standard(
        names: [String] = ["host.test"],
        addresses: [String] = []
    ) throws -> TestAuthority {
        try TestAuthority(leaf: .server(names: names, addresses: addresses))
    }

    /// The chain as presented by the server, in DER: its own certificate and the intermediate, without the root.
    public var presented: [[UInt8]] { [leaf.der, intermediate.der] }

    /// The chain as configured in a server, in PEM.
    public var presentedPEM: String { leaf.pem + intermediate.pem }

    /// Returns a new certificate of the intermediate, followed by the intermediate's own, in DER, as presented by a
    /// server.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func presenting(_ template: CertificateTemplate, key: TestKey = .p256()) throws -> [[UInt8]] {
        [try intermediate.issue(template, key: key).der, intermediate.der]
    }
}
