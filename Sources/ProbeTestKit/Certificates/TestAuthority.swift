/// A root, an intermediate and a server's certificate: the chain that most tests begin with.
public struct TestAuthority: Sendable {
    /// The root, which a client trusts.
    public let root: IssuedCertificate
    /// The intermediate authority, which the root issued.
    public let intermediate: IssuedCertificate
    /// The server's certificate, which the intermediate issued.
    public let leaf: IssuedCertificate

    /// A chain of these three templates, each with a key of its own.
    ///
    /// - Throws: ``CertificateFactoryError`` when a key cannot sign as its template asks.
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

    /// A correct chain for a server with these DNS names and IP addresses, valid in 2026.
    ///
    /// - Throws: ``CertificateFactoryError``, which does not happen with the keys used here.
    public static func standard(
        names: [String] = ["host.test"],
        addresses: [String] = []
    ) throws -> TestAuthority {
        try TestAuthority(leaf: .server(names: names, addresses: addresses))
    }

    /// What the server presents in DER: its own certificate and the intermediate, without the root.
    public var presented: [[UInt8]] { [leaf.der, intermediate.der] }

    /// What the server presents in PEM, as it is configured.
    public var presentedPEM: String { leaf.pem + intermediate.pem }

    /// Another certificate of the intermediate and the intermediate's own, in DER, as a server presents them.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key cannot sign as the template asks.
    public func presenting(_ template: CertificateTemplate, key: TestKey = .p256()) throws -> [[UInt8]] {
        [try intermediate.issue(template, key: key).der, intermediate.der]
    }
}
