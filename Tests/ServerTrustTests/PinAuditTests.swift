import ProbeTestKit
import Testing

@testable import ServerTrust

@Suite struct PinAuditTests {
    private static func pin(_ certificate: IssuedCertificate) -> PublicKeyPin {
        PublicKeyPin(subjectPublicKeyInfo: certificate.key.subjectPublicKeyInfo)
    }

    private static let stranger = Result { try IssuedCertificate.selfSigned(.authority("Stranger")) }

    private func entry(_ pin: PublicKeyPin, _ isMatched: Bool, backup isBackup: Bool = false) -> PinAudit.Entry {
        PinAudit.Entry(pin: pin.description, isMatched: isMatched, isBackup: isBackup)
    }

    @Test func `a policy that does not pin has no audit`() async throws {
        let chain = try TestAuthority.standard()
        let policy = SecurityPolicy(pinnedPublicKeys: [Self.pin(chain.leaf)], backupPublicKeys: [Self.pin(chain.root)])
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: policy)
        #expect(verdict.isAccepted)
        #expect(verdict.pinAudit == nil)
    }

    @Test func `every pin is listed, in the order of the policy`() async throws {
        let (chain, stranger) = (try TestAuthority.standard(), try Self.stranger.get())
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: [try PinnedCertificate(der: chain.intermediate.der)],
            pinnedPublicKeys: [Self.pin(stranger), Self.pin(chain.leaf)],
            backupPublicKeys: [Self.pin(chain.root), Self.pin(stranger)]
        )
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: policy)
        #expect(verdict.isAccepted)
        #expect(verdict.warnings == [])
        #expect(
            verdict.pinAudit?.entries == [
                entry(Self.pin(stranger), false), entry(Self.pin(chain.leaf), true),
                entry(Self.pin(chain.intermediate), true), entry(Self.pin(chain.root), true, backup: true),
                entry(Self.pin(stranger), false, backup: true),
            ]
        )
        #expect(verdict.pinAudit?.matchesBackupOnly == false)
    }

    @Test(arguments: [false, true])
    func `a server that only matches a backup is accepted with a warning`(isAlone: Bool) async throws {
        let (chain, stranger) = (try TestAuthority.standard(), try Self.stranger.get())
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedPublicKeys: isAlone ? [] : [Self.pin(stranger)],
            backupPublicKeys: [Self.pin(chain.leaf)]
        )
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: policy)
        #expect(verdict.isAccepted, "\(verdict.findings)")
        #expect(verdict.warnings == [.tlsBackupPinOnly])
        #expect(verdict.findings.first?.evidence.contains(Self.pin(chain.leaf).description) == true)
        #expect(verdict.pinAudit?.matchesBackupOnly == true)
    }

    @Test func `a path with a pin of the present is preferred to one with a backup`() async throws {
        let chain = try TestAuthority.standard()
        let other = try IssuedCertificate.selfSigned(.authority("Other"))
        let crossed = try other.issue(chain.intermediate.template, key: chain.intermediate.key)
        for presented in [[crossed, chain.intermediate], [chain.intermediate, crossed]] {
            let policy = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedPublicKeys: [Self.pin(chain.root)],
                backupPublicKeys: [Self.pin(other)]
            )
            let verdict = await TrustHarness.verdict(
                [chain.leaf.der] + presented.map(\.der),
                roots: [other, chain.root],
                policy: policy
            )
            #expect(verdict.isAccepted, "\(verdict.findings)")
            #expect(verdict.warnings == [])
            #expect(verdict.pinAudit?.entries.map(\.isMatched) == [true, false])
        }
    }

    @Test func `a server that matches nothing is rejected, as is one that merely sends a pinned certificate`()
        async throws
    {
        let (chain, stranger) = (try TestAuthority.standard(), try Self.stranger.get())
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedPublicKeys: [Self.pin(stranger)],
            backupPublicKeys: [Self.pin(stranger)]
        )
        for (roots, refusal) in [([chain.root], FindingCode.tlsPinMismatch), ([], .tlsUntrustedRoot)] {
            let verdict = await TrustHarness.verdict(
                chain.presented + [stranger.der],
                roots: roots,
                policy: policy
            )
            #expect(verdict.code == refusal)
            #expect(verdict.refusals.contains(.tlsPinMismatch))
            #expect(verdict.pinAudit?.entries.map(\.isMatched) == [false, false])
        }
    }

    @Test func `without a path the pins are compared with the actual signers`() async throws {
        let chain = try TestAuthority.standard()
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedPublicKeys: [Self.pin(chain.root)],
            backupPublicKeys: [Self.pin(chain.intermediate)]
        )
        let verdict = await TrustHarness.verdict(chain.presented, roots: [], policy: policy)
        #expect(!verdict.isAccepted)
        #expect(verdict.pinAudit?.entries.map(\.isMatched) == [false, true])
        #expect(verdict.warnings == [.tlsBackupPinOnly])
    }

    @Test func `pinned certificates are listed by hash, and keys do not count beside them`() async throws {
        let (chain, stranger) = (try TestAuthority.standard(), try Self.stranger.get())
        let policy = SecurityPolicy(
            pinningMode: .certificate,
            pinnedCertificates: try [stranger, chain.leaf, chain.root].map { try PinnedCertificate(der: $0.der) },
            pinnedPublicKeys: [Self.pin(chain.leaf)],
            backupPublicKeys: [Self.pin(chain.leaf)]
        )
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], policy: policy)
        #expect(verdict.isAccepted)
        let entries = try #require(verdict.pinAudit?.entries)
        #expect(entries.map(\.isMatched) == [false, true, true])
        let hashes = [stranger, chain.leaf, chain.root].map { CertificateDescription(der: $0.der).sha256 }
        #expect(entries.map(\.pin) == hashes)
        #expect(!entries.contains { $0.isBackup })
    }

    @Test func `a server without certificates matches nothing`() async throws {
        let chain = try TestAuthority.standard()
        let policy = SecurityPolicy(pinningMode: .publicKey, backupPublicKeys: [Self.pin(chain.leaf)])
        let verdict = await TrustHarness.verdict([], roots: [chain.root], policy: policy)
        #expect(verdict.code == .tlsMalformedCertificate)
        #expect(verdict.pinAudit?.entries == [entry(Self.pin(chain.leaf), false, backup: true)])
    }

    @Test func `an answer from memory has the audit too`() async throws {
        let chain = try TestAuthority.standard()
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [Self.pin(chain.leaf)])
        let evaluator = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: [chain.root.der]))
        for _ in 0..<2 {
            let verdict = await evaluator.evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: TestDate.present
            )
            #expect(verdict.pinAudit?.entries == [entry(Self.pin(chain.leaf), true)])
        }
        #expect(evaluator.memo.count == 1)
    }
}
