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

    /// Returns a new certificate of the intermediate and the intermediate's own, in DER, as presented by a server.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func presenting(_ template: CertificateTemplate, key: TestKey = .p256()) throws -> [[UInt8]] {
        [try intermediate.issue(template, key: key).der, intermediate.der]
    }
}
