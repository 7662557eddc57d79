import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// The verdicts that an evaluator remembers, and their lifetime.
@Suite struct TrustMemoTests {
    @Test func `an answer is remembered and no longer used once a certificate ends`() async throws {
        let chain = try TestAuthority.standard()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        func code(_ date: Date) async -> FindingCode? {
            await evaluator.evaluate(presented: chain.presented, identity: .name("host.test"), at: date).code
        }
        #expect(await code(TestDate.present) == nil)
        #expect(evaluator.memo.count == 1)
        let key = TrustMemo.Key(
            presented: chain.presented,
            identity: .name("host.test"),
            generation: evaluator.anchors.current().generation
        )
        #expect(evaluator.memo.verdict(for: key, at: TestDate.utc(2026, 11)) != nil)
        #expect(evaluator.memo.verdict(for: key, at: TestDate.utc(2027)) == nil)
        #expect(evaluator.memo.verdict(for: key, at: TestDate.utc(2025)) == nil)
        #expect(await code(TestDate.utc(2027).addingTimeInterval(1)) == .tlsExpired)
        #expect(await code(TestDate.utc(2025)) == .tlsNotYetValid)
        #expect(await code(TestDate.present) == nil)
    }

    @Test func `a root's end and a list's end are boundaries too`() async throws {
        let chain = try TestAuthority(
            root: CertificateTemplate.authority().with { $0.notAfter = TestDate.utc(2026, 8) }
        )
        let list = try CertificateRevocationList(der: chain.intermediate.revocationList(RevocationListTemplate()))
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]), revocationLists: [list])
        func refusals(_ date: Date) async -> [FindingCode] {
            await evaluator.evaluate(presented: chain.presented, identity: .name("host.test"), at: date).refusals
        }
        #expect(await refusals(TestDate.present) == [])
        #expect(await refusals(TestDate.utc(2026, 7, 2)) == [.tlsRevocationUnknown])
        #expect(await refusals(TestDate.utc(2026, 8, 2)) == [.tlsExpired, .tlsRevocationUnknown])
    }

    @Test(arguments: [
        (SecurityPolicy.PinningMode.none, TestDate.utc(2027, 2), TestDate.utc(2027, 3)),
        (.none, TestDate.utc(2024), TestDate.utc(2025)), (.publicKey, TestDate.utc(2027, 2), TestDate.utc(2027, 3)),
    ])
    func `the evidence of an expired or future certificate has the time of its own evaluation`(
        _ mode: SecurityPolicy.PinningMode,
        _ first: Date,
        _ second: Date
    ) async throws {
        let chain = try TestAuthority.standard()
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: [try PinnedCertificate(der: chain.leaf.der)],
            allowsInvalidCertificates: mode == .publicKey
        )
        let evaluator = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: [chain.root.der]))
        for date in [first, second] {
            let verdict = await evaluator.evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: date
            )
            #expect(verdict.isAccepted == (mode == .publicKey))
            let dated = verdict.findings.filter { [.tlsExpired, .tlsNotYetValid].contains($0.code) }
            #expect(!dated.isEmpty)
            #expect(dated.allSatisfy { $0.evidence.hasSuffix("it is \(date.utcText)") }, "\(verdict.findings)")
        }
    }

    @Test func `results of different names are kept apart`() async throws {
        let chain = try TestAuthority.standard()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        for (host, isAccepted) in [("host.test", true), ("other.test", false), ("host.test", true)] {
            let verdict = await evaluator.evaluate(
                presented: chain.presented,
                identity: .name(host),
                at: TestDate.present
            )
            #expect(verdict.isAccepted == isAccepted)
        }
        #expect(evaluator.memo.count == 2)
    }

    @Test func `the memory is bounded`() {
        let memo = TrustMemo()
        let verdict = TrustVerdict(
            isAccepted: true,
            findings: [],
            presentedChain: [],
            validatedChain: [],
            date: TestDate.present
        )
        for index in 0..<(TrustMemo.capacity * 3) {
            let key = TrustMemo.Key(presented: [], identity: .name("n\(index).test"), generation: 1)
            memo.remember(verdict, for: key, at: TestDate.present, boundaries: [])
        }
        #expect(memo.count == TrustMemo.capacity)
        let last = TrustMemo.Key(
            presented: [],
            identity: .name("n\(TrustMemo.capacity * 3 - 1).test"),
            generation: 1
        )
        #expect(memo.verdict(for: last, at: TestDate.present) == verdict)
    }
}
