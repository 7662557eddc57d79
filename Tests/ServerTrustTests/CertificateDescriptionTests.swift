import ForeignText
import FoundationEssentials
import ProbeTestKit
import SwiftASN1
import Testing

@testable import ServerTrust

/// Certificates as an operator reads them, also those that nobody should use.
@Suite struct CertificateDescriptionTests {
    @Test func `the description has all that an operator needs`() throws {
        let template = CertificateTemplate.server(names: ["host.test", "*.host.test"], addresses: ["192.0.2.1"]).with {
            $0.serialNumber = [0x01, 0xAB]
            $0.subject = CertificateName([.init(.organization, "A, B"), .init(.commonName, " host#")])
        }
        let root = try IssuedCertificate.selfSigned(.authority("Root"), key: try TestKey(.rsa2048, seed: "root"))
        let certificate = try root.issue(template)
        let description = CertificateDescription(der: certificate.der)
        #expect(description.subject == "CN=\\ host#,O=A\\, B")
        #expect(description.issuer == "CN=Root")
        #expect(description.subjectAlternativeNames == ["host.test", "*.host.test", "192.0.2.1"])
        #expect(description.notValidBefore == TestDate.utc(2026))
        #expect(description.notValidAfter == TestDate.utc(2027))
        #expect(description.serialNumber == "01ab")
        #expect(description.publicKeyPin == PublicKeyPin(subjectPublicKeyInfo: certificate.key.subjectPublicKeyInfo))
        #expect(description.key == "ECDSA P-256")
        #expect(description.signature == "RSA with SHA-256")
        #expect(!description.isCertificateAuthority)
        #expect(CertificateDescription(der: root.der).isCertificateAuthority)
        #expect(CertificateDescription(der: root.der).key == "RSA 2048")
    }

    @Test func `a certificate that cannot be verified is still described`() throws {
        let weak = try IssuedCertificate.selfSigned(
            CertificateTemplate.server().with {
                $0.version = 0
                $0.extensions = []
                $0.addsKeyIdentifiers = false
            },
            key: try TestKey(.rsa1024, seed: "weak")
        )
        #expect(CertificateDescription(der: weak.der).key == "RSA 1024")
        let salted = try IssuedCertificate.selfSigned(
            CertificateTemplate.server().with { $0.signatureScheme = .rsaPSSSHA384 },
            key: try TestKey(.rsa2048, seed: "salted")
        )
        #expect(CertificateDescription(der: salted.der).signature == "RSA-PSS with SHA-384")
        let odd = try IssuedCertificate.selfSigned(
            CertificateTemplate.server().with { $0.signatureScheme = .unknown("1.2.3.4") }
        )
        #expect(CertificateDescription(der: odd.der).signature == "algorithm 1.2.3.4")
    }

    @Test func `control characters of a name do not reach a terminal`() throws {
        let certificate = try IssuedCertificate.selfSigned(
            CertificateTemplate.server().with {
                $0.subject = .common("a\u{1B}[31mb\n")
                $0.replaceExtension(with: .subjectAlternativeName(dns: ["x\u{07}.test"]))
            }
        )
        let description = CertificateDescription(der: certificate.der)
        #expect(description.subject == "CN=a\\u{1b}[31mb\\u{a}")
        #expect(description.subjectAlternativeNames == ["x\\u{7}.test"])
    }

    @Test(
        arguments: [
            ([], 0), ([0x05], 0), ([0x05, 0x00], 1), ([0x30, 0x04, 0x05, 0x00, 0x02, 0x00], 3),
            // The content of a primitive value is not counted.
            ([0x04, 0x04, 0x05, 0x00, 0x05, 0x00], 1),
            // Long forms of the identifier and of the length.
            ([0x1F, 0x81, 0x01, 0x00], 1), ([0x04, 0x81, 0x80] + [UInt8](repeating: 0, count: 0x80), 1),
            // Malformed: no end, an identifier or a length that is cut off, more content than there is.
            ([0x30, 0x80, 0x05, 0x00], 0), ([0x1F, 0x81], 0), ([0x1F, 0x01], 0), ([0x04, 0x82, 0x01], 0),
            ([0x05, 0x00, 0x04, 0x03, 0x00, 0x00], 1), ([0x04, 0x85, 0x00, 0x00, 0x00, 0x00, 0x00], 0),
        ] as [([UInt8], Int)]
    )
    func `the values of an encoding are counted up to the first malformed one`(_ bytes: [UInt8], _ count: Int) {
        #expect(ASN1Node.valueCount(in: bytes) == count)
    }

    @Test func `a certificate of more values than are decoded says so`() throws {
        let values = { (count: Int) in TrustCost.der(0x30, Array([[UInt8]](repeating: [5, 0], count: count).joined())) }
        func flaw(_ count: Int) -> String? { DecodedCertificate(der: values(count), within: .unlimited()).flaws.first }
        #expect(flaw(ASN1Node.maximumValues) == "it has more than 16384 DER values")
        #expect(flaw(ASN1Node.maximumValues - 1) == "it has 16383 parts instead of 3")
        let names = [String](repeating: "n.test", count: 10_000)
        let certificate = try IssuedCertificate.selfSigned(
            .server().with { $0.replaceExtension(with: .subjectAlternativeName(dns: names)) }
        )
        let decoded = DecodedCertificate(der: certificate.der, within: .unlimited())
        #expect(decoded.isUsable, "\(decoded.flaws)")
        #expect(decoded.extensions.subjectAlternativeNames.count == 10_000)
    }

    @Test func `truncated and flipped bytes never trap, neither here nor in an evaluation`() async throws {
        let chain = try TestAuthority(
            leaf: CertificateTemplate.server(addresses: ["192.0.2.1"]).with {
                $0.extensions.append(.raw("2.5.29.36", isCritical: true, [0x30, 0x03, 0x80, 0x01, 0x00]))
            }
        )
        let whole = chain.leaf.der
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        for length in stride(from: 0, to: whole.count, by: 5) {
            let description = CertificateDescription(der: Array(whole.prefix(length)))
            #expect(description.sha256.count == 64)
        }
        for index in whole.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = whole
                bytes[index] ^= mask
                let verdict = await evaluator.evaluate(
                    presented: [bytes, chain.intermediate.der],
                    identity: nil,
                    at: TestDate.present
                )
                #expect(!verdict.isAccepted, "byte \(index) ^ \(mask)")
            }
        }
    }

    @Test(arguments: [
        ("20260601120000Z", TimeInterval?.some(1_780_315_200)), ("20240229000000Z", 1_709_164_800),
        ("20230229000000Z", nil), ("20261301000000Z", nil), ("20260601240000Z", nil), ("20260601120000+", nil),
        ("2026060112000Z", nil), ("19700101000000Z", 0), ("99991231235959Z", 253_402_300_799),
    ])
    func `dates are those of the calendar`(_ text: String, _ seconds: TimeInterval?) throws {
        let node = try #require(ASN1Node.parsing([0x18, UInt8(text.utf8.count)] + Array(text.utf8)))
        #expect(CertificateTime(node)?.date.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        ("20260601120000Z", "2026-06-01T12:00:00Z"), ("15000301000000Z", "1500-03-01T00:00:00Z"),
        ("00000229235959Z", "0000-02-29T23:59:59Z"), ("99991231235959Z", "9999-12-31T23:59:59Z"),
    ])
    func `dates are shown as they are in the certificate`(_ text: String, _ shown: String) throws {
        let node = try #require(ASN1Node.parsing([0x18, UInt8(text.utf8.count)] + Array(text.utf8)))
        #expect(CertificateTime(node)?.date.utcText == shown)
    }
}
