import ForeignText
import FoundationEssentials
import ProbeTestKit
import ServerTrust
import Testing

/// Pins only narrow: what a policy with pins accepts, the same policy without pins accepts too.
///
/// Only invalid certificates that are allowed are an exception, and even then pinned certificates are anchors and no more.
@Suite struct PinNarrowingTests {
    /// A chain, and the certificates that a policy could pin.
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let presented: [[UInt8]]
        /// Read once for all policies of the example.
        let anchors: TrustAnchors
        let identity: ServerIdentity
        let pinnable: [[UInt8]]
    }

    private static let stranger = Result { try IssuedCertificate.selfSigned(.authority("Stranger")) }

    static func examples() throws -> [Example] {
        let fixtures = try TrustFixtures.shared
        let scenarios = try (TrustScenario.chains + TrustScenario.certificates + TrustScenario.names).map { scenario in
            let material = try scenario.make(fixtures)
            return Example(
                testDescription: scenario.sentence,
                presented: material.presented,
                anchors: TrustAnchors(certificates: material.anchors),
                identity: material.identity,
                pinnable: material.presented + [material.root, material.leaf]
            )
        }
        return try scenarios + selfSigned()
    }

    /// Self-signed servers that are trusted as they are, each with a fault that an anchor of the roots must not have.
    private static func selfSigned() throws -> [Example] {
        let changes: [(String, (inout CertificateTemplate) -> Void)] = [
            ("an authority's", { _ in }),
            ("an authority's with a negative number", { $0.serialNumber = [0x80] }),
            ("an authority's of version 1", { $0.version = 0 }),
            ("an authority's without a name", { $0.removeExtension("2.5.29.17") }),
            ("an authority's for no signatures", { $0.replaceExtension(with: .keyUsage([.certificateSigning])) }),
            (
                "an authority's with a critical name",
                { $0.replaceExtension(with: .subjectAlternativeName([.dns("host.test")], critical: true)) }
            ),
            (
                "an authority's with a strange extension",
                { $0.extensions.append(.raw("1.2.3", isCritical: true, [5, 0])) }
            ),
            ("an authority's for clients", { $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication])) }),
            ("an authority's that is over", { $0.notAfter = TestDate.utc(2026, 2) }),
            (
                "an authority's of a weak form",
                { $0.extensions.append(.raw("2.5.29.36", isCritical: false, [0x30, 0x03, 0x80, 0x01, 0x00])) }
            ),
        ]
        return try changes.map { name, change in
            let certificate = try IssuedCertificate.selfSigned(
                CertificateTemplate.server().with {
                    $0.replaceExtension(with: .basicConstraints(isAuthority: true))
                    change(&$0)
                }
            )
            return Example(
                testDescription: "a trusted certificate, " + name,
                presented: [certificate.der],
                anchors: TrustAnchors(certificates: [certificate.der]),
                identity: .name("host.test"),
                pinnable: [certificate.der]
            )
        }
    }

    private func verdict(_ example: Example, _ policy: SecurityPolicy) -> TrustVerdict {
        TrustEvaluator(policy: policy, anchors: example.anchors).evaluate(
            presented: example.presented,
            identity: example.identity,
            at: TestDate.present,
            within: .unlimited()
        )
    }

    /// Each certificate alone, all together, and none.
    private func pinSets(_ example: Example) throws -> [[PinnedCertificate]] {
        let stranger = try Self.stranger.get().der
        let pins = (example.pinnable + [stranger]).compactMap { try? PinnedCertificate(der: $0) }
        // The leaf is among the presented ones too: a second policy with it would be the same policy.
        var seen: Set<[UInt8]> = []
        let distinct = pins.filter { seen.insert($0.der).inserted }
        return distinct.map { [$0] } + [pins, []]
    }

    /// The policies with pins: each mode with each set of them, and with backups.
    private func pinning(_ sets: [[PinnedCertificate]], _ base: SecurityPolicy) -> [SecurityPolicy] {
        sets.flatMap { set in
            SecurityPolicy.PinningMode.allCases.flatMap { mode -> [SecurityPolicy] in
                var policy = base
                policy.pinningMode = mode
                policy.pinnedCertificates = set
                guard mode == .publicKey else { return [policy] }
                var backup = policy
                backup.pinnedCertificates = []
                backup.backupPublicKeys = set.map(\.publicKeyPin)
                return [policy, backup]
            }
        }
    }

    @Test(arguments: try examples())
    func `a chain that is accepted with pins is accepted without them`(_ example: Example) throws {
        let sets = try pinSets(example)
        for validatesName in [false, true] {
            for isStrict in [false, true] {
                for allowsInvalid in [false, true] where !(allowsInvalid && validatesName) {
                    for isCompatible in [false, true] {
                        var base = SecurityPolicy()
                        base.validatesDomainName = validatesName
                        base.allowsInvalidCertificates = allowsInvalid
                        base.isStrict = isStrict
                        base.isAFNetworkingCompatible = isCompatible
                        let plain = verdict(example, base)
                        for policy in pinning(sets, base) {
                            let pinned = verdict(example, policy)
                            #expect(
                                plain.isAccepted || !pinned.isAccepted,
                                "\(policy.pinningMode) accepts what is refused: \(plain.findings)"
                            )
                            // What mode none says is not changed by pins that it does not look at.
                            if policy.pinningMode == .none { #expect(pinned.isAccepted == plain.isAccepted) }
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: try examples())
    func `each finding that rejects without pins also rejects with a pinned certificate`(_ example: Example) throws {
        let sets = try pinSets(example)
        for isStrict in [false, true] {
            let plain = verdict(example, SecurityPolicy(isStrict: isStrict))
            let refused = Set(plain.findings.filter { $0.severity == .refusal }.map(\.code))
            for policy in pinning(sets, SecurityPolicy(isStrict: isStrict))
            where policy.pinningMode == .certificate {
                let pinned = verdict(example, policy)
                let codes = Set(pinned.findings.filter { $0.severity == .refusal }.map(\.code))
                #expect(refused.isSubset(of: codes), "\(refused.subtracting(codes)) went with the pins")
            }
        }
    }

    @Test func `a self-signed authority that --ca-file rejects is also rejected as a pin`() throws {
        let example = try #require(
            try Self.examples().first { $0.testDescription.hasSuffix("an authority's with a negative number") }
        )
        let pins = [try PinnedCertificate(der: try #require(example.presented.first))]
        let plain = verdict(example, SecurityPolicy())
        let pinned = verdict(example, SecurityPolicy(pinningMode: .certificate, pinnedCertificates: pins))
        #expect(plain.code == .tlsCertificateProfile)
        #expect(pinned.code == .tlsCertificateProfile)
        // Only who allows invalid certificates takes it for what it is.
        let allowed = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: pins,
            allowsInvalidCertificates: true
        )
        #expect(verdict(example, allowed).isAccepted)
    }
}
