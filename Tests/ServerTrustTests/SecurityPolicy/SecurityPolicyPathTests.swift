import FoundationEssentials
import ProbeTestKit
import ServerTrust
import Testing

/// The path on which a pin is searched, when there is more than one or none that is good.
@Suite
struct SecurityPolicyPathTests {
    private func fixtures() throws -> TrustFixtures { try TrustFixtures.shared }

    @Test(arguments: [SecurityPolicy.PinningMode.publicKey, .certificate], [false, true])
    func `of two trusted paths the one with the pin is taken`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool
    ) async throws {
        let fixtures = try fixtures()
        // The intermediate is signed by both roots, as happens when an authority changes its root.
        let crossed = try fixtures.other.root.issue(
            fixtures.site.intermediate.template.with { $0.serialNumber = [0x51] },
            key: fixtures.site.intermediate.key
        )
        for presented in [
            fixtures.site.presented + [crossed.der],
            [fixtures.site.leaf.der, crossed.der, fixtures.site.intermediate.der],
        ] {
            for pin in [fixtures.site.root.der, fixtures.other.root.der, crossed.der, fixtures.site.intermediate.der] {
                let policy = SecurityPolicy(
                    pinningMode: mode,
                    pinnedCertificates: [try PinnedCertificate(der: pin)],
                    allowsInvalidCertificates: allowsInvalid
                )
                let verdict = await fixtures.verdict(presented, policy)
                #expect(verdict.isAccepted, "\(verdict.findings)")
            }
        }
    }

    @Test
    func `a pinned root counts for an expired chain, even if it is not sent`() async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: try fixtures.pins([.root]),
            allowsInvalidCertificates: true
        )
        let verdict = await fixtures.verdict(fixtures.site.presented, policy, at: TestDate.utc(2030))
        #expect(verdict.isAccepted, "\(verdict.findings)")
        #expect(verdict.findings.contains { $0.code == .tlsExpired && $0.severity == .warning })
    }

    /// A chain that a server's certificate signed, which the pinned intermediate issued for another name.
    private func forged() throws -> [[UInt8]] {
        let site = try fixtures().site
        let neighbour = try site.intermediate.issue(.server(names: ["neighbour.test"]))
        let forged = try neighbour.issue(.server(names: ["host.test"]))
        return [forged.der, neighbour.der, site.intermediate.der, site.root.der]
    }

    @Test
    func `a server below a pinned authority cannot issue for another`() async throws {
        let fixtures = try fixtures()
        #expect(await fixtures.verdict(try forged(), SecurityPolicy()).code == .tlsNotAnAuthority)
        for pin in [TrustFixtures.Certificate.intermediate, .root] {
            for (mode, allowsInvalid) in [
                (SecurityPolicy.PinningMode.publicKey, false), (.certificate, false), (.certificate, true),
            ] {
                let policy = SecurityPolicy(
                    pinningMode: mode,
                    pinnedCertificates: try fixtures.pins([pin]),
                    allowsInvalidCertificates: allowsInvalid
                )
                #expect(await fixtures.verdict(try forged(), policy).code == .tlsNotAnAuthority)
            }
        }
    }

    @Test(arguments: [TrustFixtures.Certificate.intermediate, .root], [false, true])
    func `a server below a pinned authority cannot issue for another where only the key counts`(
        pin: TrustFixtures.Certificate,
        isTrusted: Bool
    ) async throws {
        let fixtures = try fixtures()
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: try fixtures.pins([pin]),
            allowsInvalidCertificates: true
        )
        let anchors = isTrusted ? fixtures.anchors : [fixtures.other.root.der]
        let verdict = await fixtures.verdict(try forged(), policy, anchors: anchors)
        #expect(verdict.code == .tlsPinMismatch, "\(verdict.findings)")
    }

    @Test
    func `an issuer of the right name with another key does not hide the right one`() async throws {
        let fixtures = try fixtures()
        let site = fixtures.site
        // Its identifier is the right one's too, so that nothing but the signature tells them apart.
        let impostor = try site.root.issue(
            site.intermediate.template.with {
                $0.serialNumber = [0x52]
                $0.extensions.append(.subjectKeyIdentifier(site.intermediate.key.identifier))
            }
        )
        for presented in [
            [site.leaf.der, impostor.der, site.intermediate.der], [site.leaf.der, site.intermediate.der, impostor.der],
        ] {
            let verdict = await fixtures.verdict(presented, SecurityPolicy())
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
        let alone = await fixtures.verdict([site.leaf.der, impostor.der], SecurityPolicy())
        #expect(alone.code == .tlsSignatureInvalid)
    }

    @Test
    func `a self-signed server that is an anchor itself is trusted`() async throws {
        let fixtures = try fixtures()
        let named = fixtures.certificate(.named).der
        let verdict = await fixtures.verdict(.named, SecurityPolicy(), host: "host.test")
        #expect(verdict.code == .tlsSelfSigned)
        let trusted = await fixtures.verdict([named], SecurityPolicy(), anchors: [named])
        #expect(trusted.isAccepted, "\(trusted.findings)")
        #expect(trusted.validatedChain.count == 1)
    }

    @Test
    func `an address that is written as a name never matches`() async throws {
        let fixtures = try fixtures()
        let presented = try fixtures.site.presenting(
            .server(names: ["host.test", "192.0.2.1"], addresses: ["192.0.2.1"])
        )
        #expect(await !fixtures.verdict(presented, SecurityPolicy(), host: "192.0.2.1").isAccepted)
    }

    @Test(arguments: SecurityPolicy.PinningMode.allCases)
    func `one evaluator gives each date, name and chain its own answer`(mode: SecurityPolicy.PinningMode) async throws {
        let fixtures = try fixtures()
        let brief = try TestAuthority(
            root: .authority("Brief Root").with { $0.notAfter = TestDate.utc(2026, 4) },
            intermediate: .intermediate("Brief Intermediate").with { $0.notBefore = TestDate.utc(2026, 3) }
        )
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: try fixtures.pins([.root]) + [try PinnedCertificate(der: brief.intermediate.der)]
        )
        let anchors = TrustAnchors(certificates: [fixtures.site.root.der, brief.root.der])
        let shared = TrustEvaluator(policy: policy, anchors: anchors)
        let dates =
            (0..<15).map { TestDate.utc(2025, 12 + $0) } + [TestDate.utc(2026, 4, 1, 0, 0, 1), TestDate.utc(2045)]
        var codes: Set<FindingCode?> = []
        for round in 0..<2 {
            for date in round == 0 ? dates : dates.reversed() {
                for presented in [fixtures.site.presented, brief.presented] {
                    for host in ["host.test", "wrong.test"] {
                        let fresh = await TrustEvaluator(policy: policy, anchors: anchors)
                            .evaluate(presented: presented, identity: .name(host), at: date)
                        let again = await shared.evaluate(presented: presented, identity: .name(host), at: date)
                        #expect(again.code == fresh.code && again.isAccepted == fresh.isAccepted, "\(date)")
                        codes.insert(fresh.code)
                    }
                }
            }
        }
        #expect(codes.isSuperset(of: [nil, .tlsExpired, .tlsNotYetValid, .tlsHostname]))
    }
}
