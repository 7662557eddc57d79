import ProbeTestKit
import ServerTrust
import Testing

/// Every scenario under every pinning mode and both flags.
@Suite
struct TrustMatrixTests {
    private static let scenarios = TrustScenario.chains + TrustScenario.certificates + TrustScenario.names

    /// The pins of a policy, as the scenarios distinguish them.
    enum Pins: CaseIterable, Sendable {
        case none, key, root, leaf

        var mode: SecurityPolicy.PinningMode {
            switch self {
            case .none: .none
            case .key: .publicKey
            case .root, .leaf: .certificate
            }
        }
    }

    private func verdict(_ material: TrustScenario.Material, _ policy: SecurityPolicy) async -> TrustVerdict {
        let verdict = await TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: material.anchors))
            .evaluate(presented: material.presented, identity: material.identity, at: TestDate.present)
        let certificates = material.presented + material.anchors
        await SecondOpinion.check(verdict, under: policy, among: certificates, at: TestDate.present)
        return verdict
    }

    private func policy(
        _ pins: Pins,
        _ material: TrustScenario.Material,
        allowsInvalid: Bool,
        validatesName: Bool
    ) throws -> SecurityPolicy {
        let pinned: [[UInt8]] =
            switch pins {
            case .none: []
            case .key, .leaf: [material.leaf]
            case .root: [material.root]
            }
        return SecurityPolicy(
            pinningMode: pins.mode,
            pinnedCertificates: try pinned.map { try PinnedCertificate(der: $0) },
            allowsInvalidCertificates: allowsInvalid,
            validatesDomainName: validatesName
        )
    }

    /// Returns the result for a scenario by AFSecurityPolicy's table; nil where a scenario has none.
    private func expectation(
        _ scenario: TrustScenario,
        _ pins: Pins,
        allowsInvalid: Bool,
        validatesName: Bool
    ) -> Bool? {
        let isTrusted = allowsInvalid || scenario.trusted.holds(validatesName: validatesName)
        switch pins {
        case .none:
            // Invalid certificates without pins: all is accepted, unless the name should be validated.
            return allowsInvalid ? !validatesName : isTrusted
        case .key: return isTrusted && scenario.pinnedKey.holds(validatesName: validatesName)
        case .root: return isTrusted && scenario.pinnedRoot.holds(validatesName: validatesName)
        case .leaf: return scenario.pinnedLeaf.map { isTrusted && $0.holds(validatesName: validatesName) }
        }
    }

    @Test(arguments: scenarios, Pins.allCases)
    func `a scenario is accepted or rejected as the table says`(scenario: TrustScenario, pins: Pins) async throws {
        let material = try scenario.make(try TrustFixtures.shared)
        for allowsInvalid in [false, true] {
            for validatesName in [false, true] {
                guard
                    let expected = expectation(
                        scenario,
                        pins,
                        allowsInvalid: allowsInvalid,
                        validatesName: validatesName
                    )
                else { continue }
                let policy = try policy(pins, material, allowsInvalid: allowsInvalid, validatesName: validatesName)
                let verdict = await verdict(material, policy)
                #expect(
                    verdict.isAccepted == expected,
                    "allows invalid: \(allowsInvalid), validates name: \(validatesName): \(verdict.findings)"
                )
                #expect((verdict.code == nil) == verdict.isAccepted)
            }
        }
    }

    @Test(arguments: scenarios)
    func `the default policy names the reason of its rejection`(scenario: TrustScenario) async throws {
        let material = try scenario.make(try TrustFixtures.shared)
        let verdict = await verdict(material, SecurityPolicy())
        #expect(verdict.code == scenario.code, "\(verdict.findings)")
        #expect((scenario.code == nil) == (scenario.trusted == .always))
    }

    @Test(arguments: scenarios, Pins.allCases)
    func `compatibility with AFNetworking changes nothing but the name under a pinned key`(
        scenario: TrustScenario,
        pins: Pins
    ) async throws {
        let material = try scenario.make(try TrustFixtures.shared)
        for allowsInvalid in [false, true] {
            for validatesName in [false, true] {
                var policy = try policy(pins, material, allowsInvalid: allowsInvalid, validatesName: validatesName)
                let own = await verdict(material, policy).isAccepted
                policy.isAFNetworkingCompatible = true
                let compatible = await verdict(material, policy).isAccepted
                let isGap = pins == .key && allowsInvalid && scenario.pinnedKey == .withoutName
                #expect(compatible == (isGap ? true : own))
            }
        }
    }
}
