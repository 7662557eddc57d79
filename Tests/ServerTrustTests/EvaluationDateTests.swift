import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// Evaluation dates that no calendar has.
@Suite struct EvaluationDateTests {
    private static let outside: [(seconds: Double, code: FindingCode)] = [
        (.nan, .tlsExpired), (-.nan, .tlsExpired), (.signalingNaN, .tlsExpired), (.infinity, .tlsExpired),
        (.greatestFiniteMagnitude, .tlsExpired), (1e18, .tlsExpired), (-.infinity, .tlsNotYetValid),
        (-.greatestFiniteMagnitude, .tlsNotYetValid), (-1e18, .tlsNotYetValid),
    ]

    @Test(arguments: outside)
    func `no certificate is valid, and no verdict is cached`(_ seconds: Double, _ code: FindingCode) async throws {
        let chain = try TestAuthority.standard()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        for _ in 0..<2 {
            let verdict = await evaluator.evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: Date(timeIntervalSince1970: seconds)
            )
            #expect(!verdict.isAccepted)
            #expect(verdict.refusals == [code, code, code])
            let time = "it is \(verdict.date.timeIntervalSince1970) seconds after 1970"
            #expect(verdict.findings.allSatisfy { $0.evidence.contains(time) }, "\(verdict.findings)")
        }
        #expect(evaluator.memo.count == 0)
    }

    @Test(arguments: outside)
    func `no revocation list is current`(_ seconds: Double, _ code: FindingCode) async throws {
        let chain = try TestAuthority.standard()
        let list = try CertificateRevocationList(der: chain.intermediate.revocationList(RevocationListTemplate()))
        let verdict = await TrustHarness.verdict(
            chain.presented,
            roots: [chain.root],
            lists: [list],
            at: Date(timeIntervalSince1970: seconds)
        )
        #expect(Set(verdict.refusals) == [code, .tlsRevocationUnknown])
    }

    @Test func `a year that takes more than 31 bits is shown`() async throws {
        let chain = try TestAuthority.standard()
        let date = Date(timeIntervalSince1970: 6.7768e16)
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], at: date)
        #expect(verdict.refusals == [.tlsExpired, .tlsExpired, .tlsExpired])
        #expect(verdict.findings.allSatisfy { $0.evidence.contains("it is 2147484401-") }, "\(verdict.findings)")
    }

    @Test(arguments: [
        (TestDate.utc(2026), true), (TestDate.utc(2026).addingTimeInterval(-0.1), false),
        (TestDate.utc(2027).addingTimeInterval(0.9), true), (TestDate.utc(2027).addingTimeInterval(1), false),
    ])
    func `the first and the last second of the validity count`(_ date: Date, _ isAccepted: Bool) async throws {
        let chain = try TestAuthority.standard()
        let verdict = await TrustHarness.verdict(chain.presented, roots: [chain.root], at: date)
        #expect(verdict.isAccepted == isAccepted)
    }

    @Test(arguments: [
        (TimeEncoding.rawGeneralizedTime("16010101000000Z"), TimeEncoding.automatic, FindingCode?.none),
        (.rawGeneralizedTime("19491231235959Z"), .rawGeneralizedTime("20500101000000Z"), nil),
        (.rawGeneralizedTime("19500101000000Z"), .automatic, .tlsCertificateProfile),
        (.automatic, .rawGeneralizedTime("20491231235959Z"), .tlsCertificateProfile),
        (.rawUTCTime("500101000000Z"), .rawUTCTime("491231235959Z"), nil),
    ])
    func `a year that UTCTime has must be written with it (RFC 5280, section 4.1.2.5)`(
        _ notBefore: TimeEncoding,
        _ notAfter: TimeEncoding,
        _ code: FindingCode?
    ) async throws {
        let verdict = try await TrustHarness.verdict(leaf: {
            $0.notBeforeEncoding = notBefore
            $0.notAfterEncoding = notAfter
        })
        #expect(verdict.refusals == [code].compactMap(\.self), "\(verdict.findings)")
    }
}
