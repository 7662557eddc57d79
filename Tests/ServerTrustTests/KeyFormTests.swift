import ProbeTestKit
import SwiftASN1
import Testing

@testable import ServerTrust

/// The forms of a key: an authority's that cannot be read says nothing about the signatures by its holder, and with such a
/// key of a server there is no handshake.
@Suite struct KeyFormTests {
    /// Returns the key's SubjectPublicKeyInfo with other bits.
    static func info(_ key: TestKey, _ change: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
        let parts = try #require(ASN1Node.parsing(key.subjectPublicKeyInfo)?.sequence)
        let bits = try #require(parts[1].wholeBits)
        return TrustCost.der(0x30, [UInt8](parts[0].encodedBytes) + TrustCost.der(0x03, [0] + change(bits)))
    }

    /// Returns the point with the form of its first byte, without its second coordinate.
    static func compressed(_ point: [UInt8]) -> [UInt8] {
        [0x02 | ((point.last ?? 0) & 1)] + point.dropFirst().prefix(point.count / 2)
    }

    /// The verdict on a server of a root, and of an authority below it, whose key has another form.
    private static func verdicts(_ key: TestKey, _ info: [UInt8]) async throws -> [TrustVerdict] {
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority().with { $0.subjectPublicKeyInfo = info },
            key: key
        )
        let trusted = try IssuedCertificate.selfSigned(.authority("Trusted"))
        let middle = try trusted.issue(
            CertificateTemplate.intermediate().with { $0.subjectPublicKeyInfo = info },
            key: key
        )
        return [
            await TrustHarness.verdict([try root.issue(.server()).der], roots: [root]),
            await TrustHarness.verdict([try middle.issue(.server()).der, middle.der], roots: [trusted]),
        ]
    }

    @Test(arguments: [TestKey.Kind.p256, .p384, .p521])
    func `a compressed point is a key like the whole one`(_ kind: TestKey.Kind) async throws {
        // The second coordinates of eight keys are hardly all odd or all even.
        for _ in 0..<8 {
            let key = try TestKey(kind)
            for verdict in try await Self.verdicts(key, try Self.info(key, Self.compressed)) {
                #expect(verdict.isAccepted && verdict.findings.isEmpty, "\(verdict.findings)")
            }
        }
    }

    @Test func `the compressed point of another key is an invalid signature`() async throws {
        let other = try Self.info(.p256(), Self.compressed)
        for verdict in try await Self.verdicts(.p256(), other) {
            #expect(verdict.refusals.first == .tlsSignatureInvalid, "\(verdict.findings)")
        }
    }

    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: TestKey.Kind
        let change: @Sendable ([UInt8]) -> [UInt8]

        init(_ name: String, _ kind: TestKey.Kind = .p256, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            (testDescription, self.kind, self.change) = (name, kind, change)
        }
    }

    static let unreadable = [
        Form("a hybrid point") { [0x06 | (($0.last ?? 0) & 1)] + $0.dropFirst() },
        Form("a point beside the curve") { $0.dropLast() + [($0.last ?? 0) ^ 1] },
        Form("a compressed point that is too long") { compressed($0) + [0] },
        Form("a compressed point that is too short") { compressed($0).dropLast() },
        Form("a compressed point beyond the field", .p384) { [0x02] + Array(repeating: 0xFF, count: $0.count / 2) },
        Form("the form of a compressed point alone", .p521) { _ in [0x03] },
        Form("the point at infinity") { _ in [0x00] },
        Form("no point") { _ in [] },
        Form("a short Ed25519 key", .ed25519) { $0.dropLast() },
        Form("an RSA key with a large exponent", .rsa2048) { bits in
            guard let parts = ASN1Node.parsing(bits)?.sequence, parts.count == 2 else { return [] }
            return TrustCost.der(0x30, [UInt8](parts[0].encodedBytes) + [0x02, 0x06, 0x01, 0, 0, 0, 0, 0x01])
        },
    ]

    @Test(arguments: unreadable)
    func `a key that cannot be read is unsupported, and nothing was changed`(_ form: Form) async throws {
        let key = form.kind == .rsa2048 ? try TestKey.rsa2048 : try TestKey(form.kind)
        for verdict in try await Self.verdicts(key, try Self.info(key, form.change)) {
            #expect(!verdict.isAccepted && verdict.validatedChain.isEmpty)
            #expect(verdict.refusals.first == .tlsUnsupportedAlgorithm, "\(verdict.findings)")
            #expect(!verdict.refusals.contains(.tlsSignatureInvalid))
        }
    }

    @Test(arguments: unreadable)
    func `a server's own key that cannot be read is unsupported, also if its certificate is trusted`(
        _ form: Form
    ) async throws {
        let key = form.kind == .rsa2048 ? try TestKey.rsa2048 : try TestKey(form.kind)
        let info = try Self.info(key, form.change)
        let root = try IssuedCertificate.selfSigned(.authority())
        let leaf = try root.issue(CertificateTemplate.server().with { $0.subjectPublicKeyInfo = info }, key: key)
        for anchor in [root, leaf] {
            let verdict = await TrustHarness.verdict([leaf.der], roots: [anchor])
            #expect(verdict.refusals == [.tlsUnsupportedAlgorithm], "\(verdict.findings)")
        }
    }

    @Test(arguments: [TestKey.Kind.p256, .p384, .p521, .ed25519, .rsa2048])
    func `a server's own key that can be read is accepted`(_ kind: TestKey.Kind) async throws {
        let key = kind == .rsa2048 ? try TestKey.rsa2048 : try TestKey(kind)
        let root = try IssuedCertificate.selfSigned(.authority())
        let verdict = await TrustHarness.verdict([try root.issue(.server(), key: key).der], roots: [root])
        #expect(verdict.isAccepted && verdict.findings.isEmpty, "\(verdict.findings)")
    }

    @Test func `a key that cannot be read does not hide another one of its name`() async throws {
        let good = try IssuedCertificate.selfSigned(.authority("Same"))
        let unreadable = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority("Same").with {
                $0.subjectPublicKeyInfo = try? Self.info(.p256()) { _ in [4] }
            }
        )
        let leaf = try good.issue(.server())
        for roots in [[unreadable, good], [good, unreadable]] {
            #expect(await TrustHarness.verdict([leaf.der, unreadable.der], roots: roots).isAccepted)
        }
    }

    @Test(arguments: [
        (SignatureScheme.unknown("1.2.840.113549.1.1.10"), SignatureScheme.rsaPSSSHA384, FindingCode?.none),
        (.unknown("1.2.840.113549.1.1.10"), .rsaSHA384, .tlsUnsupportedAlgorithm),
        (.rsaPSSSHA256, .rsaPSSSHA256, nil), (.rsaPSSSHA256, .rsaPSSSHA384, .tlsUnsupportedAlgorithm),
        (.rsaPSSSHA256, .rsaSHA256, .tlsUnsupportedAlgorithm),
    ])
    func `an RSA key for RSASSA-PSS alone verifies that padding, with its own parameters if it has any`(
        _ algorithm: SignatureScheme,
        _ scheme: SignatureScheme,
        _ code: FindingCode?
    ) async throws {
        let key = try TestKey.rsa2048
        let parts = try #require(ASN1Node.parsing(key.subjectPublicKeyInfo)?.sequence)
        let info = TrustCost.der(0x30, algorithm.algorithmIdentifier + [UInt8](parts[1].encodedBytes))
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority().with { $0.subjectPublicKeyInfo = info },
            key: key
        )
        let leaf = try root.issue(CertificateTemplate.server().with { $0.signatureScheme = scheme })
        let verdict = await TrustHarness.verdict([leaf.der], roots: [root])
        #expect(verdict.code == code, "\(verdict.findings)")
    }

    @Test func `a revocation list that cannot be verified is not called forged`() async throws {
        let key = TestKey.p256()
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority().with { $0.subjectPublicKeyInfo = try? Self.info(key, Self.compressed) },
            key: key
        )
        let leaf = try root.issue(.server())
        for (scheme, evidence) in [
            (SignatureScheme.ecdsaSHA256, nil),
            (.ecdsaSHA1, "the signature of the list of CN=Test Root cannot be verified"),
        ] {
            var template = RevocationListTemplate()
            template.signatureScheme = scheme
            let list = try CertificateRevocationList(der: root.revocationList(template))
            let verdict = await TrustHarness.verdict([leaf.der], roots: [root], lists: [list])
            #expect(verdict.findings.first?.evidence == evidence)
        }
    }
}
