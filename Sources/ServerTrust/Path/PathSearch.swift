internal import CheckResults
internal import ForeignText

/// Builds paths from a server's certificate to anchors, the shortest first, up to the first good one.
///
/// The search of the X509 module is unbounded, and verifies the same signature once for each partial path; certificates
/// that sign each other in a loop would keep it busy for hours (RFC 4158). This search has a budget.
struct PathSearch {
    /// The result of the search.
    struct Outcome {
        /// The good path, or else the one with the fewest refusals.
        var path: CertificatePath?
        /// The findings about the path.
        var findings: [Finding] = []
        /// `true` if the path has no refusal and satisfies the caller.
        var isSatisfied = false
        /// The longest chain of verified signatures without a trusted end, for the diagnosis.
        var dead: CertificatePath?
        /// A certificate with the name of the issuer of the end of `dead`, whose signature does not verify.
        var impostor: DecodedCertificate?
        var isBudgetSpent = false
        /// All certificates involved, which determine when the verdict can change.
        var visited: [DecodedCertificate] = []
    }

    static let maximumPresented = 64
    static let maximumPartialPaths = 1024
    static let maximumCandidates = 64
    /// The maximum number of certificates in a path, including those that do not count for the caller's limit.
    static let maximumDepth = 34

    private let anchors: AnchorSet
    private let areAnchorsPinned: Bool
    private let presented: [DecodedCertificate]
    private let maximumLength: Int
    private let signatures: SignatureChecks
    private var issuers: [ObjectIdentifier: Issuers] = [:]
    private var outcome = Outcome()
    private var remainingPartialPaths = maximumPartialPaths
    private var remainingCandidates = maximumCandidates

    /// The candidates for the issuer of a certificate by name, the most likely first.
    private struct Issuers {
        let anchors: [DecodedCertificate]
        let presented: [DecodedCertificate]
    }

    private struct Partial {
        var certificates: [DecodedCertificate]
        var signatures: [SignatureVerdict]
        /// `true` if the path contains a certificate that no good path can contain.
        var isDoubtful = false

        /// The number of authorities that are not self-issued.
        var length: Int { certificates.dropFirst().count { !$0.isSelfIssued } }
    }

    /// - Parameters:
    ///   - presented: The certificates that the server sent after its own.
    ///   - signatures: The verified signatures of the evaluation, and its budget.
    init(
        anchors: AnchorSet,
        areAnchorsPinned: Bool,
        presented: [DecodedCertificate],
        maximumLength: Int,
        signatures: SignatureChecks
    ) {
        self.anchors = anchors
        self.areAnchorsPinned = areAnchorsPinned
        self.presented = presented
        self.maximumLength = maximumLength
        self.signatures = signatures
    }

    /// Searches for a path without refusals by `judge` that `isWanted` accepts.
    ///
    /// Certificates between the ends that `isUsable` rejects are followed last: many expired certificates must not use
    /// up the budget for a good path, but a path through them still explains a refusal.
    mutating func run(
        from leaf: DecodedCertificate,
        isUsable: (DecodedCertificate) -> Bool,
        judge: (CertificatePath) -> [Finding],
        isWanted: (CertificatePath) -> Bool
    ) -> Outcome {
        outcome.dead = CertificatePath(certificates: [leaf], signatures: [], end: .open)
        if anchors.contains(leaf) {
            let path = CertificatePath(certificates: [leaf], signatures: [], end: anchorEnd)
            consider(path, judge, isWanted)
        }
        var hopeful = [Partial(certificates: [leaf], signatures: [])][...]
        var doubtful: ArraySlice<Partial> = []
        while !outcome.isSatisfied, !outcome.isBudgetSpent, let partial = hopeful.popFirst() ?? doubtful.popFirst() {
            for next in extended(partial, isUsable, judge, isWanted) {
                if next.isDoubtful { doubtful.append(next) } else { hopeful.append(next) }
            }
        }
        if remainingPartialPaths == 0 || signatures.budget.isOver, !outcome.isSatisfied { outcome.isBudgetSpent = true }
        return outcome
    }

    private var anchorEnd: CertificatePath.End {
        areAnchorsPinned ? .pinned : .root
    }

    /// Evaluates the paths from `partial` to anchors, and returns those with one more authority, within the budget.
    private mutating func extended(
        _ partial: Partial,
        _ isUsable: (DecodedCertificate) -> Bool,
        _ judge: (CertificatePath) -> [Finding],
        _ isWanted: (CertificatePath) -> Bool
    ) -> [Partial] {
        guard let tip = partial.certificates.last else { return [] }
        let issuers = issuers(of: tip)
        for anchor in issuers.anchors {
            outcome.visited.append(anchor)
            guard let next = appending(anchor, to: partial) else { continue }
            consider(
                CertificatePath(certificates: next.certificates, signatures: next.signatures, end: anchorEnd),
                judge,
                isWanted
            )
            if outcome.isSatisfied || outcome.isBudgetSpent { return [] }
        }
        // One more than allowed is followed, so that the finding is the length and not a missing root.
        guard partial.length <= maximumLength, partial.certificates.count < Self.maximumDepth else { return [] }
        var found: [Partial] = []
        for issuer in issuers.presented where remainingPartialPaths > 0 {
            if var next = appending(issuer, to: partial) {
                next.isDoubtful = next.isDoubtful || !isUsable(issuer)
                found.append(next)
                remainingPartialPaths -= 1
            }
            if outcome.isBudgetSpent { return [] }
        }
        return found
    }

    /// Appends an issuer, even if its signature is weak or unsupported: refusing the path is more precise than finding
    /// none.
    private mutating func appending(_ issuer: DecodedCertificate, to partial: Partial) -> Partial? {
        guard let tip = partial.certificates.last, !contains(partial, issuer) else { return nil }
        guard let verdict = signatures.verdict(on: tip, by: issuer) else {
            outcome.isBudgetSpent = true
            return nil
        }
        guard verdict != .invalid else {
            if outcome.dead?.certificates.last === tip { outcome.impostor = issuer }
            return nil
        }
        let next = Partial(
            certificates: partial.certificates + [issuer],
            signatures: partial.signatures + [verdict],
            isDoubtful: partial.isDoubtful || verdict != .valid
        )
        if next.certificates.count > outcome.dead?.certificates.count ?? 0 {
            outcome.dead = CertificatePath(certificates: next.certificates, signatures: next.signatures, end: .open)
            outcome.impostor = nil
        }
        return next
    }

    /// Returns whether the path already contains this authority.
    ///
    /// The same name and key twice can only make a path longer (RFC 4158, section 5.2): both certificates verify the
    /// same signatures. The server's own certificate is not an authority, and counts only as itself.
    private func contains(_ partial: Partial, _ certificate: DecodedCertificate) -> Bool {
        partial.certificates.first?.der == certificate.der
            || partial.certificates.dropFirst().contains { other in
                other.publicKeyPin == certificate.publicKeyPin && other.subject.matches(certificate.subject)
            }
    }

    /// Returns the possible issuers, looked up once per certificate: names may be long, and a certificate may end a
    /// thousand partial paths.
    private mutating func issuers(of tip: DecodedCertificate) -> Issuers {
        if let known = issuers[ObjectIdentifier(tip)] { return known }
        let named = presented.filter { $0.publicKey != nil && $0.subject.matches(tip.issuer) }
        let found = Issuers(
            anchors: sorted(anchors.issuers(of: tip), for: tip),
            presented: sorted(named, for: tip)
        )
        issuers[ObjectIdentifier(tip)] = found
        return found
    }

    private func sorted(_ issuers: [DecodedCertificate], for tip: DecodedCertificate) -> [DecodedCertificate] {
        guard issuers.count > 1, let wanted = tip.extensions.authorityKeyIdentifier?.keyIdentifier else {
            return issuers
        }
        let matching = issuers.filter { $0.extensions.subjectKeyIdentifier == wanted }
        return matching + issuers.filter { $0.extensions.subjectKeyIdentifier != wanted }
    }

    private mutating func consider(
        _ path: CertificatePath,
        _ judge: (CertificatePath) -> [Finding],
        _ isWanted: (CertificatePath) -> Bool
    ) {
        guard remainingCandidates > 0, signatures.budget.allows() else {
            outcome.isBudgetSpent = true
            return
        }
        remainingCandidates -= 1
        let findings = judge(path)
        if findings.contains(where: { $0.code == .tlsPathBudget }) { outcome.isBudgetSpent = true }
        let refusals = findings.count { $0.severity == .refusal }
        let best = outcome.path == nil ? Int.max : outcome.findings.count { $0.severity == .refusal }
        let isGood = refusals == 0 && isWanted(path)
        guard isGood || refusals < best else { return }
        outcome.path = path
        outcome.findings = findings
        outcome.isSatisfied = isGood
    }
}

/// The signatures that one evaluation verifies: each once, a limited number, and none after the evaluation.
///
/// A signature is the same for all certificates of one key: authorities of one name and key that sign each other in a
/// loop cost one verification for each certificate, and not one for each pair.
final class SignatureChecks {
    private struct Edge: Hashable {
        let child: ObjectIdentifier
        let key: PublicKeyPin?
    }

    static let maximum = 256
    /// The cost of a verification besides its message: a few hundred microseconds.
    static let steps = 100_000

    let budget: WorkBudget
    private var verdicts: [Edge: SignatureVerdict] = [:]

    init(budget: WorkBudget) { self.budget = budget }

    /// Verifies that the holder of the issuer's key signed `child`; nil when the budget is exceeded.
    func verdict(on child: DecodedCertificate, by issuer: DecodedCertificate) -> SignatureVerdict? {
        let edge = Edge(child: ObjectIdentifier(child), key: issuer.publicKeyPin)
        if let known = verdicts[edge] { return known }
        guard verdicts.count < Self.maximum, budget.allows(Self.steps + child.signedBytes.count) else { return nil }
        let verdict = issuer.verifiesSignature(of: child)
        verdicts[edge] = verdict
        return verdict
    }
}
