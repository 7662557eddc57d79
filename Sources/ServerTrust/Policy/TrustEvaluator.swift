public import CheckResults
package import ForeignText
public import FoundationEssentials
internal import Nettle
internal import Synchronization

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
/// Pins only restrict: a policy without its pins accepts every server that it accepts with them, unless invalid
/// certificates are allowed. Pins are never compared with a certificate that is merely sent: anyone can send one.
public struct TrustEvaluator: Sendable {
    /// The security policy.
    public let policy: SecurityPolicy
    /// The trust anchors.
    public let anchors: TrustAnchors
    /// The revocation lists to consult; none by default.
    public let revocationLists: [CertificateRevocationList]
    /// The largest ``maximumPathLength`` that counts, and its default.
    public static let longestPath = 16

    /// The maximum number of certificates between the server's own and its anchor; nil, or more, for ``longestPath``.
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
    /// The work runs on the caller's actor without a suspension: an actor that must stay responsive calls this from a
    /// `@concurrent` function.
    ///
    /// - Parameters:
    ///   - presented: Any number of certificates; invalid ones are skipped with a finding.
    ///   - identity: The expected identity of the server; nil skips the name, as AFSecurityPolicy does for a nil
    ///     domain.
    ///   - date: The time at which the certificates must be valid; fractions of a second are ignored. A date that is
    ///     not a number is later than every other: all certificates have expired.
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
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // Date derives <= and > from <, so that a date that is not a number is within every validity.
        let date = Date(timeIntervalSince1970: seconds.isNaN ? .infinity : seconds)
        // Certificates have names without it, as the server name of TLS has.
        let identity = identity?.withoutTrailingDot
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

/// The cached verdicts of an evaluator, each with the time span in which it is valid.
///
/// A verdict depends on the date only through comparisons with the dates in certificates and revocation lists. Between
/// two neighbouring ones nothing changes, and a time equal to one of them is never answered from the cache. A verdict
/// whose evidence names the time, that of an expired certificate, is not cached.
final class TrustMemo: Sendable {
    /// The key of a verdict.
    struct Key: Hashable {
        /// The hash of the certificates, each with its length: a server may present 100 KB, and different ones each
        /// time.
        private let digest: [UInt8]
        private let identity: ServerIdentity?
        private let generation: UInt64
        /// The size of the certificates, in bytes.
        fileprivate let size: Int

        init(presented: [[UInt8]], identity: ServerIdentity?, generation: UInt64) {
            digest = SHA2.sha256.hash(each: presented)
            self.identity = identity
            self.generation = generation
            size = presented.reduce(0) { $0 + $1.count }
        }
    }

    private struct Entry {
        let verdict: TrustVerdict
        let after: Date
        let before: Date
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    static let capacity = 64
    /// The maximum size of the certificates of a cached verdict, in bytes: a verdict describes each of them.
    static let maximumSize = 1 << 14
    private let state = Mutex(State())

    /// Returns the cached verdict for `key` at `date`, if any.
    func verdict(for key: Key, at date: Date) -> TrustVerdict? {
        state.withLock { state in
            guard var entry = state.entries[key], entry.after < date, date < entry.before else { return nil }
            state.uses &+= 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            return entry.verdict
        }
    }

    /// The codes whose evidence names the time of the evaluation.
    private static let dated: Set<FindingCode> = [.tlsExpired, .tlsNotYetValid]

    /// Caches a verdict, and evicts the least recently used one if there are too many.
    ///
    /// - Parameter boundaries: All dates on which the verdict may depend.
    func remember(_ verdict: TrustVerdict, for key: Key, at date: Date, boundaries: [Date]) {
        guard key.size <= Self.maximumSize, !verdict.findings.contains(where: { Self.dated.contains($0.code) }) else {
            return
        }
        let after = boundaries.filter { $0 <= date }.max() ?? .distantPast
        let before = boundaries.filter { $0 >= date }.min() ?? .distantFuture
        guard after < date, date < before else { return }
        state.withLock { state in
            state.uses &+= 1
            state.entries[key] = Entry(verdict: verdict, after: after, before: before, lastUse: state.uses)
            guard state.entries.count > Self.capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            else { return }
            state.entries[oldest.key] = nil
        }
    }

    /// The number of cached verdicts.
    var count: Int { state.withLock { $0.entries.count } }
}
