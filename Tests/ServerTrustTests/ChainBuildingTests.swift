import ProbeTestKit
import Testing

@testable import ServerTrust

/// The path that is found, and the findings when there is none.
@Suite struct ChainBuildingTests {
    @Test func `a whole chain is accepted without a finding and shown up to its root`() async throws {
        let chain = try TestAuthority.standard()
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root])
        #expect(verdict.isAccepted)
        #expect(verdict.findings.isEmpty)
        #expect(verdict.validatedChain.map(\.subject) == ["CN=host.test", "CN=Test Intermediate", "CN=Test Root"])
        #expect(verdict.presentedChain.count == 2)
    }

    @Test func `a missing intermediate is named by the issuer that was not sent`() async throws {
        let chain = try TestAuthority.standard()
        let verdict = await TrustHarness.verdict([chain.leaf.der], roots: [chain.root])
        #expect(verdict.refusals == [.tlsMissingIntermediate])
        #expect(verdict.findings.first?.evidence.contains("CN=Test Intermediate") == true)
        #expect(verdict.validatedChain.isEmpty)
    }

    @Test func `a chain to an untrusted root is rejected, sent or not`() async throws {
        let chain = try TestAuthority.standard()
        let other = try IssuedCertificate.selfSigned(.authority("Other"))
        let without = await TrustHarness.verdict(chain.presented, roots: [other])
        let with = await TrustHarness.verdict(chain.presented + [chain.root.der], roots: [other])
        #expect(without.refusals == [.tlsUntrustedRoot])
        #expect(with.refusals == [.tlsUntrustedRoot])
    }

    @Test func `a self-signed server is distinguished from an unknown root`() async throws {
        let server = try IssuedCertificate.selfSigned(.server())
        let verdict = await TrustHarness.verdict([server.der], roots: [])
        #expect(verdict.refusals == [.tlsSelfSigned])
    }

    @Test func `a server with the name of its authority is not self-signed`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority("host.test"))
        let server = try root.issue(.server())
        let other = try IssuedCertificate.selfSigned(.authority("Other"))
        #expect(await TrustHarness.verdict([server.der], roots: [root]).isAccepted)
        #expect(await TrustHarness.verdict([server.der], roots: [other]).refusals == [.tlsMissingIntermediate])
        #expect(await TrustHarness.verdict([server.der, root.der], roots: [other]).refusals == [.tlsUntrustedRoot])
    }

    @Test(arguments: [SignatureDefect.flippedBit, .truncated, .empty])
    func `a broken signature is distinguished from a missing issuer`(_ defect: SignatureDefect) async throws {
        let verdict = try await TrustHarness.verdict(leaf: { $0.signatureDefect = defect })
        #expect(verdict.refusals.first == .tlsSignatureInvalid)
    }

    @Test func `a root with the right name and another key signs nothing`() async throws {
        let chain = try TestAuthority.standard()
        let impostor = try IssuedCertificate.selfSigned(.authority("Test Root"))
        let verdict = await TrustHarness.verdict(chain.presented, roots: [impostor])
        #expect(verdict.refusals.first == .tlsSignatureInvalid)
    }

    @Test func `the order of the certificates and strangers among them do not matter`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let first = try root.issue(.intermediate("First"))
        let second = try first.issue(.intermediate("Second"))
        let leaf = try second.issue(.server())
        let stranger = try IssuedCertificate.selfSigned(.authority("Stranger"))
        let presented = [leaf.der, stranger.der, [0x30, 0x00], first.der, first.der, root.der, second.der]
        let verdict = await TrustHarness.verdict(presented, roots: [root])
        #expect(verdict.isAccepted)
        #expect(verdict.findings.map(\.severity) == [.note])
        #expect(verdict.validatedChain.count == 4)
    }

    @Test func `when the first path is bad, another one is taken`() async throws {
        let key = TestKey.p256()
        let good = try IssuedCertificate.selfSigned(.authority("Good Root"))
        let old = try IssuedCertificate.selfSigned(.authority("Old Root"))
        let expired = try old.issue(
            CertificateTemplate.intermediate("Crossed").with { $0.notAfter = TestDate.utc(2021) },
            key: key
        )
        let valid = try good.issue(.intermediate("Crossed"), key: key)
        let leaf = try valid.issue(.server())
        for presented in [[leaf.der, expired.der, valid.der], [leaf.der, valid.der, expired.der]] {
            let verdict = await TrustHarness.verdict(presented, roots: [old, good])
            #expect(verdict.isAccepted)
            #expect(verdict.validatedChain.last?.subject == "CN=Good Root")
        }
    }

    @Test func `authorities that sign each other in a circle end the search`() async throws {
        let one = TestKey.p256()
        let two = TestKey.p256()
        let first = try IssuedCertificate.selfSigned(.authority("A"), key: one)
        let second = try IssuedCertificate.selfSigned(.authority("B"), key: two)
        let crossed = [try second.issue(.authority("A"), key: one), try first.issue(.authority("B"), key: two)]
        let leaf = try first.issue(.server())
        let verdict = await TrustHarness.verdict([leaf.der] + crossed.map(\.der), roots: [])
        #expect(verdict.refusals == [.tlsUntrustedRoot])
    }

    @Test func `a graph built to exhaust the search is given up`() async throws {
        let keys = (0..<8).map { _ in TestKey.p256() }
        let holders = try keys.map { try IssuedCertificate.selfSigned(.authority("Same"), key: $0) }
        var graph: [[UInt8]] = []
        for (issuer, holder) in holders.enumerated() {
            for (subject, key) in keys.enumerated() where subject != issuer {
                let template = CertificateTemplate.authority("Same").with {
                    $0.replaceExtension(with: .subjectAlternativeName(dns: ["a\(issuer)-\(subject).test"]))
                }
                graph.append(try holder.issue(template, key: key).der)
            }
        }
        let leaf = try holders[0].issue(.server())
        let verdict = await TrustHarness.verdict([leaf.der] + graph, roots: [])
        #expect(verdict.refusals.first == .tlsPathBudget)
    }

    @Test(arguments: [(0, false), (1, true), (2, true)])
    func `the caller's limit counts the certificates between`(_ limit: Int, _ isAccepted: Bool) async throws {
        let chain = try TestAuthority.standard()
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], maximumPathLength: limit)
        #expect(verdict.isAccepted == isAccepted)
        #expect(isAccepted || verdict.code == .tlsPathLength)
    }

    @Test func `authorities that issued for themselves do not count for the caller's limit`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        let old = try root.issue(.intermediate("Same"))
        let renewed = try old.issue(.intermediate("Same"))
        let presented = [try renewed.issue(.server()).der, renewed.der, old.der]
        #expect(await TrustHarness.verdict(presented, roots: [root], maximumPathLength: 1).isAccepted)
        #expect(await TrustHarness.verdict(presented, roots: [root], maximumPathLength: 0).code == .tlsPathLength)
    }

    @Test func `a server that presents nothing, or invalid data, is rejected`() async throws {
        let root = try IssuedCertificate.selfSigned(.authority())
        for presented: [[UInt8]] in [[], [[]], [[0x30]], [Array(repeating: 0x30, count: 4000)], [[0xFF, 0x00]]] {
            let verdict = await TrustHarness.verdict(presented, roots: [root])
            #expect(verdict.refusals == [.tlsMalformedCertificate])
        }
    }

    @Test func `anchors that cannot be decoded do not disturb the others`() async throws {
        let chain = try TestAuthority.standard()
        let anchors = TrustAnchors(certificates: [[], [0x30, 0x00], chain.root.der, [0xDE, 0xAD]])
        let verdict = await TrustEvaluator(anchors: anchors).evaluate(
            presented: chain.presented,
            identity: .name("host.test"),
            at: TestDate.present
        )
        #expect(verdict.isAccepted)
    }
}
