import ProbeTestKit
import Testing

@testable import ServerTrust

/// Certificates that were made to keep a validator busy: the work has a bound, and the answer is still right or given up.
@Suite(.timeLimit(.minutes(1))) struct HostileGraphTests {
    /// Authorities of one name and one key that only their alternative names tell apart, each issued by all.
    private func crossed(_ count: Int, by issuer: IssuedCertificate) throws -> [[UInt8]] {
        try (0..<count).map { number in
            let template = CertificateTemplate.intermediate("Same").with {
                $0.extensions.append(.subjectAlternativeName(dns: ["n\(number).test"]))
            }
            return try issuer.issue(template, key: issuer.key).der
        }
    }

    @Test func `a crowd of one name and one key without an anchor is rejected`() async throws {
        let holder = try IssuedCertificate.selfSigned(.authority("Same"))
        let leaf = try holder.issue(.server())
        let crowd = try crossed(63, by: holder)
        let verdict = await TrustHarness.verdict([leaf.der] + crowd, roots: [])
        #expect(verdict.refusals == [.tlsUntrustedRoot])
    }

    @Test func `a crowd of one name and one key does not hide the anchor`() async throws {
        let holder = try IssuedCertificate.selfSigned(.authority("Same"))
        let root = try IssuedCertificate.selfSigned(.authority("Root"))
        let leaf = try holder.issue(.server())
        let bridge = try root.issue(.intermediate("Same"), key: holder.key)
        let crowd = try crossed(60, by: holder)
        for presented in [[bridge.der] + crowd, crowd + [bridge.der]] {
            let verdict = await TrustHarness.verdict([leaf.der] + presented, roots: [root])
            #expect(verdict.isAccepted, "\(verdict.findings)")
            #expect(verdict.validatedChain.count == 3)
        }
        #expect(await TrustHarness.verdict([leaf.der] + crowd, roots: [holder]).isAccepted)
    }

    @Test func `a chain with more certificates than the limit is rejected or correct`() async throws {
        let chain = try TestAuthority.standard()
        let holder = try IssuedCertificate.selfSigned(.authority("Same"))
        let crowd = try crossed(300, by: holder)
        let first = await TrustHarness.verdict(chain.presented + crowd, roots: [chain.root])
        #expect(first.isAccepted)
        #expect(first.findings.map(\.code) == [.tlsPathBudget])
        let last = await TrustHarness.verdict([chain.leaf.der] + crowd + [chain.intermediate.der], roots: [chain.root])
        #expect(!last.isAccepted)
        #expect(last.findings.contains { $0.code == .tlsPathBudget })
    }

    @Test func `constraints are compared with names within one budget for all paths`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority("Root"))
        let key = TestKey.p256()
        let names = (0..<300).map { AlternativeName.dns("m\($0).test") }
        let middles = try (0..<40).map { number in
            let excluded = (0..<400).map { AlternativeName.dns("x\(number)-\($0).test") } + [.dns("m299.test")]
            let template = CertificateTemplate.intermediate("Middle").with {
                $0.extensions.append(.nameConstraints(excluded: excluded))
            }
            return try root.issue(template, key: key)
        }
        let leaf = try middles[0].issue(
            CertificateTemplate.server().with {
                $0.replaceExtension(with: .subjectAlternativeName([.dns("host.test")] + names))
            }
        )
        let verdict = await TrustHarness.verdict([leaf.der] + middles.map(\.der), roots: [root])
        #expect(!verdict.isAccepted)
        #expect(verdict.findings.contains { $0.code == .tlsPathBudget })
    }

    @Test func `a certificate with names by the thousand gets few findings`() async throws {
        let verdict = try await TrustHarness.verdict(leaf: { template in
            let bad = (0..<5000).map { AlternativeName.dns("_\($0).test") }
            template.replaceExtension(with: .subjectAlternativeName([.dns("host.test")] + bad))
        })
        #expect(verdict.code == .tlsCertificateProfile)
        #expect(verdict.findings.count <= 20)
    }
}
