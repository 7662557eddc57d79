import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The verdicts without any root, because the system's bundle is missing: what is certain, and what is not.
@Suite struct RootlessVerdictTests {
    private static let anchors = TrustAnchors(bundles: ["/nowhere/bundle"])
    private static let stranger = Result { try IssuedCertificate.selfSigned(.authority("Stranger")) }

    /// A server and a policy, and the code of the refusal.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: FindingCode?
        let make: @Sendable () throws -> (policy: SecurityPolicy, presented: [[UInt8]])
        var host: String? = "host.test"
        var date = TestDate.present
        var lists: @Sendable () throws -> [CertificateRevocationList] = { [] }

        init(
            _ name: String,
            _ code: FindingCode?,
            _ make: @escaping @Sendable () throws -> (policy: SecurityPolicy, presented: [[UInt8]])
        ) {
            (testDescription, self.code, self.make) = (name, code, make)
        }

        init(_ name: String, _ code: FindingCode?, presenting: @escaping @Sendable () throws -> [[UInt8]]) {
            self.init(name, code) { (SecurityPolicy(), try presenting()) }
        }

        func with(_ change: (inout Case) -> Void) -> Case {
            var copy = self
            change(&copy)
            return copy
        }
    }

    private static let chain = Result { try TestAuthority.standard() }

    private static func keyPin(_ certificate: IssuedCertificate) -> PublicKeyPin {
        PublicKeyPin(subjectPublicKeyInfo: certificate.key.subjectPublicKeyInfo)
    }

    private static func keys(
        _ pin: (TestAuthority) throws -> IssuedCertificate,
        allowsInvalid: Bool = false
    ) throws -> (SecurityPolicy, [[UInt8]]) {
        let chain = try chain.get()
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedPublicKeys: [keyPin(try pin(chain))],
            allowsInvalidCertificates: allowsInvalid
        )
        return (policy, chain.presented)
    }

    private static func certificates(
        _ pin: (TestAuthority) throws -> IssuedCertificate,
        allowsInvalid: Bool = false
    ) throws -> (SecurityPolicy, [[UInt8]]) {
        let chain = try chain.get()
        let policy = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: [try PinnedCertificate(der: try pin(chain).der)],
            allowsInvalidCertificates: allowsInvalid
        )
        return (policy, chain.presented)
    }

    /// Refusals that no root changes.
    private static let certain: [Case] = [
        Case("an expired certificate", .tlsExpired, presenting: { try chain.get().presented }).with {
            $0.date = TestDate.utc(2040)
        },
        Case("another name", .tlsHostname, presenting: { try chain.get().presented }).with { $0.host = "other.test" },
        Case(
            "for clients only",
            .tlsPurpose,
            presenting: {
                try chain.get().presenting(
                    CertificateTemplate.server().with {
                        $0.replaceExtension(with: .extendedKeyUsage([.clientAuthentication]))
                    }
                )
            }
        ),
        Case("no certificate", .tlsMalformedCertificate, presenting: { [[0x30, 0x00]] }),
        Case("revoked", .tlsRevoked, presenting: { try chain.get().presented }).with {
            $0.lists = {
                let chain = try chain.get()
                let entry = RevocationListTemplate.Entry(serialNumber: chain.leaf.serialNumber)
                let list = try chain.intermediate.revocationList(RevocationListTemplate(revoking: [entry]))
                return [try CertificateRevocationList(der: list)]
            }
        },
        Case("another pinned certificate", .tlsPinMismatch) { try certificates { _ in try stranger.get() } },
        Case("no pins", .tlsNoPins) { (SecurityPolicy(pinningMode: .publicKey), try chain.get().presented) },
    ]

    /// Refusals that a root could change.
    private static let open: [Case] = [
        Case("a good chain", .tlsRootsUnavailable, presenting: { try chain.get().presented }),
        Case("no intermediate", .tlsRootsUnavailable, presenting: { [try chain.get().leaf.der] }),
        Case(
            "signed by itself",
            .tlsRootsUnavailable,
            presenting: { [try IssuedCertificate.selfSigned(.server()).der] }
        ),
        Case("with its root", .tlsRootsUnavailable, presenting: { try chain.get().presented + [chain.get().root.der] }),
        Case(
            "an expired intermediate, of whose key there may be a root",
            .tlsRootsUnavailable,
            presenting: {
                try TestAuthority(
                    intermediate: CertificateTemplate.intermediate().with { $0.notAfter = TestDate.utc(2026, 2) }
                ).presented
            }
        ),
        Case(
            "an intermediate of the same name, beside which there may be a root",
            .tlsRootsUnavailable,
            presenting: { [try chain.get().leaf.der, try TestAuthority.standard().intermediate.der] }
        ),
        Case("a pinned key in the chain", .tlsRootsUnavailable) { try keys(\.leaf) },
        Case("a pinned key of a root", .tlsRootsUnavailable) { try keys(\.root) },
        Case("a pinned certificate", .tlsRootsUnavailable) { try certificates(\.root) },
    ]

    /// Policies that do without roots.
    private static let independent: [Case] = [
        Case("nothing is checked", nil) {
            (SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false), try chain.get().presented)
        }.with { $0.host = nil },
        Case("a pinned key", nil) { try keys(\.intermediate, allowsInvalid: true) },
        Case("another pinned key", .tlsPinMismatch) { try keys({ _ in try stranger.get() }, allowsInvalid: true) },
        Case("a pinned certificate", nil) { try certificates(\.root, allowsInvalid: true) },
        Case("another pinned certificate", .tlsPinMismatch) {
            try certificates({ _ in try stranger.get() }, allowsInvalid: true)
        },
    ]

    private func verdict(_ example: Case, _ anchors: TrustAnchors = anchors) async throws -> TrustVerdict {
        let (policy, presented) = try example.make()
        let evaluator = TrustEvaluator(policy: policy, anchors: anchors, revocationLists: try example.lists())
        return await evaluator.evaluate(
            presented: presented,
            identity: example.host.map { .name($0) },
            at: example.date
        )
    }

    @Test(arguments: certain + open)
    func `a chain is never accepted, and what is certain is the server's fault`(_ example: Case) async throws {
        let verdict = try await verdict(example)
        #expect(!verdict.isAccepted)
        #expect(verdict.code == example.code, "\(verdict.findings)")
        let guesses: Set<FindingCode> = [.tlsUntrustedRoot, .tlsMissingIntermediate, .tlsSelfSigned]
        #expect(!verdict.findings.contains { guesses.contains($0.code) })
    }

    @Test(arguments: open)
    func `a chain that a root could make good has no refusal but that of this machine`(_ example: Case) async throws {
        #expect(try await verdict(example).refusals == [.tlsRootsUnavailable])
    }

    @Test(arguments: independent)
    func `a policy that needs no roots has the same verdict without them`(_ example: Case) async throws {
        let verdict = try await verdict(example)
        #expect(verdict.code == example.code, "\(verdict.findings)")
        #expect(!verdict.findings.contains { $0.code == .tlsRootsUnavailable })
        #expect(try await self.verdict(example, TrustAnchors(certificates: [])).findings == verdict.findings)
    }
}
