import ProbeTestKit
import Testing

@testable import ServerTrust

/// AFSecurityPolicy's branches, with chains that tempt each of them.
@Suite struct TrustPinTests {
    private func policy(
        _ mode: SecurityPolicy.PinningMode,
        _ pins: [IssuedCertificate] = [],
        keys: [IssuedCertificate] = [],
        allowsInvalid: Bool = false,
        validatesName: Bool = true,
        isCompatible: Bool = false
    ) throws -> SecurityPolicy {
        SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: try pins.map { try PinnedCertificate(der: $0.der) },
            pinnedPublicKeys: keys.map { PublicKeyPin(subjectPublicKeyInfo: $0.key.subjectPublicKeyInfo) },
            allowsInvalidCertificates: allowsInvalid,
            validatesDomainName: validatesName,
            isAFNetworkingCompatible: isCompatible
        )
    }

    @Test func `a name with invalid certificates allowed needs pins`() async throws {
        let chain = try TestAuthority.standard()
        for policy in [
            try policy(.none, allowsInvalid: true), try policy(.none, [chain.leaf], allowsInvalid: true),
            try policy(.publicKey, allowsInvalid: true), try policy(.certificate, allowsInvalid: true),
        ] {
            let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: policy)
            #expect(verdict.code == .tlsNameNeedsPins)
        }
    }

    @Test func `without pins, a name or valid certificates nothing is evaluated, and this is reported`() async throws {
        let server = try IssuedCertificate.selfSigned(.client())
        let unnamed = try policy(.none, allowsInvalid: true, validatesName: false)
        for (policy, host) in [(unnamed, "host.test"), (try policy(.none, allowsInvalid: true), nil)] {
            let verdict = await TrustHarness.verdict([server.der], roots: [], host: host, policy: policy)
            #expect(verdict.isAccepted)
            #expect(verdict.warnings == [.tlsNotEvaluated])
            #expect(verdict.presentedChain.count == 1)
        }
    }

    @Test func `without the name's validation neither name nor purpose count, and the chain does`() async throws {
        let chain = try TestAuthority(leaf: .client())
        let policy = try policy(.none, validatesName: false)
        #expect(await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: policy).isAccepted)
        #expect(await TrustHarness.verdict(chain.presented, roots: [], policy: policy).code == .tlsUntrustedRoot)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `pins do not widen trust`(_ mode: SecurityPolicy.PinningMode) async throws {
        let server = try IssuedCertificate.selfSigned(.server())
        let verdict = await TrustHarness.verdict([server.der], roots: [], policy: try policy(mode, [server]))
        #expect(verdict.refusals == [.tlsSelfSigned])
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `a pin of the leaf, the intermediate or the root is enough, and one of them`(
        _ mode: SecurityPolicy.PinningMode
    ) async throws {
        let chain = try TestAuthority.standard()
        let stranger = try IssuedCertificate.selfSigned(.authority("Stranger"))
        for pinned in [chain.leaf, chain.intermediate, chain.root] {
            let verdict = await TrustHarness.verdict(
                chain.presented,
                roots: [chain.root],
                policy: try policy(mode, [stranger, pinned])
            )
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
    }

    @Test func `a hash of a key is a pin too`() async throws {
        let chain = try TestAuthority.standard()
        let verdict = await TrustHarness.verdict(
            chain.presented,
            roots: [chain.root],
            policy: try policy(.publicKey, keys: [chain.intermediate])
        )
        #expect(verdict.isAccepted)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate], [false, true])
    func `a pinned certificate that is merely sent is not a match`(
        _ mode: SecurityPolicy.PinningMode,
        _ allowsInvalid: Bool
    ) async throws {
        let chain = try TestAuthority.standard()
        let stranger = try IssuedCertificate.selfSigned(.authority("Stranger"))
        let verdict = await TrustHarness.verdict(
            chain.presented + [stranger.der],
            roots: [chain.root],
            policy: try policy(mode, [stranger], allowsInvalid: allowsInvalid)
        )
        #expect(verdict.refusals == [.tlsPinMismatch])
        #expect(verdict.validatedChain.isEmpty == (mode == .certificate))
    }

    @Test func `a pinned certificate with the issuer's name that signed nothing is not a match`() async throws {
        let chain = try TestAuthority.standard()
        let namesake = try IssuedCertificate.selfSigned(.authority("Test Intermediate"))
        let verdict = await TrustHarness.verdict(
            [chain.leaf.der, namesake.der],
            roots: [],
            policy: try policy(.publicKey, [namesake], allowsInvalid: true)
        )
        #expect(verdict.refusals == [.tlsPinMismatch])
    }

    @Test func `the holder of a server's certificate cannot borrow its authority's pin`() async throws {
        let chain = try TestAuthority.standard(names: ["attacker.test"])
        let forged = try chain.leaf.issue(.server())
        let verdict = await TrustHarness.verdict(
            [forged.der] + chain.presented,
            roots: [chain.root],
            policy: try policy(.publicKey, [chain.intermediate], allowsInvalid: true)
        )
        #expect(verdict.refusals == [.tlsPinMismatch])
    }

    @Test func `a mismatch lists the keys of the chain`() async throws {
        let chain = try TestAuthority.standard()
        let stranger = try IssuedCertificate.selfSigned(.authority("Stranger"))
        let verdict = await TrustHarness.verdict(
            chain.presented,
            roots: [chain.root],
            policy: try policy(.publicKey, [stranger])
        )
        let evidence = try #require(verdict.findings.first?.evidence)
        for certificate in [chain.leaf, chain.intermediate, chain.root, stranger] {
            #expect(
                evidence.contains(PublicKeyPin(subjectPublicKeyInfo: certificate.key.subjectPublicKeyInfo).description)
            )
        }
    }

    @Test func `with invalid certificates allowed, the key decides and the name still counts`() async throws {
        let chain = try TestAuthority(leaf: CertificateTemplate.server().with { $0.notAfter = TestDate.utc(2026, 2) })
        let policy = try policy(.publicKey, [chain.intermediate], allowsInvalid: true)
        let verdict = await TrustHarness.verdict(chain.presented, roots: [], policy: policy)
        #expect(verdict.isAccepted)
        #expect(Set(verdict.warnings) == [.tlsUntrustedRoot, .tlsExpired])
        let other = await TrustHarness.verdict(chain.presented, roots: [], host: "other.test", policy: policy)
        #expect(other.refusals == [.tlsHostname])
    }

    @Test func `AFNetworking's gap is open only on request`() async throws {
        let chain = try TestAuthority.standard()
        let policy = try policy(.publicKey, [chain.leaf], allowsInvalid: true, isCompatible: true)
        let verdict = await TrustHarness.verdict(chain.presented, roots: [], host: "other.test", policy: policy)
        #expect(verdict.isAccepted)
        #expect(verdict.warnings.contains(.tlsHostname))
    }

    @Test func `a pinned self-signed certificate is accepted, but not past its end or for another name`() async throws {
        let server = try IssuedCertificate.selfSigned(.server())
        let policy = try policy(.certificate, [server], allowsInvalid: true)
        let good = await TrustHarness.verdict([server.der], roots: [], policy: policy)
        #expect(good.isAccepted)
        #expect(good.warnings == [.tlsSelfSigned])
        let late = await TrustHarness.verdict([server.der], roots: [], policy: policy, at: TestDate.utc(2028))
        #expect(late.refusals == [.tlsExpired])
        let other = await TrustHarness.verdict([server.der], roots: [], host: "other.test", policy: policy)
        #expect(other.refusals == [.tlsHostname])
    }

    @Test func `a pinned self-signed authority serves with a warning`() async throws {
        let server = try IssuedCertificate.selfSigned(
            CertificateTemplate.server().with { $0.replaceExtension(with: .basicConstraints(isAuthority: true)) }
        )
        let verdict = await TrustHarness.verdict(
            [server.der],
            roots: [],
            policy: try policy(.certificate, [server], allowsInvalid: true)
        )
        #expect(verdict.isAccepted)
        #expect(verdict.warnings.contains(.tlsCertificateProfile))
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `a pinning mode without pins rejects the server`(_ mode: SecurityPolicy.PinningMode) async throws {
        let chain = try TestAuthority.standard()
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: try policy(mode))
        #expect(verdict.refusals == [.tlsNoPins])
    }

    @Test func `when one valid path has no pin, another one with a pin is taken`() async throws {
        let key = TestKey.p256()
        let first = try IssuedCertificate.selfSigned(.authority("First Root"))
        let second = try IssuedCertificate.selfSigned(.authority("Second Root"))
        let crossed = [
            try first.issue(.intermediate("Crossed"), key: key), try second.issue(.intermediate("Crossed"), key: key),
        ]
        let leaf = try crossed[0].issue(.server())
        for pinned in [first, second] {
            let verdict = await TrustHarness.verdict(
                [leaf.der] + crossed.map(\.der),
                roots: [first, second],
                policy: try policy(.publicKey, [pinned])
            )
            #expect(verdict.isAccepted)
        }
    }
}
