public import struct FoundationEssentials.Date

/// Evaluates the certificates that a server presents under a security policy.
///
/// The same code serves the TLS handshake of a check and `reachagent trust evaluate`. An evaluator is immutable and may
/// be shared by any number of checks.
public struct TrustEvaluator: Sendable {
    /// The policy that decides.
    public let policy: SecurityPolicy
    /// Where a chain must end.
    public let anchors: TrustAnchors
    /// The revocation lists to consult; none unless given.
    public let revocationLists: [CertificateRevocationList]
    /// How many certificates may stand between the server's own and its anchor; nil for the built-in limit.
    public let maximumPathLength: Int?

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
    }

    /// Evaluates a server's certificates in DER, its own first, as they came.
    ///
    /// - Parameters:
    ///   - presented: Up to any number of certificates; what cannot be decoded is skipped with a finding.
    ///   - identity: Who the server must be; nil leaves the name out, as AFSecurityPolicy does for a nil domain.
    ///   - date: The moment for which validity is judged.
    public func evaluate(presented: [[UInt8]], identity: ServerIdentity?, at date: Date) async -> TrustVerdict {
        TrustVerdict(isAccepted: false, findings: [], presentedChain: [], validatedChain: [])
    }
}
