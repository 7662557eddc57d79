public import CheckResults
package import ForeignText

public import struct FoundationEssentials.Date

/// Evaluates a server's certificates under a security policy.
///
/// The same code serves the TLS handshake of a check and `reachagent trust evaluate`. An evaluator is immutable and may
/// be shared by any number of checks; it caches its last verdicts, so that a check every minute does not cost
/// signatures every minute.
///
/// The rules are AFSecurityPolicy's, branch by branch:
///
/// - No pinning: the chain must lead to an anchor, be valid, and match the name. With invalid certificates allowed,
///   nothing is checked; a name must not be requested then.
/// - Public key: as above, and one certificate of the validated path must have a pinned key. With invalid certificates
///   allowed, the key decides: of the server's certificate, or of an authority that really signed the chain below it.
///   The name still counts, unless ``SecurityPolicy/isAFNetworkingCompatible`` leaves AFNetworking's gap open.
/// - Certificate: as for no pinning, and a path must lead to a pinned certificate. With invalid certificates allowed
///   the pinned certificates alone are the anchors; validity, purpose and name still count.
///
/// Pins only restrict: any server that a policy with pins accepts, the same policy without them accepts too, except
/// where invalid certificates are allowed. Pins are never compared with a certificate that is merely sent: anybody can
/// send one.
public struct TrustEvaluator: Sendable {
    /// The security policy.
    public let policy: SecurityPolicy
    /// The trust anchors.
    public let anchors: TrustAnchors
    /// The revocation lists to consult; none by default.
    public let revocationLists: [CertificateRevocationList]
    /// The default maximum number of certificates between a server's own and its anchor.
    public static let longestPath = 16

    /// The maximum number of certificates between the server's own and its anchor; nil for ``longestPath``.
    ///
    /// Self-issued certificates of authorities are not counted (RFC 5280, section 6.1.4).
    public let maximumPathLength: Int?

    private let pinnedAnchors: AnchorSet
    let memo = TrustMemo()

    /// Creates an evaluator.
    public init(
        policy: SecurityPolicy = SecurityPolicy(),
        anchors: TrustAnchors,
        revocationLists: [CertificateRevocationList] = [],
        maximumPathLength: Int? = nil
    ) {
        self.policy = policy
        self.anchors = anchors
        self.revocationLists = revocationLists
        self.maximumPathLength = maximumPathLength
        pinnedAnchors = AnchorSet(policy.pinningMode == .certificate ? policy.pinnedCertificates.map(\.der) : [])
    }

    /// Evaluates a server's certificates in DER, as presented, its own first.
    ///
    /// - Parameters:
    ///   - presented: Any number of certificates; invalid ones are skipped with a finding.
    ///   - identity: The expected identity of the server; nil skips the name, as AFSecurityPolicy does for a nil
    ///     domain.
    ///   - date: The time at which the certificates must be valid; fractions of a second are ignored.
    /// - Returns: The verdict. The work is bounded, and ends early when the task is cancelled: a certificate that needs
    ///   more is refused with `tls_path_budget`.
    public func evaluate(presented: [[UInt8]], identity: ServerIdentity?, at date: Date) async -> TrustVerdict {
        let budget = WorkBudget.unlimited()
        return await withTaskCancellationHandler {
            evaluate(presented: presented, identity: identity, at: date, within: budget)
        } onCancel: {
            budget.cancel()
        }
    }

    /// Evaluates a server's certificates on the calling thread, within a budget.
    package func evaluate(
        presented: [[UInt8]],
        identity: ServerIdentity?,
        at date: Date,
        within budget: WorkBudget
    ) -> TrustVerdict {
        // Certificates count in whole seconds, and the last one is inclusive (RFC 5280, section 4.1.2.5).
        let date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let anchorSet = anchors.current()
        let key = TrustMemo.Key(presented: presented, identity: identity, generation: anchorSet.generation)
        if var verdict = memo.verdict(for: key, at: date) {
            verdict.date = date
            return verdict
        }
        var evaluation = TrustEvaluation(
            policy: policy,
            anchors: anchorSet,
            pinnedAnchors: pinnedAnchors,
            revocationLists: revocationLists,
            maximumPathLength: max(0, min(maximumPathLength ?? Self.longestPath, Self.longestPath)),
            presented: presented,
            identity: identity,
            date: date,
            budget: budget
        )
        let verdict = evaluation.verdict()
        // A verdict that was cut short must not be cached.
        if budget.exceeded == nil { memo.remember(verdict, for: key, at: date, boundaries: evaluation.boundaries) }
        return verdict
    }
}
