import ForeignText
import ProbeTestKit
import SwiftASN1
import Testing

@testable import ServerTrust

/// An issuer is found by its name as RFC 5280, section 7.1, compares names, and never by a similar one.
@Suite struct IssuerNameTests {
    struct Spelling: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let subject: CertificateName
        let issuer: CertificateName
        let isSame: Bool

        init(_ name: String, _ subject: CertificateName, _ issuer: CertificateName, _ isSame: Bool) {
            (testDescription, self.subject, self.issuer, self.isSame) = (name, subject, issuer, isSame)
        }
    }

    private static func name(
        _ common: String,
        _ type: CertificateName.StringType? = nil,
        organization: String = "Corp"
    ) -> CertificateName {
        CertificateName([.init(.organization, organization, as: type), .init(.commonName, common, as: type)])
    }

    static let spellings =
        CertificateName.StringType.allCases.map { type in
            Spelling("the type \(type) instead of UTF-8", name("Corp CA", type), name("Corp CA"), true)
        } + [
            Spelling("another case", name("Corp CA"), name("CORP ca"), true),
            Spelling("another case and type", name("Corp CA", .printable), name("corp ca"), true),
            Spelling("more spaces", name("Corp CA"), name(" Corp   CA "), true),
            Spelling("accents in Latin-1", name("Bücher CA", .teletex), name("BÜCHER CA"), true),
            Spelling("accents of two characters", name("Bücher CA"), name("Bu\u{308}cher CA"), true),
            Spelling("no space", name("Corp CA"), name("CorpCA"), false),
            Spelling("another letter", name("Corp CA"), name("Corp CB"), false),
            Spelling("another organization", name("Corp CA"), name("Corp CA", organization: "Corps"), false),
            Spelling(
                "the attributes in another order",
                CertificateName([.init(.organization, "a"), .init(.commonName, "b")]),
                CertificateName([.init(.commonName, "b"), .init(.organization, "a")]),
                false
            ),
            Spelling(
                "the values of other attributes",
                CertificateName([.init(.organization, "a"), .init(.commonName, "b")]),
                CertificateName([.init(.organization, "b"), .init(.commonName, "a")]),
                false
            ),
            Spelling(
                "the beginning of the name",
                name("Corp CA"),
                CertificateName([.init(.organization, "Corp")]),
                false
            ),
        ]

    @Test(arguments: spellings)
    func `an anchor issues for its name in any spelling, and for no other`(_ example: Spelling) async throws {
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority().with { $0.subject = example.subject }
        )
        let leaf = try root.issue(CertificateTemplate.server().with { $0.issuer = example.issuer })
        let verdict = await TrustHarness.verdict([leaf.der], roots: [root])
        #expect(verdict.isAccepted == example.isSame, "\(verdict.findings)")
        #expect(example.isSame || verdict.refusals == [.tlsMissingIntermediate])
    }

    @Test(arguments: spellings)
    func `a presented authority issues for its name in any spelling`(_ example: Spelling) async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let middle = try root.issue(CertificateTemplate.intermediate().with { $0.subject = example.subject })
        let leaf = try middle.issue(CertificateTemplate.server().with { $0.issuer = example.issuer })
        let verdict = await TrustHarness.verdict([leaf.der, middle.der], roots: [root])
        #expect(verdict.isAccepted == example.isSame, "\(verdict.findings)")
        // Without an anchor a pin decides, by the same names.
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: [try PinnedCertificate(der: middle.der)],
            allowsInvalidCertificates: true
        )
        let pinned = await TrustHarness.verdict([leaf.der, middle.der], roots: [], policy: policy)
        #expect(pinned.isAccepted == example.isSame, "\(pinned.findings)")
    }

    @Test func `the right name in another spelling with another key is an invalid signature`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority("Corp CA"))
        let impostor = try IssuedCertificate.selfSigned(.authority("CORP CA"))
        let leaf = try root.issue(.server())
        #expect(await TrustHarness.verdict([leaf.der], roots: [impostor]).refusals.first == .tlsSignatureInvalid)
    }

    @Test(arguments: spellings)
    func `an authority that issued for itself is self-issued in any spelling`(_ example: Spelling) async throws {
        let root = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority().with {
                $0.subject = example.subject
                $0.issuer = example.issuer
            }
        )
        #expect(DecodedCertificate(der: root.der, within: .unlimited()).isSelfIssued == example.isSame)
    }

    /// A relative name with more than one attribute, whose order in DER depends on case and length.
    private static func relativeName(_ attributes: [(UInt8, String)]) throws -> DistinguishedName {
        let members = attributes.map { type, text in
            TrustCost.der(0x30, [0x06, 0x03, 0x55, 0x04, type] + TrustCost.der(0x0C, Array(text.utf8)))
        }
        let set = TrustCost.der(0x31, Array(members.joined()))
        let node = try #require(ASN1Node.parsing(TrustCost.der(0x30, set)))
        return try #require(DistinguishedName(node, within: .unlimited()))
    }

    @Test func `the order within a relative name does not count, and its attributes stay together`() throws {
        let name = try Self.relativeName([(3, "B"), (3, "a")])
        #expect(try Self.relativeName([(3, "A"), (3, "b")]).matches(name))
        #expect(try !Self.relativeName([(3, "a")]).matches(name))
        #expect(try !name.isWithin(Self.relativeName([(3, "a")])))
        #expect(try !Self.relativeName([(3, "a"), (10, "b")]).matches(name))
        let pair = try #require(
            ASN1Node.parsing(CertificateName([.init(.commonName, "a"), .init(.commonName, "b")]).der)
        )
        #expect(DistinguishedName(pair, within: .unlimited())?.matches(name) == false)
    }

    @Test func `a value that is no string is the same only with the same bytes`() throws {
        func name(_ value: [UInt8]) throws -> DistinguishedName {
            let attribute = TrustCost.der(0x30, [0x06, 0x03, 0x55, 0x04, 0x03] + value)
            let node = ASN1Node.parsing(TrustCost.der(0x30, TrustCost.der(0x31, attribute)))
            return try #require(node.flatMap { DistinguishedName($0, within: .unlimited()) })
        }
        #expect(try name([0x04, 0x01, 0x61]).matches(name([0x04, 0x01, 0x61])))
        #expect(try !name([0x04, 0x01, 0x61]).matches(name([0x04, 0x01, 0x41])))
        #expect(try !name([0x04, 0x01, 0x61]).matches(name([0x0C, 0x01, 0x61])))
        #expect(try !name([0x04, 0x00]).matches(name([0x0C, 0x00])))
        // Neither is a string that its type does not allow, and none of these is the character that stands for a mistake.
        let invalid: [[UInt8]] = [
            [0x0C, 0x02, 0x41, 0xFE], [0x0C, 0x02, 0x41, 0xFF], [0x0C, 0x03, 0x41, 0xED, 0xA0],
            [0x13, 0x02, 0x41, 0xFE],
            [0x16, 0x02, 0x41, 0xFF], [0x1E, 0x04, 0x00, 0x41, 0xD8, 0x00], [0x1E, 0x04, 0x00, 0x41, 0xDC, 0x00],
            [0x1E, 0x03, 0x00, 0x41, 0x00], [0x1E, 0x03, 0x00, 0x41, 0xFF],
        ]
        let valid: [[UInt8]] = [
            [0x0C, 0x04, 0x41, 0xEF, 0xBF, 0xBD], [0x1E, 0x04, 0x00, 0x41, 0xFF, 0xFD], [0x0C, 0x01, 0x41],
            [0x1E, 0x02, 0x00, 0x41],
        ]
        for (index, value) in invalid.enumerated() {
            #expect(try name(value).matches(name(value)))
            for other in invalid[(index + 1)...] + valid { #expect(try !name(value).matches(name(other)), "\(other)") }
        }
        #expect(try name(valid[0]).matches(name(valid[1])) && name(valid[2]).matches(name(valid[3])))
    }
}
