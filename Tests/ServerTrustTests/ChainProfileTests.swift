import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The contents that a certificate may have in its place in the chain (RFC 5280, Baseline Requirements).
@Suite struct ChainProfileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: FindingCode?
        let change: @Sendable (inout CertificateTemplate) -> Void

        init(_ name: String, _ code: FindingCode?, _ change: @escaping @Sendable (inout CertificateTemplate) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    /// An identifier that is derived from a UUID (ITU-T X.667).
    private static let unique: CertificateOID = "2.25.329800735698586629295641978511506172918"

    static let leaves = [
        Case("it is over", .tlsExpired) { $0.notAfter = TestDate.utc(2026, 5) },
        Case("it has not begun", .tlsNotYetValid) { $0.notBefore = TestDate.utc(2026, 7) },
        Case("it is for clients", .tlsPurpose) {
            $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication]))
        },
        Case("any purpose is not the server's", .tlsPurpose) {
            $0.replaceExtension(with: .extendedKeyUsage([.anyPurpose]))
        },
        Case("no purposes are given", nil) { $0.removeExtension("2.5.29.37") },
        Case("the key usage allows no TLS", .tlsPurpose) { $0.replaceExtension(with: .keyUsage([.contentCommitment])) },
        Case("the key usage of an elliptic curve's key allows no signatures", .tlsPurpose) {
            $0.replaceExtension(with: .keyUsage([.keyEncipherment]))
        },
        Case("no key usage is given", nil) { $0.removeExtension("2.5.29.15") },
        Case("it may sign certificates", .tlsCertificateProfile) {
            $0.replaceExtension(with: .keyUsage([.digitalSignature, .certificateSigning]))
        },
        Case("it has a path length", .tlsCertificateProfile) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: false, pathLength: 0))
        },
        Case("no basic constraints are given", nil) { $0.removeExtension("2.5.29.19") },
        Case("the alternative name is critical beside a subject", .tlsCertificateProfile) {
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test"], critical: true))
        },
        Case("the subject is empty and the alternative name is critical", nil) {
            $0.subject = .empty
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test"], critical: true))
        },
        Case("the subject is empty and the alternative name is not critical", .tlsCertificateProfile) {
            $0.subject = .empty
        },
        Case("there is no alternative name", .tlsNoSubjectAlternativeName) { $0.removeExtension("2.5.29.17") },
        Case("another alternative name is malformed", .tlsCertificateProfile) {
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test", ".host.test"]))
        },
        Case("an alternative name has an underscore", .tlsCertificateProfile) {
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test", "a_b.host.test"]))
        },
        Case("a label of an alternative name begins with a hyphen", .tlsCertificateProfile) {
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test", "-a.host.test"]))
        },
        Case("a label of an alternative name ends with a hyphen", .tlsCertificateProfile) {
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test", "a-.host.test"]))
        },
        Case("an alternative name has hyphens inside and a wildcard", nil) {
            $0.replaceExtension(with: .subjectAlternativeName(dns: ["host.test", "*.a--b.host.test"]))
        },
        Case("an address has five octets", .tlsCertificateProfile) {
            $0.replaceExtension(with: .subjectAlternativeName([.dns("host.test"), .address([1, 2, 3, 4, 5])]))
        },
        Case("it has name constraints", .tlsCertificateProfile) {
            $0.extensions.append(.nameConstraints(permitted: [.dns("test")]))
        },
        Case("an extension is unknown and critical", .tlsCriticalExtension) {
            $0.extensions.append(.raw("1.3.6.1.4.1.55555.1", isCritical: true, [0x05, 0x00]))
        },
        Case("an extension is unknown and not critical", nil) {
            $0.extensions.append(.raw("1.3.6.1.4.1.55555.1", [0x05, 0x00]))
        },
        Case("an extension with the identifier of a UUID is critical", .tlsCriticalExtension) {
            $0.extensions.append(.raw(unique, isCritical: true, [0x05, 0x00]))
        },
        Case("an extension with the identifier of a UUID is not critical", nil) {
            $0.extensions.append(.raw(unique, [0x05, 0x00]))
        },
        Case("a policy has the identifier of a UUID", nil) {
            $0.extensions.append(.raw("2.5.29.32", TrustCost.der(0x30, TrustCost.der(0x30, unique.der))))
        },
        Case("an attribute of the subject has the identifier of a UUID", nil) {
            $0.subject = CertificateName([.init(unique, "host.test")])
        },
        Case("the distribution points of lists are critical", nil) {
            $0.extensions.append(.raw("2.5.29.31", isCritical: true, points([named])))
        },
        Case("an extension occurs twice", .tlsCertificateProfile) {
            $0.extensions.append(.subjectAlternativeName(dns: ["host.test"]))
        },
        Case("the serial number is zero", .tlsCertificateProfile) { $0.serialNumber = [0] },
        Case("the serial number is negative", .tlsCertificateProfile) { $0.serialNumber = [0x80, 1] },
        Case("the serial number has 21 octets", .tlsCertificateProfile) {
            $0.serialNumber = Array(repeating: 1, count: 21)
        },
        Case("the serial number has 20 octets", nil) { $0.serialNumber = Array(repeating: 1, count: 20) },
        Case("the version is 1 in spite of extensions", .tlsCertificateProfile) { $0.version = 0 },
        Case("inner and outer algorithm differ", .tlsCertificateProfile) { $0.innerSignatureScheme = .ecdsaSHA384 },
        Case("the issuer is empty", .tlsCertificateProfile) { $0.issuer = .empty },
        Case("it is signed with SHA-1", .tlsWeakSignature) { $0.signatureScheme = .ecdsaSHA1 },
        Case("it is signed with SHA-384", nil) { $0.signatureScheme = .ecdsaSHA384 },
        Case("the algorithm is unknown", .tlsUnsupportedAlgorithm) {
            $0.signatureScheme = .unknown("1.3.6.1.4.1.55555.2")
        },
        Case("bytes follow the certificate", .tlsMalformedCertificate) { $0.trailingBytes = [0] },
        Case("bytes follow inside", .tlsMalformedCertificate) { $0.trailingBytesInside = [0x05, 0x00] },
        Case("a policy occurs twice", .tlsCertificateProfile) {
            let policy: [UInt8] = [0x30, 0x04, 0x06, 0x02, 0x2A, 0x03]
            $0.extensions.append(.raw("2.5.29.32", [0x30, 0x0C] + policy + policy))
        },
        Case("two policies are given", nil) {
            let policies: [UInt8] = [0x30, 0x04, 0x06, 0x02, 0x2A, 0x03, 0x30, 0x04, 0x06, 0x02, 0x2A, 0x04]
            $0.extensions.append(.raw("2.5.29.32", [0x30, 0x0C] + policies))
        },
        Case("the key's curve is given by parameters and not by its name", .tlsMalformedCertificate) {
            let algorithm: [UInt8] = [
                0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x30, 0x03, 0x02, 0x01, 0x01,
            ]
            $0.subjectPublicKeyInfo = [0x30, 0x14, 0x30, 0x0E] + algorithm + [0x03, 0x02, 0x00, 0x04]
        },
        Case("the authority's information access is malformed", .tlsMalformedCertificate) {
            $0.extensions.append(.raw("1.3.6.1.5.5.7.1.1", [0x04, 0x00]))
        },
    ]

    @Test(arguments: leaves)
    func `a server's certificate is judged by the profile`(_ example: Case) async throws {
        let verdict = try await TrustHarness.verdict(leaf: example.change)
        guard let code = example.code else {
            #expect(verdict.findings.isEmpty)
            return
        }
        #expect(verdict.refusals.contains(code), "\(verdict.findings)")
    }

    static let authorities = [
        Case("it is not an authority", .tlsNotAnAuthority) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: false))
        },
        Case("it has no basic constraints", .tlsNotAnAuthority) { $0.removeExtension("2.5.29.19") },
        Case("its basic constraints are not critical", .tlsCertificateProfile) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: true, critical: false))
        },
        Case("it may not sign certificates", .tlsNotAnAuthority) {
            $0.replaceExtension(with: .keyUsage([.digitalSignature]))
        },
        Case("it has no key usage", nil) { $0.removeExtension("2.5.29.15") },
        Case("it issues for servers", nil) { $0.replaceExtension(with: .extendedKeyUsage([.serverAuthentication])) },
        Case("it issues for any purpose", nil) { $0.replaceExtension(with: .extendedKeyUsage([.anyPurpose])) },
        Case("it issues for mail only", .tlsPurpose) { $0.replaceExtension(with: .extendedKeyUsage([.codeSigning])) },
        Case("it is over", .tlsExpired) { $0.notAfter = TestDate.utc(2025) },
        Case("it has no key identifiers", .tlsCertificateProfile) { $0.addsKeyIdentifiers = false },
        Case("an extension is unknown and critical", .tlsCriticalExtension) {
            $0.extensions.append(.raw("1.3.6.1.4.1.55555.1", isCritical: true, [0x05, 0x00]))
        },
        Case("an extension with the identifier of a UUID is not critical", nil) {
            $0.extensions.append(.raw(unique, [0x05, 0x00]))
        },
        Case("the distribution points of lists are critical", nil) {
            $0.extensions.append(.raw("2.5.29.31", isCritical: true, points([named])))
        },
        Case("its path length is enough", nil) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: true, pathLength: 0))
        },
    ]

    @Test(arguments: authorities)
    func `an intermediate authority is judged by the profile`(_ example: Case) async throws {
        let verdict = try await TrustHarness.verdict(intermediate: example.change)
        guard let code = example.code else {
            #expect(verdict.findings.isEmpty)
            return
        }
        #expect(verdict.refusals.contains(code), "\(verdict.findings)")
    }

    static let roots = [
        Case("it is not an authority", .tlsNotAnAuthority) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: false))
        },
        Case("its basic constraints are not critical", nil) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: true, critical: false))
        },
        Case("it may not sign certificates", .tlsNotAnAuthority) {
            $0.replaceExtension(with: .keyUsage([.digitalSignature]))
        },
        Case("it is over", .tlsExpired) { $0.notAfter = TestDate.utc(2025) },
        Case("it allows no authority below", .tlsPathLength) {
            $0.replaceExtension(with: .basicConstraints(isAuthority: true, pathLength: 0))
        },
        Case("it constrains names", .tlsNameConstraints) {
            $0.extensions.append(.nameConstraints(permitted: [.dns("example")]))
        },
        Case("an extension with the identifier of a UUID is critical", .tlsCriticalExtension) {
            $0.extensions.append(.raw(unique, isCritical: true, [0x05, 0x00]))
        },
        Case("an extension with the identifier of a UUID is not critical", nil) {
            $0.extensions.append(.raw(unique, [0x05, 0x00]))
        },
        Case("its own signature is weak", nil) { $0.signatureScheme = .ecdsaSHA1 },
        Case("its own signature is broken", nil) { $0.signatureDefect = .flippedBit },
    ]

    @Test(arguments: roots)
    func `a root is not trusted blindly`(_ example: Case) async throws {
        let verdict = try await TrustHarness.verdict(root: example.change)
        guard let code = example.code else {
            #expect(verdict.findings.isEmpty)
            return
        }
        #expect(verdict.refusals.contains(code), "\(verdict.findings)")
    }

    private static let uri = TrustCost.der(0x86, Array("http://x/".utf8))
    private static let named = TrustCost.der(0xA0, TrustCost.der(0xA0, uri))
    private static let reasons: [UInt8] = [0x81, 0x02, 0x05, 0x60]

    /// CRLDistributionPoints with the fields of each point.
    private static func points(_ points: [[UInt8]]) -> [UInt8] {
        TrustCost.der(0x30, points.flatMap { TrustCost.der(0x30, $0) })
    }

    static let distributionPoints: [(value: [UInt8], isWellFormed: Bool)] = [
        (points([named]), true), (points([named + reasons]), true), (points([named, named]), true),
        (points([TrustCost.der(0xA2, uri)]), true), (points([named + reasons + TrustCost.der(0xA2, uri)]), true),
        (
            points([TrustCost.der(0xA0, TrustCost.der(0xA1, [0x30, 0x07, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x00]))]),
            true
        ),
        ([], false), ([0x05, 0x00], false), ([0x30, 0x02, 0x30], false), (points([]), false), (points([[]]), false),
        (points([named, []]), false), (points([reasons]), false), (points([reasons + named]), false),
        (points([named + named]), false), (points([[0x80, 0x00]]), false), (points([[0xA0, 0x00]]), false),
        (points([[0xA2, 0x00]]), false), (points([TrustCost.der(0xA0, [0xA0, 0x00])]), false),
        (points([TrustCost.der(0xA0, [0xA1, 0x00])]), false), (points([TrustCost.der(0xA0, [0xA2, 0x00])]), false),
        (points([TrustCost.der(0xA0, TrustCost.der(0xA0, [0x05, 0x00]))]), false),
        (points([TrustCost.der(0xA2, [0x89, 0x00])]), false), (points([named + [0x81, 0x00]]), false),
        (points([named + [0x81, 0x01, 0x08]]), false), (points([named + [0xA3, 0x00]]), false),
        (points([named + [0x05, 0x00]]), false),
    ]

    @Test(arguments: distributionPoints)
    func `distribution points of lists refuse a certificate only if they are critical and malformed`(
        _ example: (value: [UInt8], isWellFormed: Bool)
    ) async throws {
        for isCritical in [false, true] {
            let verdict = try await TrustHarness.verdict(leaf: {
                $0.extensions.append(.raw("2.5.29.31", isCritical: isCritical, example.value))
            })
            let isRefused = isCritical && !example.isWellFormed
            #expect(verdict.isAccepted == !isRefused, "\(verdict.findings)")
            #expect(verdict.refusals.contains(.tlsMalformedCertificate) == isRefused)
        }
    }

    @Test(arguments: [
        (TestKey.Kind.p256, FindingCode?.none), (.p384, nil), (.p521, nil), (.ed25519, nil), (.rsa2048, nil),
        (.rsa3072, nil),
        (.rsa1024, .tlsWeakKey),
    ])
    func `keys are accepted by kind and size`(_ kind: TestKey.Kind, _ code: FindingCode?) async throws {
        let verdict = try await TrustHarness.verdict(leaf: { _ in }, key: try TestKey(kind, seed: "leaf"))
        #expect(verdict.code == code)
    }

    @Test(arguments: [SignatureScheme.rsaSHA256, .rsaSHA384, .rsaSHA512, .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512])
    func `RSA signatures verify in both paddings`(_ scheme: SignatureScheme) async throws {
        let root = try IssuedCertificate.selfSigned(.authority(), key: try TestKey(.rsa2048, seed: "root"))
        for defect in [SignatureDefect.none, .flippedBit] {
            let template = CertificateTemplate.server().with {
                $0.signatureScheme = scheme
                $0.signatureDefect = defect
            }
            let verdict = await TrustHarness.verdict([try root.issue(template).der], roots: [root])
            #expect(verdict.isAccepted == (defect == .none))
        }
    }

    @Test func `an RSA key that only enciphers keys is fit for a server`() async throws {
        let verdict = try await TrustHarness.verdict(
            leaf: { $0.replaceExtension(with: .keyUsage([.keyEncipherment])) },
            key: try TestKey(.rsa2048, seed: "leaf")
        )
        #expect(verdict.findings.isEmpty)
    }

    @Test(arguments: [
        ("host.test", Finding.Severity?.none), ("192.0.2.1", nil), ("2001:db8::1", nil), ("HOST.test", .warning),
        ("other.test", .warning), ("192.000.002.001", .warning), ("2001:DB8::1", .warning), ("0xC0000201", .warning),
        ("test-測試.test", .warning), ("Mail gateway", .note), ("server1", .note), ("urn:device:7", .note),
    ])
    func `a common name that is not an alternative name is reported`(
        _ name: String,
        _ severity: Finding.Severity?
    ) async throws {
        let chain = try TestAuthority.standard()
        let template = CertificateTemplate.server(names: ["host.test"], addresses: ["192.0.2.1", "2001:db8::1"])
        let presented = try chain.presenting(template.with { $0.subject = .common(name) })
        let verdict = await TrustHarness.verdict(presented, roots: [chain.root])
        #expect(verdict.isAccepted)
        #expect(verdict.findings.map(\.severity) == [severity].compactMap(\.self))
    }

    @Test func `an expired certificate for another name has both findings, the validity first`() async throws {
        let verdict = try await TrustHarness.verdict(
            leaf: { $0.notAfter = TestDate.utc(2026, 5) },
            host: "other.test"
        )
        #expect(verdict.refusals == [.tlsExpired, .tlsHostname])
        #expect(verdict.findings.allSatisfy { $0.subject == "CN=host.test" && !$0.evidence.isEmpty })
    }

    @Test func `validity includes its first and its last second`() async throws {
        let chain = try TestAuthority.standard()
        for (date, code) in [
            (TestDate.utc(2026), nil), (TestDate.utc(2027), nil),
            (TestDate.utc(2026).addingTimeInterval(-1), .tlsNotYetValid),
            (TestDate.utc(2026).addingTimeInterval(-0.001), .tlsNotYetValid),
            (TestDate.utc(2027).addingTimeInterval(0.999), nil),
            (TestDate.utc(2027).addingTimeInterval(1), FindingCode.tlsExpired),
        ] as [(Date, FindingCode?)] {
            let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], at: date)
            #expect(verdict.code == code)
        }
    }

    @Test func `a server's certificate that is a root itself is trusted, with a warning when it is an authority`()
        async throws
    {
        let server = try IssuedCertificate.selfSigned(.server())
        #expect(await TrustHarness.verdict([server.der], roots: [server]).isAccepted)
        let authority = try IssuedCertificate.selfSigned(
            CertificateTemplate.server().with { $0.replaceExtension(with: .basicConstraints(isAuthority: true)) }
        )
        let verdict = await TrustHarness.verdict([authority.der], roots: [authority])
        #expect(verdict.isAccepted)
        #expect(verdict.warnings == [.tlsCertificateProfile])
        let strict = SecurityPolicy(isStrict: true)
        #expect(await TrustHarness.verdict([authority.der], roots: [authority], policy: strict).isAccepted == false)
    }
}
