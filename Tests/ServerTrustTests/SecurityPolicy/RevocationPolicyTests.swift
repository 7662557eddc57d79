import ProbeTestKit
import ServerTrust
import Testing

/// The effect of a revocation list under each policy.
@Suite
struct RevocationPolicyTests {
    private func verdict(
        _ policy: SecurityPolicy,
        anchors: [[UInt8]]? = nil,
        _ template: RevocationListTemplate
    ) async throws -> TrustVerdict {
        let fixtures = try TrustFixtures.shared
        let list = try CertificateRevocationList(der: fixtures.site.intermediate.revocationList(template))
        return await TrustEvaluator(
            policy: policy,
            anchors: TrustAnchors(certificates: anchors ?? fixtures.anchors),
            revocationLists: [list]
        ).evaluate(presented: fixtures.site.presented, identity: .name("host.test"), at: TestDate.present)
    }

    private func leafRevoked() throws -> RevocationListTemplate {
        RevocationListTemplate(revoking: [
            .init(serialNumber: try TrustFixtures.shared.site.leaf.serialNumber, reason: 1)
        ])
    }

    @Test(arguments: SecurityPolicy.PinningMode.allCases, [false, true])
    func `a revoked server is rejected whatever is pinned and allowed`(
        mode: SecurityPolicy.PinningMode,
        allowsInvalid: Bool
    ) async throws {
        let pins = try TrustFixtures.shared.pins([.leaf])
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: pins,
            allowsInvalidCertificates: allowsInvalid
        )
        let isUnnamed = mode == .none && allowsInvalid
        let verdict = try await verdict(policy, leafRevoked())
        #expect(verdict.code == (isUnnamed ? .tlsNameNeedsPins : .tlsRevoked), "\(verdict.findings)")
    }

    @Test
    func `a revoked server of an untrusted authority is rejected, even if its key is pinned`() async throws {
        let fixtures = try TrustFixtures.shared
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: try fixtures.pins([.leaf]),
            allowsInvalidCertificates: true
        )
        let verdict = try await verdict(policy, anchors: [fixtures.other.root.der], leafRevoked())
        #expect(verdict.code == .tlsRevoked, "\(verdict.findings)")
    }

    @Test
    func `a current list that does not name the server lets it pass`() async throws {
        let other = RevocationListTemplate(revoking: [.init(serialNumber: [0x01])])
        for template in [RevocationListTemplate(), other] {
            let verdict = try await verdict(SecurityPolicy(), template)
            #expect(verdict.isAccepted, "\(verdict.findings)")
        }
    }

    @Test(
        arguments: [
            { $0.nextUpdate = TestDate.utc(2026, 5, 20) }, { $0.thisUpdate = TestDate.utc(2026, 6, 2) },
            { $0.nextUpdate = nil }, { $0.signatureDefect = .flippedBit }, { $0.issuer = .common("Somebody Else") },
        ] as [@Sendable (inout RevocationListTemplate) -> Void]
    )
    func `an unreliable list leaves the revocation unknown`(
        change: @Sendable (inout RevocationListTemplate) -> Void
    ) async throws {
        var template = RevocationListTemplate()
        change(&template)
        #expect(try await verdict(SecurityPolicy(), template).code == .tlsRevocationUnknown)
    }
}
