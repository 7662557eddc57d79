import FoundationEssentials
import ProbeTestKit
import Testing

@testable import ServerTrust

/// Short ways to ask an evaluator.
enum TrustHarness {
    /// The verdict on what a server presents, on 1 June 2026; one that accepts is put to the X509 module.
    static func verdict(
        _ presented: [[UInt8]],
        roots: [IssuedCertificate],
        host: String? = "host.test",
        policy: SecurityPolicy = SecurityPolicy(),
        lists: [CertificateRevocationList] = [],
        maximumPathLength: Int? = nil,
        at date: Date = TestDate.present,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> TrustVerdict {
        let evaluator = TrustEvaluator(
            policy: policy,
            anchors: TrustAnchors(certificates: roots.map(\.der)),
            revocationLists: lists,
            maximumPathLength: maximumPathLength
        )
        let verdict = await evaluator.evaluate(presented: presented, identity: host.map { .name($0) }, at: date)
        await SecondOpinion.check(
            verdict,
            under: policy,
            among: presented + roots.map(\.der),
            at: date,
            sourceLocation: sourceLocation
        )
        return verdict
    }

    /// The verdict on a standard chain whose leaf is changed.
    static func verdict(
        leaf change: (inout CertificateTemplate) -> Void,
        key: TestKey = .p256(),
        host: String? = "host.test"
    ) async throws -> TrustVerdict {
        let chain = try TestAuthority.standard()
        let presented = try chain.presenting(CertificateTemplate.server().with(change), key: key)
        return await verdict(presented, roots: [chain.root], host: host)
    }

    /// The verdict on a standard chain whose intermediate is changed.
    static func verdict(intermediate change: (inout CertificateTemplate) -> Void) async throws -> TrustVerdict {
        let chain = try TestAuthority(intermediate: CertificateTemplate.intermediate().with(change))
        return await verdict(chain.presented, roots: [chain.root])
    }

    /// The verdict on a standard chain whose root is changed.
    static func verdict(root change: (inout CertificateTemplate) -> Void) async throws -> TrustVerdict {
        let chain = try TestAuthority(root: CertificateTemplate.authority().with(change))
        return await verdict(chain.presented, roots: [chain.root])
    }
}

extension TrustVerdict {
    /// The codes of what refuses, most important first.
    var refusals: [FindingCode] { findings.filter { $0.severity == .refusal }.map(\.code) }

    /// The codes of what warns.
    var warnings: [FindingCode] { findings.filter { $0.severity == .warning }.map(\.code) }
}
