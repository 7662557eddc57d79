import FoundationEssentials
import ProbeTestKit
import ServerTrust
import Testing

/// Cases that AFNetworking's own tests leave out.
@Suite
struct SecurityPolicyGapTests {
    private func fixtures() throws -> TrustFixtures { try TrustFixtures.shared }

    private func verdict(
        _ presented: [[UInt8]],
        _ policy: SecurityPolicy = SecurityPolicy(),
        address: [UInt8]
    ) async throws -> TrustVerdict {
        let anchors = TrustAnchors(certificates: try fixtures().anchors)
        return await TrustEvaluator(policy: policy, anchors: anchors)
            .evaluate(presented: presented, identity: .address(address), at: TestDate.present)
    }

    @Test
    func `a pinned key under a wrong name is rejected, unless AFNetworking's gap is kept`() async throws {
        let fixtures = try fixtures()
        var policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: try fixtures.pins([.named]),
            allowsInvalidCertificates: true
        )
        #expect(await fixtures.verdict(.named, policy, host: "other.test").code == .tlsHostname)
        policy.isAFNetworkingCompatible = true
        let verdict = await fixtures.verdict(.named, policy, host: "other.test")
        #expect(verdict.isAccepted)
        // The gap is kept, not hidden.
        #expect(verdict.findings.contains { $0.code == .tlsHostname && $0.severity != .refusal })
    }

    @Test
    func `the gap is only there when invalid certificates are allowed and keys are pinned`() async throws {
        let fixtures = try fixtures()
        for mode in SecurityPolicy.PinningMode.allCases {
            let policy = SecurityPolicy(
                pinningMode: mode,
                pinnedCertificates: try fixtures.pins([.leaf]),
                isAFNetworkingCompatible: true
            )
            #expect(await fixtures.verdict(.site, policy, host: "other.test").code == .tlsHostname)
        }
        let policy = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: try fixtures.pins([.leaf]),
            allowsInvalidCertificates: true,
            isAFNetworkingCompatible: true
        )
        #expect(await fixtures.verdict(.site, policy, host: "other.test").code == .tlsHostname)
    }

    @Test(arguments: [
        (SecurityPolicy.PinningMode.none, false, FindingCode?.some(.tlsExpired)), (.publicKey, false, .tlsExpired),
        (.certificate, false, .tlsExpired), (.certificate, true, .tlsExpired), (.publicKey, true, nil),
    ])
    func `an expired pinned certificate is rejected, except where only the key counts`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool,
        code: FindingCode?
    ) async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: try fixtures.pins([.leaf]),
            allowsInvalidCertificates: allowsInvalid
        )
        let verdict = await fixtures.verdict(fixtures.site.presented, policy, at: TestDate.utc(2027, 3))
        #expect(verdict.code == code, "\(verdict.findings)")
    }

    @Test
    func `the validity includes its first and its last second`() async throws {
        let fixtures = try fixtures()
        for (date, code) in [
            (TestDate.utc(2025, 12, 31, 23, 59, 59), FindingCode?.some(.tlsNotYetValid)), (TestDate.utc(2026), nil),
            (TestDate.utc(2027), nil), (TestDate.utc(2027, 1, 1, 0, 0, 1), .tlsExpired),
        ] {
            let verdict = await fixtures.verdict(fixtures.site.presented, SecurityPolicy(), at: date)
            #expect(verdict.code == code, "\(date): \(verdict.findings)")
        }
    }

    @Test(arguments: [
        (SecurityPolicy.PinningMode.none, false, FindingCode?.some(.tlsPurpose)), (.publicKey, false, .tlsPurpose),
        (.certificate, false, .tlsPurpose), (.certificate, true, .tlsPurpose), (.publicKey, true, nil),
    ])
    func `a pinned client certificate is not valid for a server, except where only the key counts`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool,
        code: FindingCode?
    ) async throws {
        let fixtures = try fixtures()
        let presented = try fixtures.site.presenting(
            .server().with { $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication])) }
        )
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: [try PinnedCertificate(der: presented[0])],
            allowsInvalidCertificates: allowsInvalid
        )
        let verdict = await fixtures.verdict(presented, policy)
        #expect(verdict.code == code, "\(verdict.findings)")
    }

    @Test
    func `an address is only found among the addresses of a certificate`() async throws {
        let site = try fixtures().site
        let both = try site.presenting(.server(names: ["host.test"], addresses: ["192.0.2.1", "2001:db8::1"]))
        #expect(try await verdict(both, address: [192, 0, 2, 1]).isAccepted)
        #expect(
            try await verdict(both, address: [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1])
                .isAccepted
        )
        #expect(try await verdict(both, address: [192, 0, 2, 2]).code == .tlsHostname)
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
        #expect(try await verdict(both, address: mapped).code == .tlsHostname)
        let asName = try site.presenting(.server(names: ["192.0.2.1"]))
        #expect(try await !verdict(asName, address: [192, 0, 2, 1]).isAccepted)
    }

    @Test(arguments: [
        ("*.sub.test", "a.sub.test", true), ("*.sub.test", "A.SUB.test", true), ("*.sub.test", "a.b.sub.test", false),
        ("*.sub.test", "sub.test", false), ("*.test", "host.test", false), ("*", "test", false),
        ("h*.sub.test", "host.sub.test", false), ("*h.sub.test", "h.sub.test", false),
        ("host.*.test", "host.sub.test", false), ("*.*.sub.test", "a.b.sub.test", false),
        ("HOST.test", "host.TEST", true), ("host.test", "host.test.other.test", false),
    ])
    func `a wildcard matches exactly one whole label at the front`(
        pattern: String,
        host: String,
        isAccepted: Bool
    ) async throws {
        let fixtures = try fixtures()
        let presented = try fixtures.site.presenting(
            .server(names: ["first.test"]).with {
                $0.replaceExtension(with: .subjectAlternativeName(dns: ["first.test", pattern]))
            }
        )
        let verdict = await fixtures.verdict(presented, SecurityPolicy(), host: host)
        #expect(verdict.isAccepted == isAccepted, "\(verdict.findings)")
    }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate], [false, true])
    func `a pinned certificate that is only sent along does not count`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool
    ) async throws {
        let fixtures = try fixtures()
        // The other site is trusted, and it is the attacker here: it sends what the victim's pins are.
        let presented = fixtures.other.presented + fixtures.site.presented + [fixtures.site.root.der]
        for pin in [TrustFixtures.Certificate.leaf, .intermediate, .root] {
            let policy = SecurityPolicy(
                pinningMode: mode,
                pinnedCertificates: try fixtures.pins([pin]),
                allowsInvalidCertificates: allowsInvalid
            )
            let verdict = await fixtures.verdict(presented, policy, host: "other.test")
            #expect(!verdict.isAccepted)
            if !allowsInvalid, mode == .publicKey { #expect(verdict.code == .tlsPinMismatch) }
        }
    }

    @Test
    func `an issuer that only has the pinned one's name does not count`() async throws {
        let fixtures = try fixtures()
        // A forger names the pinned intermediate as its issuer, and signs with a key of its own.
        let forger = try IssuedCertificate.selfSigned(fixtures.site.intermediate.template, key: .p256())
        let leaf = try forger.issue(.server())
        for presented in [
            [leaf.der, fixtures.site.intermediate.der], [leaf.der, forger.der, fixtures.site.intermediate.der],
        ] {
            let policy = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedCertificates: try fixtures.pins([.intermediate]),
                allowsInvalidCertificates: true
            )
            #expect(await !fixtures.verdict(presented, policy).isAccepted)
        }
    }

    @Test
    func `a private authority's key counts where its signature is on the path`() async throws {
        let fixtures = try fixtures()
        for pin in [TrustFixtures.Certificate.leaf, .intermediate, .root] {
            let policy = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedCertificates: try fixtures.pins([pin]),
                allowsInvalidCertificates: true
            )
            let verdict = await fixtures.verdict(
                fixtures.site.presented + [fixtures.site.root.der],
                policy,
                anchors: [fixtures.other.root.der]
            )
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
    }

    @Test
    func `a missing intermediate is named, and a pinned one fills the gap in certificate mode`() async throws {
        let fixtures = try fixtures()
        let alone = [fixtures.site.leaf.der]
        #expect(await fixtures.verdict(alone, SecurityPolicy()).code == .tlsMissingIntermediate)
        let policy = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: try fixtures.pins([.intermediate]),
            allowsInvalidCertificates: true
        )
        let verdict = await fixtures.verdict(alone, policy)
        #expect(verdict.isAccepted, "\(verdict.findings)")
        #expect(verdict.validatedChain.map(\.subject) == ["CN=host.test", "CN=Test Intermediate"])
    }

    @Test
    func `only the first certificate is the server's`() async throws {
        let fixtures = try fixtures()
        let verdict = await fixtures.verdict(Array(fixtures.site.presented.reversed()), SecurityPolicy())
        #expect(!verdict.isAccepted)
        #expect(verdict.presentedChain.map(\.subject) == ["CN=Test Intermediate", "CN=host.test"])
    }

    @Test(arguments: SecurityPolicy.PinningMode.allCases)
    func `no server is accepted without a certificate`(mode: SecurityPolicy.PinningMode) async throws {
        let fixtures = try fixtures()
        for presented in [[], [[]], [[0x30, 0x00]], [[UInt8](repeating: 0x30, count: 5000)]] as [[[UInt8]]] {
            let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: try fixtures.pins([.root, .leaf]))
            #expect(await !fixtures.verdict(presented, policy).isAccepted)
        }
    }

    @Test
    func `a certificate that cannot be decoded does not hide a good chain`() async throws {
        let fixtures = try fixtures()
        let presented = [fixtures.site.leaf.der, [0xFF], [], fixtures.site.intermediate.der]
        let verdict = await fixtures.verdict(presented, SecurityPolicy())
        #expect(verdict.isAccepted, "\(verdict.findings)")
        #expect(verdict.findings.contains { $0.code == .tlsMalformedCertificate })
        #expect(verdict.presentedChain.count == 4)
    }
}
