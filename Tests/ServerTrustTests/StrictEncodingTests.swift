import ForeignText
import ProbeTestKit
import SwiftASN1
import Testing

@testable import ServerTrust

/// Encodings of a certificate that DER or RFC 5280 does not allow, and whose meaning would be a guess.
@Suite struct StrictEncodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isWellFormed: Bool
        let kind: TestKey.Kind
        let change: @Sendable (inout CertificateTemplate, TestKey) throws -> Void

        init(
            _ name: String,
            _ isWellFormed: Bool,
            _ kind: TestKey.Kind = .p256,
            _ change: @escaping @Sendable (inout CertificateTemplate, TestKey) throws -> Void
        ) {
            (testDescription, self.isWellFormed, self.kind, self.change) = (name, isWellFormed, kind, change)
        }

        /// A case of an extension's value.
        init(_ name: String, _ isWellFormed: Bool, _ oid: CertificateOID, _ value: [UInt8]) {
            self.init(name, isWellFormed) { template, _ in
                template.replaceExtension(with: .raw(oid, isCritical: true, value))
            }
        }

        /// A case of what follows the public key.
        init(_ name: String, _ isWellFormed: Bool, after key: [UInt8]) {
            self.init(name, isWellFormed) { $0.subjectPublicKeyInfo = $1.subjectPublicKeyInfo + key }
        }
    }

    private static func der(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        TrustCost.der(tag, Array(content.joined()))
    }

    /// A subtree of DNS names.
    private static func subtrees(_ tag: UInt8, _ name: String) -> [UInt8] {
        der(tag, der(0x30, der(0x82, Array(name.utf8))))
    }

    /// Returns the key's SubjectPublicKeyInfo with more parameters.
    private static func info(_ key: TestKey, adding parameters: [UInt8]) throws -> [UInt8] {
        let parts = try #require(ASN1Node.parsing(key.subjectPublicKeyInfo)?.sequence)
        let algorithm = try #require(parts[0].sequence).flatMap { [UInt8]($0.encodedBytes) }
        return der(0x30, der(0x30, algorithm, parameters), [UInt8](parts[1].encodedBytes))
    }

    static let cases = [
        Case("the key usage has nine bits", true, "2.5.29.15", [0x03, 0x03, 0x07, 0x80, 0x80]),
        Case("the key usage has no bits", true, "2.5.29.15", [0x03, 0x01, 0x00]),
        Case("unused bits of the key usage are set", false, "2.5.29.15", [0x03, 0x02, 0x07, 0x06]),
        Case("one unused bit of the key usage is set", false, "2.5.29.15", [0x03, 0x02, 0x03, 0x84]),
        Case("the key usage has unused bits and no others", false, "2.5.29.15", [0x03, 0x01, 0x07]),
        Case("the key usage has eight unused bits", false, "2.5.29.15", [0x03, 0x02, 0x08, 0x00]),
        Case("the policy constraints are in order", true, "2.5.29.36", der(0x30, [0x80, 1, 0], [0x81, 1, 0])),
        Case("a policy constraint is given twice", false, "2.5.29.36", der(0x30, [0x80, 1, 0], [0x80, 1, 5])),
        Case(
            "the policy constraints are in another order",
            false,
            "2.5.29.36",
            der(0x30, [0x81, 1, 0], [0x80, 1, 0])
        ),
        Case("a policy constraint has a leading zero", false, "2.5.29.36", der(0x30, [0x80, 2, 0, 0])),
        Case("a policy constraint is empty", false, "2.5.29.36", der(0x30, [0x80, 0])),
        Case("a policy constraint is negative", false, "2.5.29.36", der(0x30, [0x80, 1, 0xFF])),
        Case(
            "the subtrees are in order",
            true,
            "2.5.29.30",
            der(0x30, subtrees(0xA0, "test"), subtrees(0xA1, "a.test"))
        ),
        Case(
            "the subtrees are in another order",
            false,
            "2.5.29.30",
            der(0x30, subtrees(0xA1, "a.test"), subtrees(0xA0, "test"))
        ),
        Case("permitted subtrees occur twice", false, "2.5.29.30", der(0x30, subtrees(0xA0, "a"), subtrees(0xA0, "b"))),
        Case("an authority key identifier occurs twice", false, "2.5.29.35", der(0x30, [0x80, 1, 1], [0x80, 1, 2])),
        Case(
            "an issuer is before the authority key identifier",
            false,
            "2.5.29.35",
            der(0x30, [0xA1, 0], [0x80, 1, 2])
        ),
        Case("both unique identifiers follow the key", true, after: [0x81, 2, 0, 1, 0x82, 2, 0, 1]),
        Case("a unique identifier occurs twice", false, after: [0x81, 2, 0, 1, 0x81, 2, 0, 1]),
        Case("the unique identifiers are in another order", false, after: [0x82, 2, 0, 1, 0x81, 2, 0, 1]),
        Case("a field has the tag of the version", false, after: [0xA0, 3, 2, 1, 2]),
        Case("a unique identifier follows the extensions", false) { template, _ in
            template.trailingBytesInside = [0x81, 2, 0, 1]
        },
        Case("a key on a curve has parameters of two parts", false) { template, key in
            template.subjectPublicKeyInfo = try info(key, adding: [0x05, 0x00])
        },
        Case("an RSA key has parameters of two parts", false, .rsa2048) { template, key in
            template.subjectPublicKeyInfo = try info(key, adding: [0x05, 0x00])
        },
        Case("an Ed25519 key has no parameters", true, .ed25519) { _, _ in },
        Case("an Ed25519 key has parameters", false, .ed25519) { template, key in
            template.subjectPublicKeyInfo = try info(key, adding: [0x05, 0x00])
        },
    ]

    @Test(arguments: cases)
    func `an encoding that DER does not allow is malformed`(_ example: Case) throws {
        let key = try TestKey(example.kind, seed: "strict")
        var template = CertificateTemplate.server()
        try example.change(&template, key)
        let root = try IssuedCertificate.selfSigned(.authority())
        let certificate = DecodedCertificate(der: try root.issue(template, key: key).der, within: .unlimited())
        #expect(certificate.isUsable == example.isWellFormed, "\(certificate.flaws)")
    }

    @Test func `a validity of three times is malformed`() throws {
        let der = try IssuedCertificate.selfSigned(.authority()).der
        let outer = try #require(ASN1Node.parsing(der)?.sequence)
        for extra: [UInt8] in [[], [0x02, 0x01, 0x05]] {
            let fields = try #require(outer[0].sequence).enumerated().flatMap { index, field in
                // After the version, the serial number, the algorithm and the issuer.
                index == 4
                    ? Self.der(0x30, (field.sequence ?? []).flatMap { [UInt8]($0.encodedBytes) }, extra)
                    : [UInt8](field.encodedBytes)
            }
            let rest = outer.dropFirst().flatMap { [UInt8]($0.encodedBytes) }
            let certificate = DecodedCertificate(
                der: Self.der(0x30, Self.der(0x30, fields), rest),
                within: .unlimited()
            )
            #expect(certificate.flaws == (extra.isEmpty ? [] : ["its validity has 3 parts instead of 2"]))
        }
    }

    @Test func `unused bits make no authority`() async throws {
        let verdict = try await TrustHarness.verdict(intermediate: {
            $0.replaceExtension(with: .raw("2.5.29.15", isCritical: true, [0x03, 0x02, 0x07, 0x06]))
        })
        #expect(verdict.refusals.contains(.tlsMalformedCertificate), "\(verdict.findings)")
    }

    @Test func `parameters of RSASSA-PSS in another order, or twice, are not understood`() throws {
        func isUnderstood(_ fields: [Int], _ extra: [UInt8] = []) throws -> Bool {
            let parts = try #require(ASN1Node.parsing(SignatureScheme.rsaPSSSHA256.algorithmIdentifier)?.sequence)
            let all = try #require(parts[1].sequence).map { [UInt8]($0.encodedBytes) }
            let parameters = Self.der(0x30, fields.flatMap { all[$0] })
            let algorithm = Self.der(0x30, [UInt8](parts[0].encodedBytes), parameters, extra)
            return SignatureAlgorithm(try #require(ASN1Node.parsing(algorithm))).words == "RSA-PSS with SHA-256"
        }
        #expect(try isUnderstood([0, 1, 2]))
        for fields in [[0, 0, 1, 2], [1, 0, 2], [0, 1, 2, 2]] { #expect(try !isUnderstood(fields)) }
        #expect(try !isUnderstood([0, 1, 2], [0x05, 0x00]))
    }
}
