import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// A path is found whenever there is a good one (RFC 4158), whatever else is sent and in whatever order.
@Suite struct PathGraphTests {
    /// A flaw that makes an authority's certificate useless for a path.
    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout CertificateTemplate) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout CertificateTemplate) -> Void) {
            testDescription = name
            self.change = change
        }
    }

    static let flaws = [
        Flaw("expired") { $0.notAfter = TestDate.utc(2025) },
        Flaw("not yet valid") { $0.notBefore = TestDate.utc(2030) },
        Flaw("without basic constraints") { $0.removeExtension("2.5.29.19") },
        Flaw("not an authority") { $0.replaceExtension(with: .basicConstraints(isAuthority: false)) },
        Flaw("without keyCertSign") { $0.replaceExtension(with: .keyUsage([.digitalSignature])) },
        Flaw("for clients only") { $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication])) },
        Flaw("permits another domain") { $0.extensions.append(.nameConstraints(permitted: [.dns("example")])) },
        Flaw("excludes the domain") { $0.extensions.append(.nameConstraints(excluded: [.dns("test")])) },
        Flaw("has an unknown critical extension") {
            $0.extensions.append(.raw("1.3.6.1.4.1.55555.1", isCritical: true, [0x05, 0x00]))
        },
        Flaw("weakly signed") { $0.signatureScheme = .ecdsaSHA1 },
        Flaw("wrongly signed") { $0.signatureDefect = .flippedBit },
        Flaw("without key identifiers") { $0.addsKeyIdentifiers = false },
    ]

    @Test(arguments: flaws)
    func `an unusable alternative does not hide the good one`(_ flaw: Flaw) async throws {
        let root = try IssuedCertificate.selfSigned(.authority("Root"))
        let other = try IssuedCertificate.selfSigned(.authority("Other Root"))
        let key = TestKey.p256()
        let good = try root.issue(.intermediate("Middle"), key: key)
        let bad = CertificateTemplate.intermediate("Middle").with(flaw.change)
        let leaf = try good.issue(.server())
        for issuer in [root, other] {
            let decoy = try issuer.issue(bad, key: key)
            for presented in [[good, decoy], [decoy, good]] {
                let verdict = await TrustHarness.verdict([leaf.der] + presented.map(\.der), roots: [other, root])
                #expect(verdict.isAccepted, "\(verdict.findings)")
                #expect(verdict.validatedChain.map(\.subject) == ["CN=host.test", "CN=Middle", "CN=Root"])
            }
            #expect(await !TrustHarness.verdict([leaf.der, decoy.der], roots: [other, root]).isAccepted)
        }
    }

    @Test(arguments: flaws)
    func `an unusable detour does not hide the shorter path`(_ flaw: Flaw) async throws {
        let key = TestKey.p256()
        let old = try IssuedCertificate.selfSigned(.authority("Old Root"))
        let new = try IssuedCertificate.selfSigned(.authority("New Root"), key: key)
        let crossed = try old.issue(CertificateTemplate.intermediate("New Root").with(flaw.change), key: key)
        let middle = try new.issue(.intermediate("Middle"))
        let leaf = try middle.issue(.server())
        for presented in [[middle, crossed], [crossed, middle], [crossed, middle, new, old]] {
            let verdict = await TrustHarness.verdict([leaf.der] + presented.map(\.der), roots: [old, new])
            #expect(verdict.isAccepted, "\(verdict.findings)")
            #expect(verdict.validatedChain.last?.subject == "CN=New Root")
        }
        #expect(await !TrustHarness.verdict([leaf, middle, crossed].map(\.der), roots: [old]).isAccepted)
    }

    @Test func `a root that another one cross-signed leads to either of them`() async throws {
        let key = TestKey.p256()
        let old = try IssuedCertificate.selfSigned(.authority("Old Root"))
        let new = try IssuedCertificate.selfSigned(.authority("New Root"), key: key)
        let crossed = try old.issue(.intermediate("New Root"), key: key)
        let leaf = try new.issue(.server())
        for (roots, depth) in [([old], 3), ([new], 2), ([old, new], 2), ([new, old], 2)] {
            let verdict = await TrustHarness.verdict([leaf.der, new.der, crossed.der], roots: roots)
            #expect(verdict.isAccepted)
            #expect(verdict.validatedChain.count == depth)
        }
        #expect(await !TrustHarness.verdict([leaf.der, new.der], roots: [old]).isAccepted)
    }

    @Test func `an expired root does not hide the renewed one of the same key`() async throws {
        let key = TestKey.p256()
        let expired = try IssuedCertificate.selfSigned(
            CertificateTemplate.authority("Root").with { $0.notAfter = TestDate.utc(2025) },
            key: key
        )
        let renewed = try IssuedCertificate.selfSigned(.authority("Root"), key: key)
        let leaf = try renewed.issue(.server())
        for roots in [[expired, renewed], [renewed, expired]] {
            #expect(await TrustHarness.verdict([leaf.der, expired.der], roots: roots).isAccepted)
        }
        #expect(await TrustHarness.verdict([leaf.der, renewed.der], roots: [expired]).code == .tlsExpired)
    }

    @Test(arguments: 0..<4)
    func `in a mesh of authorities each trusted one is reached`(_ trusted: Int) async throws {
        let names = ["A", "B", "C", "D"]
        let nodes = try names.map { try IssuedCertificate.selfSigned(.authority($0)) }
        var links: [[UInt8]] = []
        for issuer in nodes {
            for subject in nodes where subject.subject != issuer.subject {
                links.append(try issuer.issue(.intermediate(subject.subject.attributes[0].value), key: subject.key).der)
            }
        }
        let leaf = try nodes[0].issue(.server())
        for shift in links.indices {
            let presented = [leaf.der] + links[shift...] + links[..<shift]
            let verdict = await TrustHarness.verdict(presented, roots: [nodes[trusted]])
            #expect(verdict.isAccepted, "\(verdict.findings)")
            #expect(verdict.validatedChain.last?.subject == "CN=\(names[trusted])")
        }
    }

    @Test func `many expired certificates do not use up the search`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority("Root"))
        let keys = [TestKey.p256(), TestKey.p256()]
        let upper = try root.issue(.intermediate("Upper"), key: keys[0])
        let lower = try upper.issue(.intermediate("Lower"), key: keys[1])
        var decoys: [[UInt8]] = []
        for number in 0..<30 {
            let change = { (template: inout CertificateTemplate) in
                template.notAfter = TestDate.utc(2024, 1, 1 + number)
                template.extensions.append(.subjectAlternativeName(dns: ["d\(number).test"]))
            }
            decoys.append(try root.issue(CertificateTemplate.intermediate("Upper").with(change), key: keys[0]).der)
            decoys.append(try upper.issue(CertificateTemplate.intermediate("Lower").with(change), key: keys[1]).der)
        }
        let leaf = try lower.issue(.server())
        for presented in [[lower.der, upper.der] + decoys, decoys + [upper.der, lower.der]] {
            let verdict = await TrustHarness.verdict([leaf.der] + presented, roots: [root])
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
    }

    @Test func `many dead ends do not use up the search`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority("Root"))
        let elsewhere = try IssuedCertificate.selfSigned(.authority("Elsewhere"))
        let upper = try root.issue(.intermediate("Upper"))
        let lower = try upper.issue(.intermediate("Lower"))
        var decoys: [[UInt8]] = []
        for number in 0..<25 {
            let change = { (template: inout CertificateTemplate) in
                template.extensions.append(.subjectAlternativeName(dns: ["d\(number).test"]))
            }
            decoys.append(
                try elsewhere.issue(CertificateTemplate.intermediate("Upper").with(change), key: upper.key).der
            )
            decoys.append(try upper.issue(CertificateTemplate.intermediate("Lower").with(change), key: lower.key).der)
        }
        let leaf = try lower.issue(.server())
        for presented in [[lower.der, upper.der] + decoys, decoys + [upper.der, lower.der]] {
            let verdict = await TrustHarness.verdict([leaf.der] + presented, roots: [root])
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
    }
}
