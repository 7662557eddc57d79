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
        for validatesName in [false, true] {
            let policy = SecurityPolicy(
                pinningMode: mode,
                pinnedCertificates: pins,
                allowsInvalidCertificates: allowsInvalid,
                validatesDomainName: validatesName
            )
            let needsPins = mode == .none && allowsInvalid && validatesName
            let verdict = try await verdict(policy, leafRevoked())
            #expect(verdict.code == (needsPins ? .tlsNameNeedsPins : .tlsRevoked), "\(verdict.findings)")
        }
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

    /// A server whose chain need not verify, because it is pinned or anything is allowed, and the refusal by the lists.
    struct Pinned: Sendable, CustomTestStringConvertible {
        /// The list of the intermediate authority, if any is configured.
        enum List: Sendable { case none, empty, outdated, revoking }

        let testDescription: String
        var mode = SecurityPolicy.PinningMode.publicKey
        var pin = TrustFixtures.Certificate.leaf
        let presented: [TrustFixtures.Certificate]
        var anchors: [TrustFixtures.Certificate] = [.otherIntermediate]
        let list: List
        let code: FindingCode?

        init(_ name: String, _ presented: [TrustFixtures.Certificate], _ list: List, _ code: FindingCode?) {
            (testDescription, self.presented, self.list, self.code) = (name, presented, list, code)
        }

        func with(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }
    }

    private static let pinned: [Pinned] = [
        Pinned("revoked, without its issuer", [.leaf], .revoking, .tlsRevocationUnknown),
        Pinned("revoked, with its issuer", [.leaf, .intermediate], .revoking, .tlsRevoked),
        Pinned("revoked, with another issuer", [.leaf, .otherIntermediate], .revoking, .tlsRevocationUnknown),
        Pinned("revoked, its issuer trusted", [.leaf], .revoking, .tlsRevoked).with { $0.anchors = [.intermediate] },
        Pinned("not revoked, without its issuer", [.leaf], .empty, .tlsRevocationUnknown),
        Pinned("not revoked, with its issuer", [.leaf, .intermediate], .empty, nil),
        Pinned("not revoked, its issuer trusted", [.leaf], .empty, nil).with { $0.anchors = [.intermediate] },
        Pinned("an outdated list", [.leaf, .intermediate], .outdated, .tlsRevocationUnknown),
        Pinned("an outdated list, trusted", [.leaf, .intermediate], .outdated, .tlsRevocationUnknown).with {
            $0.anchors = [.root]
        },
        Pinned("no list", [.leaf], .none, nil),
        Pinned("itself an anchor, which no list revokes", [.leaf], .revoking, nil).with { $0.anchors = [.leaf] },
        Pinned("signed by itself, and the list of another", [.named], .empty, .tlsRevocationUnknown).with {
            $0.pin = .named
        },
        Pinned("signed by itself, and no list", [.named], .none, nil).with { $0.pin = .named },
        Pinned("a pinned certificate, revoked, without its issuer", [.leaf], .revoking, .tlsRevocationUnknown).with {
            $0.mode = .certificate
        },
        Pinned("a pinned certificate, not revoked, with its issuer", [.leaf, .intermediate], .empty, nil).with {
            $0.mode = .certificate
        },
        Pinned("a pinned issuer, which is not sent, and revoked", [.leaf], .revoking, .tlsRevoked).with {
            ($0.mode, $0.pin) = (.certificate, .intermediate)
        },
        Pinned("a pinned issuer, which is not sent, and not revoked", [.leaf], .empty, nil).with {
            ($0.mode, $0.pin) = (.certificate, .intermediate)
        },
        Pinned("no pin, revoked, without its issuer", [.leaf], .revoking, .tlsRevocationUnknown).with {
            $0.mode = .none
        },
        Pinned("no pin, not revoked, with its issuer", [.leaf, .intermediate], .empty, nil).with { $0.mode = .none },
        Pinned("no pin, and no list", [.leaf], .none, nil).with { $0.mode = .none },
    ]

    private func lists(_ list: Pinned.List) throws -> [CertificateRevocationList] {
        let template: RevocationListTemplate
        switch list {
        case .none: return []
        case .empty: template = RevocationListTemplate()
        case .outdated: template = RevocationListTemplate(nextUpdate: TestDate.utc(2026, 5, 20))
        case .revoking: template = try leafRevoked()
        }
        let issuer = try TrustFixtures.shared.site.intermediate
        return [try CertificateRevocationList(der: issuer.revocationList(template))]
    }

    @Test(arguments: pinned)
    func `a server is rejected unless a list covers it, whatever it leaves out`(_ example: Pinned) async throws {
        let fixtures = try TrustFixtures.shared
        let evaluator = TrustEvaluator(
            policy: SecurityPolicy(
                pinningMode: example.mode,
                pinnedCertificates: try fixtures.pins([example.pin]),
                allowsInvalidCertificates: true,
                validatesDomainName: example.mode != .none
            ),
            anchors: TrustAnchors(certificates: example.anchors.map { fixtures.certificate($0).der }),
            revocationLists: try lists(example.list)
        )
        let presented = example.presented.map { fixtures.certificate($0).der }
        let verdict = await evaluator.evaluate(
            presented: presented,
            identity: .name("host.test"),
            at: TestDate.present
        )
        #expect(verdict.code == example.code, "\(verdict.findings)")
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
