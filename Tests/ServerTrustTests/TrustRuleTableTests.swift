import Foundation
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The choices that `docs/findings.md` lists, row by row.
@Suite struct TrustRuleTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The row's first cell in the document.
        let testDescription: String
        /// The code that rejects the chain without the switch; nil when the chain is accepted.
        var code: FindingCode?
        /// The code that is a warning without the switch, and rejects the chain with it.
        var remark: FindingCode?
        let chain: @Sendable () throws -> (presented: [[UInt8]], roots: [IssuedCertificate])

        init(
            _ name: String,
            _ code: FindingCode? = nil,
            remark: FindingCode? = nil,
            _ chain: @escaping @Sendable () throws -> (presented: [[UInt8]], roots: [IssuedCertificate])
        ) {
            (testDescription, self.code, self.remark, self.chain) = (name, code, remark, chain)
        }
    }

    private static func root(
        _ change: (inout CertificateTemplate) -> Void
    ) throws -> ([[UInt8]], [IssuedCertificate]) {
        let chain = try TestAuthority(root: CertificateTemplate.authority().with(change))
        return (chain.presented, [chain.root])
    }

    private static func intermediate(
        asAnchor: Bool = false,
        _ change: (inout CertificateTemplate) -> Void
    ) throws -> ([[UInt8]], [IssuedCertificate]) {
        let chain = try TestAuthority(intermediate: CertificateTemplate.intermediate().with(change))
        return asAnchor ? ([chain.leaf.der], [chain.intermediate]) : (chain.presented, [chain.root])
    }

    private static func keyForm(_ change: ([UInt8]) -> [UInt8]) throws -> ([[UInt8]], [IssuedCertificate]) {
        let key = TestKey.p256()
        let info = try KeyFormTests.info(key, change)
        let chain = try TestAuthority(
            root: CertificateTemplate.authority().with { $0.subjectPublicKeyInfo = info },
            rootKey: key
        )
        return (chain.presented, [chain.root])
    }

    private static func leaf(_ change: (inout CertificateTemplate) -> Void) throws -> ([[UInt8]], [IssuedCertificate]) {
        let chain = try TestAuthority.standard()
        return (try chain.presenting(CertificateTemplate.server().with(change)), [chain.root])
    }

    private static func firstVersion(_ template: inout CertificateTemplate) {
        (template.version, template.extensions) = (0, [])
    }

    /// An identifier [0] with an issuer [1] and a serial number [2].
    private static let foreignAuthorityKeyIdentifier = CertificateExtension.raw(
        "2.5.29.35",
        [0x30, 0x0D, 0x80, 0x04, 1, 2, 3, 4, 0xA1, 0x02, 0xA4, 0x00, 0x82, 0x01, 0x01]
    )

    static let rows = [
        Row("an anchor whose basic constraints are not critical") {
            try root { $0.replaceExtension(with: .basicConstraints(isAuthority: true, critical: false)) }
        },
        Row("an anchor without key identifiers") { try root { $0.addsKeyIdentifiers = false } },
        Row("an anchor whose authority key identifier names an issuer, or another key") {
            try root {
                $0.addsKeyIdentifiers = false
                $0.extensions.append(foreignAuthorityKeyIdentifier)
            }
        },
        Row("an anchor that another authority has issued") {
            try intermediate(asAnchor: true) { $0.addsKeyIdentifiers = false }
        },
        Row("an anchor whose own signature is weak or broken") { try root { $0.signatureScheme = .ecdsaSHA1 } },
        Row("an anchor of version 1 that has issued itself") { try root(Self.firstVersion) },
        Row("an anchor that has expired", .tlsExpired) { try root { $0.notAfter = TestDate.utc(2025) } },
        Row("an anchor that is no authority", .tlsNotAnAuthority) {
            try root { $0.replaceExtension(with: .basicConstraints(isAuthority: false)) }
        },
        Row("an anchor that is for other purposes", .tlsPurpose) {
            try root { $0.extensions.append(.extendedKeyUsage([.codeSigning])) }
        },
        Row("an anchor that constrains names or lengths", .tlsNameConstraints) {
            try root { $0.extensions.append(.nameConstraints(permitted: [.dns("example")])) }
        },
        Row("a server's certificate without an authority key identifier", remark: .tlsCertificateProfile) {
            try leaf { $0.addsKeyIdentifiers = false }
        },
        Row("a server's certificate that is an authority's", remark: .tlsCertificateProfile) {
            try leaf {
                $0.replaceExtension(with: .basicConstraints(isAuthority: true))
                $0.replaceExtension(with: .keyUsage([.digitalSignature, .certificateSigning]))
            }
        },
        Row("a server's certificate that may sign others and is no authority's", .tlsCertificateProfile) {
            try leaf { $0.replaceExtension(with: .keyUsage([.digitalSignature, .certificateSigning])) }
        },
        Row("an intermediate authority without key identifiers", .tlsCertificateProfile) {
            try intermediate { $0.addsKeyIdentifiers = false }
        },
        Row("an intermediate authority whose basic constraints are not critical", .tlsCertificateProfile) {
            try intermediate { $0.replaceExtension(with: .basicConstraints(isAuthority: true, critical: false)) }
        },
        Row("a common name and no alternative name", .tlsNoSubjectAlternativeName) {
            try leaf { $0.removeExtension("2.5.29.17") }
        },
        Row("a wildcard below one label (`*.test`)", .tlsHostname) {
            try leaf {
                $0.subject = .common("*.test")
                $0.replaceExtension(with: .subjectAlternativeName(dns: ["*.test"]))
            }
        },
        Row("a server's certificate without purposes") { try leaf { $0.removeExtension("2.5.29.37") } },
        Row("a server's certificate for any purpose, and not for servers", .tlsPurpose) {
            try leaf { $0.replaceExtension(with: .extendedKeyUsage([.anyPurpose])) }
        },
        Row("an authority for any purpose") {
            try intermediate { $0.replaceExtension(with: .extendedKeyUsage([.anyPurpose])) }
        },
        Row("an issuer in another case or type of string than in its own certificate") {
            let chain = try TestAuthority.standard()
            let issuer = CertificateName([.init(.commonName, "TEST INTERMEDIATE", as: .printable)])
            return (try chain.presenting(CertificateTemplate.server().with { $0.issuer = issuer }), [chain.root])
        },
        Row("an authority's key as a compressed point") { try keyForm(KeyFormTests.compressed) },
        Row(
            """
            an authority's key that cannot be read (a hybrid point, one beside its curve, an rsa exponent of more than \
            33 bits)
            """,
            .tlsUnsupportedAlgorithm
        ) { try keyForm { [0x06 | (($0.last ?? 0) & 1)] + $0.dropFirst() } },
        Row("a server's key that cannot be read, as that of an authority", .tlsUnsupportedAlgorithm) {
            let info = try KeyFormTests.info(.p256()) { [0x06 | (($0.last ?? 0) & 1)] + $0.dropFirst() }
            return try leaf { $0.subjectPublicKeyInfo = info }
        },
        Row("a critical extension for crl distribution points") {
            let name = TrustCost.der(0xA0, TrustCost.der(0xA0, TrustCost.der(0x86, Array("http://x/".utf8))))
            let points = TrustCost.der(0x30, TrustCost.der(0x30, name))
            return try leaf { $0.extensions.append(.raw("2.5.29.31", isCritical: true, points)) }
        },
        Row("a name constraint on dns names with a leading dot (`.example.com`)") {
            try root { $0.extensions.append(.nameConstraints(permitted: [.dns(".test")])) }
        },
    ]

    @Test(arguments: rows, [false, true])
    func `each choice is as in the table`(row: Row, isStrict: Bool) async throws {
        let (presented, roots) = try row.chain()
        let policy = SecurityPolicy(isStrict: isStrict)
        let verdict = await TrustHarness.verdict(presented, roots: roots, policy: policy)
        #expect(verdict.code == row.code ?? (isStrict ? row.remark : nil), "\(verdict.findings)")
        #expect(verdict.warnings == (isStrict ? [] : [row.remark].compactMap(\.self)), "\(verdict.findings)")
    }

    @Test func `version 1 makes an authority only of an anchor that has issued itself`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let middle = try root.issue(CertificateTemplate.intermediate().with(Self.firstVersion))
        let leaf = try middle.issue(.server())
        for roots in [[root], [middle]] {
            let verdict = await TrustHarness.verdict([leaf.der, middle.der], roots: roots)
            #expect(verdict.refusals.contains(.tlsNotAnAuthority), "\(verdict.findings)")
        }
        let old = try IssuedCertificate.selfSigned(CertificateTemplate.authority().with(Self.firstVersion))
        let between = try IssuedCertificate.selfSigned(.authority("Above"))
        let crossed = try between.issue(CertificateTemplate.authority().with(Self.firstVersion), key: old.key)
        let verdict = await TrustHarness.verdict([try old.issue(.server()).der, crossed.der], roots: [between])
        #expect(verdict.refusals.contains(.tlsNotAnAuthority), "\(verdict.findings)")
    }

    @Test func `a wildcard below a public suffix counts, for no list of them is kept`() async throws {
        let chain = try TestAuthority.standard()
        let presented = try chain.presenting(.server(names: ["*.co.uk"]))
        let verdict = await TrustHarness.verdict(presented, roots: [chain.root], host: "host.co.uk")
        #expect(verdict.isAccepted)
    }

    @Test func `the document has a row for each choice`() throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent()
        let file = directory.appending(path: "../../docs/findings.md").standardized
        let document = try String(contentsOf: file, encoding: .utf8).lowercased()
        for name in Self.rows.map(\.testDescription) + ["a wildcard below a public suffix (`*.co.uk`)"] {
            #expect(document.contains("| \(name) |"), "\(name)")
        }
    }
}
