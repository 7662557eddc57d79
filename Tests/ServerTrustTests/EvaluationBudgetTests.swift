import ForeignText
import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// Evaluations that are cut short: they say that they were, and nothing that they do not know.
@Suite struct EvaluationBudgetTests {
    private static let chain = Result { try TestAuthority.standard() }

    private static func policies() throws -> [SecurityPolicy] {
        let chain = try chain.get()
        let stranger = try IssuedCertificate.selfSigned(.authority("Stranger"))
        return try SecurityPolicy.PinningMode.allCases.flatMap { mode in
            try [chain.intermediate, stranger].flatMap { pinned in
                try [false, true].map { allowsInvalid in
                    SecurityPolicy(
                        pinningMode: mode,
                        pinnedCertificates: [try PinnedCertificate(der: pinned.der)],
                        allowsInvalidCertificates: allowsInvalid,
                        validatesDomainName: !(mode == .none && allowsInvalid)
                    )
                }
            }
        }
    }

    private static func code(of presented: [[UInt8]], by evaluator: TrustEvaluator, steps: Int) -> FindingCode? {
        evaluator.evaluate(
            presented: presented,
            identity: .name("host.test"),
            at: TestDate.present,
            within: WorkBudget(deadline: nil, steps: steps)
        ).code
    }

    @Test func `with too few steps an evaluation is given up, and never guessed`() throws {
        let chain = try Self.chain.get()
        let stranger = try IssuedCertificate.selfSigned(.authority("Other Root"))
        var seen: Set<FindingCode?> = []
        for roots in [[chain.root.der], [stranger.der]] {
            for policy in try Self.policies() {
                let evaluator = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: roots))
                // From small to large, so that no answer is remembered from before.
                var codes: [FindingCode?] = []
                for steps in [0, 1, 2000, 5000, 10_000, 50_000, 105_000, 120_000, 205_000, 220_000, 320_000, 420_000] {
                    codes.append(Self.code(of: chain.presented, by: evaluator, steps: steps))
                }
                seen.formUnion(codes)
                let whole = Self.code(of: chain.presented, by: evaluator, steps: 1 << 30)
                #expect(
                    codes.allSatisfy { $0 == .tlsPathBudget || $0 == whole },
                    "\(policy): \(codes), \(whole as Any)"
                )
            }
        }
        // The steps are too few for some, and enough for others.
        #expect(seen.isSuperset(of: [.tlsPathBudget, nil]))
    }

    @Test func `a certificate that is decoded in part is given up, and not called malformed`() throws {
        let chain = try Self.chain.get()
        let names = (0..<5000).map { "n\($0).test" } + ["host.test"]
        let presented = try chain.presenting(
            CertificateTemplate.server().with { $0.replaceExtension(with: .subjectAlternativeName(dns: names)) }
        )
        let whole = WorkBudget.unlimited()
        #expect(DecodedCertificate(der: presented[0], within: whole).isUsable)
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        for tenths in 1...9 {
            let steps = whole.spent * tenths / 10
            let part = WorkBudget(deadline: nil, steps: steps)
            let decoded = DecodedCertificate(der: presented[0], within: part)
            #expect(part.exceeded == .steps)
            #expect(decoded.extensions.subjectAlternativeNames.count < names.count, "\(steps) of \(whole.spent) steps")
            let verdict = evaluator.evaluate(
                presented: presented,
                identity: .name("host.test"),
                at: TestDate.present,
                within: WorkBudget(deadline: nil, steps: steps)
            )
            #expect(verdict.refusals == [.tlsPathBudget], "\(steps) of \(whole.spent) steps")
            #expect(verdict.findings.allSatisfy { $0.code != .tlsMalformedCertificate })
        }
    }

    @Test(arguments: [WorkBudget.Exceeded.cancelled, .deadline, .steps])
    func `an evaluation cut short says why, and is not cached`(_ reason: WorkBudget.Exceeded) throws {
        let chain = try Self.chain.get()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        func verdict(_ budget: WorkBudget) -> TrustVerdict {
            evaluator.evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: TestDate.present,
                within: budget
            )
        }
        let budget =
            switch reason {
            case .cancelled: WorkBudget.unlimited()
            case .deadline: WorkBudget(deadline: .now - .seconds(1), steps: .max)
            // Certificates have no values: only bodies end for them.
            case .steps, .values: WorkBudget(deadline: nil, steps: 100)
            }
        if reason == .cancelled { budget.cancel() }
        let given = verdict(budget)
        #expect(given.refusals == [.tlsPathBudget])
        #expect(given.findings.first?.evidence.contains(reason.description) == true, "\(given.findings)")
        #expect(evaluator.memo.count == 0)
        #expect(verdict(.unlimited()).isAccepted)
        #expect(evaluator.memo.count == 1)
    }

    @Test func `a list is charged for each authority that may have signed it`() throws {
        let size = 1 << 20
        let (short, long) = (try TrustCost.list(of: 1), try TrustCost.list(of: size))
        let (few, many) = (WorkBudget.unlimited(), WorkBudget.unlimited())
        #expect(try short.evaluate(within: few).refusals == [.tlsRevocationUnknown])
        #expect(try long.evaluate(within: many).refusals == [.tlsRevocationUnknown])
        #expect(many.spent - few.spent > 12 * size)
        // Enough for the search of the path, and for some of the lists.
        let verdict = try long.evaluate(within: WorkBudget(deadline: nil, steps: many.spent - 4 * size))
        #expect(verdict.refusals == [.tlsPathBudget, .tlsRevocationUnknown])
        #expect(verdict.findings.contains { $0.evidence.contains("was not verified") }, "\(verdict.findings)")
    }

    @Test func `a pinned server with a list is never accepted by an evaluation that is given up`() throws {
        let chain = try Self.chain.get()
        let entry = RevocationListTemplate.Entry(serialNumber: chain.leaf.serialNumber)
        let list = try chain.intermediate.revocationList(RevocationListTemplate(revoking: [entry]))
        let evaluator = TrustEvaluator(
            policy: SecurityPolicy(
                pinningMode: .publicKey,
                pinnedCertificates: [try PinnedCertificate(der: chain.leaf.der)],
                allowsInvalidCertificates: true
            ),
            anchors: TrustAnchors(certificates: []),
            revocationLists: [try CertificateRevocationList(der: list)]
        )
        let codes = stride(from: 0, through: 500_000, by: 5000).map { steps in
            Self.code(of: chain.presented, by: evaluator, steps: steps)
        }
        #expect(Set(codes) == [.tlsPathBudget, .tlsRevocationUnknown, .tlsRevoked], "\(codes)")
    }

    @Test func `a cancelled task ends its evaluation`() async throws {
        let chain = try Self.chain.get()
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        let task = Task {
            // The task is cancelled before it begins to evaluate.
            while !Task.isCancelled { await Task.yield() }
            return await evaluator.evaluate(
                presented: chain.presented,
                identity: .name("host.test"),
                at: TestDate.present
            )
        }
        task.cancel()
        #expect(await task.value.code == .tlsPathBudget)
    }

    @Test func `certificates over the limit are left out, and no missing intermediate is guessed`() async throws {
        let chain = try Self.chain.get()
        let bulk = try (0..<5).map { number in
            try IssuedCertificate.selfSigned(
                .authority("Bulk \(number)").with { $0.subject = .common(String(repeating: "x", count: 120_000)) }
            ).der
        }
        let late = await TrustHarness.verdict([chain.leaf.der] + bulk + [chain.intermediate.der], roots: [chain.root])
        #expect(late.code == .tlsPathBudget)
        #expect(!late.refusals.contains(.tlsMissingIntermediate))
        let early = await TrustHarness.verdict(chain.presented + bulk, roots: [chain.root])
        #expect(early.isAccepted)
        let large = try IssuedCertificate.selfSigned(
            .server().with { $0.subject = .common(String(repeating: "x", count: DecodedCertificate.maximumSize)) }
        )
        #expect(await TrustHarness.verdict([large.der], roots: [large]).code == .tlsMalformedCertificate)
    }

    @Test func `a chain of many bytes is not remembered`() async throws {
        let chain = try Self.chain.get()
        let long = try chain.presenting(
            CertificateTemplate.server().with {
                $0.subject = .common(String(repeating: "x", count: TrustMemo.maximumSize))
            }
        )
        let evaluator = TrustEvaluator(anchors: TrustAnchors(certificates: [chain.root.der]))
        _ = await evaluator.evaluate(presented: long, identity: .name("host.test"), at: TestDate.present)
        #expect(evaluator.memo.count == 0)
    }
}
