import ProbeTestKit
import ServerTrust
import Testing

/// The consequences of AFSecurityPolicy's evaluation, with the letters of their list.
@Suite
struct PolicyConsequenceTests {
    private func fixtures() throws -> TrustFixtures { try TrustFixtures.shared }

    @Test
    func `a: the effect of allowing invalid certificates depends on the mode`() async throws {
        let fixtures = try fixtures()
        let expired = try fixtures.site.intermediate.issue(.server().with { $0.notAfter = TestDate.utc(2026, 2) })
        let presented = [expired.der, fixtures.site.intermediate.der]
        let pins = [try PinnedCertificate(der: expired.der)]
        func verdict(_ mode: SecurityPolicy.PinningMode, validatesName: Bool = true) async -> TrustVerdict {
            await fixtures.verdict(
                presented,
                SecurityPolicy(
                    pinningMode: mode,
                    pinnedCertificates: pins,
                    allowsInvalidCertificates: true,
                    validatesDomainName: validatesName
                )
            )
        }
        #expect(await verdict(.none, validatesName: false).isAccepted)
        #expect(await verdict(.certificate).code == .tlsExpired)
        #expect(await verdict(.certificate, validatesName: false).code == .tlsExpired)
        #expect(await verdict(.publicKey).isAccepted)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `b: a pin does not make a private authority trusted`(mode: SecurityPolicy.PinningMode) async throws {
        let fixtures = try fixtures()
        var policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: try fixtures.pins([.named]))
        #expect(await fixtures.verdict(.named, policy).code == .tlsSelfSigned)
        policy.allowsInvalidCertificates = true
        let verdict = await fixtures.verdict(.named, policy)
        #expect(verdict.isAccepted, "\(verdict.findings)")
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate])
    func `c: not every certificate of the chain needs a pin`(mode: SecurityPolicy.PinningMode) async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: try fixtures.pins([.nameless, .intermediate, .otherLeaf])
        )
        #expect(await fixtures.verdict(.site, policy).isAccepted)
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate], [false, true])
    func `d: a pinning mode without pins accepts no server`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool
    ) async throws {
        let fixtures = try fixtures()
        for validatesName in [false, true] {
            let policy = SecurityPolicy(
                pinningMode: mode,
                allowsInvalidCertificates: allowsInvalid,
                validatesDomainName: validatesName
            )
            for host in ["host.test", nil] {
                let verdict = await fixtures.verdict(.site, policy, host: host)
                #expect(!verdict.isAccepted)
                if !allowsInvalid { #expect(verdict.code == .tlsNoPins) }
            }
        }
    }

    @Test
    func `d: hashes of keys are not pins in certificate mode`() async throws {
        let fixtures = try fixtures()
        let keys = try fixtures.pins([.leaf]).map(\.publicKeyPin)
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedPublicKeys: keys)
        #expect(await fixtures.verdict(.site, policy).code == .tlsNoPins)
    }

    @Test
    func `e: without a pinning mode pins are ignored`() async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(pinnedCertificates: try fixtures.pins([.otherLeaf]))
        #expect(await fixtures.verdict(.site, policy).isAccepted)
        #expect(await fixtures.verdict(.named, policy).code == .tlsSelfSigned)
    }

    @Test
    func `f: without a name neither the guard nor the name check applies`() async throws {
        let fixtures = try fixtures()
        let invalid = SecurityPolicy(allowsInvalidCertificates: true)
        #expect(await fixtures.verdict(.nameless, invalid, host: nil).isAccepted)
        #expect(await fixtures.verdict(.nameless, invalid).code == .tlsNameNeedsPins)
        #expect(await fixtures.verdict(.otherSite, SecurityPolicy(), host: nil).isAccepted)
    }

    @Test(arguments: [
        [], [0x30], [0x30, 0x80], [0x30, 0x03, 0x02, 0x01, 0x00], [UInt8](repeating: 0xFF, count: 100),
    ])
    func `g: a pin that cannot be decoded is an error of the configuration`(der: [UInt8]) {
        #expect(throws: SecurityPolicyError.self) { try PinnedCertificate(der: der) }
    }

    @Test(arguments: ["", "sha256//", "sha256//AAAA", "sha1//2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "leaf.pem"])
    func `g: an invalid hash is an error of the configuration`(text: String) {
        #expect(throws: SecurityPolicyError.invalidPublicKeyPin(text)) { try PublicKeyPin(parsing: text) }
    }

    @Test(arguments: [TestKey.Kind.p256, .p384, .p521, .ed25519, .rsa2048])
    func `h: a pinned hash is that of the whole public key, of any kind`(kind: TestKey.Kind) async throws {
        let fixtures = try fixtures()
        let key = try TestKey(kind, seed: "pinned")
        let presented = try fixtures.site.presenting(.server(), key: key)
        let pin = PublicKeyPin(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
        #expect(try PinnedCertificate(der: presented[0]).publicKeyPin == pin)
        let text = try PublicKeyPin(parsing: pin.description)
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [text])
        let verdict = await fixtures.verdict(presented, policy)
        #expect(verdict.isAccepted, "\(verdict.findings)")
        #expect(verdict.presentedChain.first?.publicKeyPin == pin)
    }

    @Test
    func `j: a rejection says why, what was presented and which pins the server offers`() async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: try fixtures.pins([.otherLeaf]))
        let verdict = await fixtures.verdict(.site, policy)
        #expect(verdict.code == .tlsPinMismatch)
        #expect(verdict.presentedChain.map(\.subject) == ["CN=host.test", "CN=Test Intermediate"])
        let evidence = try #require(verdict.findings.first).evidence
        #expect(evidence.contains(try fixtures.pins([.leaf])[0].publicKeyPin.description))
    }
}
