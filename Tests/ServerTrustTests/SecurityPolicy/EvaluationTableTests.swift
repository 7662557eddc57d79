import ProbeTestKit
import ServerTrust
import Testing

/// AFSecurityPolicy's evaluation, row by row: the numbers are those of the table in its order of decisions.
@Suite
struct EvaluationTableTests {
    private func fixtures() throws -> TrustFixtures { try TrustFixtures.shared }

    @Test(arguments: SecurityPolicy.PinningMode.allCases)
    func `row 1: a name, invalid certificates and no pins are rejected`(
        mode: SecurityPolicy.PinningMode
    ) async throws {
        let policy = SecurityPolicy(pinningMode: mode, allowsInvalidCertificates: true)
        for server in [TrustFixtures.Server.site, .named] {
            let verdict = await (try fixtures()).verdict(server, policy)
            #expect(!verdict.isAccepted)
            #expect(verdict.findings.contains { $0.code == .tlsNameNeedsPins && $0.severity == .refusal })
        }
    }

    @Test
    func `row 1: without a pinning mode pins do not help`() async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(
            pinnedCertificates: try fixtures.pins([.leaf]),
            pinnedPublicKeys: try fixtures.pins([.leaf]).map(\.publicKeyPin),
            allowsInvalidCertificates: true
        )
        #expect(await fixtures.verdict(.site, policy).code == .tlsNameNeedsPins)
    }

    @Test
    func `row 2: without a name the purpose still counts, and without name validation it does not`() async throws {
        let fixtures = try fixtures()
        let client = try fixtures.site.presenting(
            .server().with { $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication])) }
        )
        #expect(await fixtures.verdict(client, SecurityPolicy(), host: nil).code == .tlsPurpose)
        #expect(await fixtures.verdict(client, SecurityPolicy(validatesDomainName: false), host: nil).isAccepted)
        #expect(await fixtures.verdict(client, SecurityPolicy(validatesDomainName: false)).isAccepted)
    }

    @Test
    func `row 3: without pinning, names and trust everything is accepted, even invalid certificates`() async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)
        for presented in [fixtures.presented(by: .nameless), [[0xFF, 0x00]], fixtures.site.presented] {
            let verdict = await fixtures.verdict(presented, policy, host: "invalid.test")
            #expect(verdict.isAccepted)
            #expect(verdict.findings.contains { $0.code == .tlsNotEvaluated && $0.severity != .refusal })
        }
    }

    @Test
    func `row 4: without pinning the anchors decide`() async throws {
        let fixtures = try fixtures()
        let accepted = await fixtures.verdict(.site, SecurityPolicy())
        #expect(accepted.isAccepted)
        #expect(accepted.validatedChain.map(\.subject) == ["CN=host.test", "CN=Test Intermediate", "CN=Test Root"])
        let refused = await fixtures.verdict(
            fixtures.site.presented,
            SecurityPolicy(),
            anchors: [fixtures.other.root.der]
        )
        #expect(refused.code == .tlsUntrustedRoot)
        #expect(refused.validatedChain.isEmpty)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `row 5: with a pinning mode the anchors decide first`(mode: SecurityPolicy.PinningMode) async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: try fixtures.pins([.root, .leaf]))
        let verdict = await fixtures.verdict(fixtures.site.presented, policy, anchors: [fixtures.other.root.der])
        #expect(verdict.code == .tlsUntrustedRoot)
    }

    @Test
    func `row 6: in certificate mode the pins are the anchors, and the chain must verify with them`() async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: try fixtures.pins([.root]),
            allowsInvalidCertificates: true
        )
        let accepted = await fixtures.verdict(fixtures.site.presented, policy, anchors: [])
        #expect(accepted.isAccepted, "\(accepted.findings)")
        let expired = await fixtures.verdict(
            fixtures.site.presented,
            policy,
            anchors: [],
            at: TestDate.utc(2027, 2)
        )
        #expect(expired.code == .tlsExpired)
        #expect(await fixtures.verdict(fixtures.site.presented, policy, host: "other.test").code == .tlsHostname)
    }

    @Test(arguments: [TrustFixtures.Certificate.leaf, .intermediate, .root])
    func `row 7: in certificate mode any certificate of the validated chain may be the pinned one`(
        pin: TrustFixtures.Certificate
    ) async throws {
        let fixtures = try fixtures()
        for allowsInvalid in [false, true] {
            let policy = SecurityPolicy(
                pinningMode: .certificate,
                pinnedCertificates: try fixtures.pins([pin, .otherLeaf]),
                allowsInvalidCertificates: allowsInvalid
            )
            let verdict = await fixtures.verdict(.site, policy)
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
    }

    @Test
    func `row 7: a certificate with the pinned key is not the pinned certificate`() async throws {
        let fixtures = try fixtures()
        let renewed = try fixtures.site.intermediate.issue(
            .server().with { $0.notAfter = TestDate.utc(2028) },
            key: fixtures.site.leaf.key
        )
        let pins = try fixtures.pins([.leaf])
        let presented = [renewed.der, fixtures.site.intermediate.der]
        let byCertificate = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: pins)
        #expect(await fixtures.verdict(presented, byCertificate).isAccepted == false)
        let byKey = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: pins)
        #expect(await fixtures.verdict(presented, byKey).isAccepted)
    }

    @Test
    func `row 8: in public key mode one key of the chain must be pinned`() async throws {
        let fixtures = try fixtures()
        for certificate in [TrustFixtures.Certificate.leaf, .intermediate, .root] {
            let pins = try fixtures.pins([certificate]).map(\.publicKeyPin)
            let policy = SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: pins)
            #expect(await fixtures.verdict(.site, policy).isAccepted)
            #expect(await fixtures.verdict(.otherSite, policy, host: "other.test").code == .tlsPinMismatch)
        }
    }

    @Test
    func `row 9: there is no other mode`() {
        #expect(SecurityPolicy.PinningMode.allCases == [.none, .publicKey, .certificate])
        #expect(SecurityPolicy.PinningMode(rawValue: "both") == nil)
    }
}
