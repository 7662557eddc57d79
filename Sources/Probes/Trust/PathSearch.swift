/// Builds paths from a server's certificate to anchors, the shortest first, and stops at the first that is good.
///
/// The search of the X509 module has no bound, and verifies the same signature once for each partial path; certificates
/// that sign each other in a circle would keep it busy for hours (RFC 4158). This one counts.
struct PathSearch {
    /// What the search came to.
    struct Outcome {
        /// The good path, or else the one with the fewest refusals.
        var path: CertificatePath?
        /// What was found in it.
        var findings: [Finding] = []
        /// Whether the path has no refusal and satisfies the caller.
        var isSatisfied = false
        /// The longest chain of verified signatures that ends nowhere, for the diagnosis.
        var dead: CertificatePath?
        /// Who could have issued the end of `dead` by name, and whose signature does not verify.
        var impostor: DecodedCertificate?
        var isBudgetSpent = false
        /// All that was looked at, for knowing when the answer can change.
        var visited: [DecodedCertificate] = []
    }

    static let maximumPresented = 64
    static let maximumPartialPaths = 1024
    static let maximumCandidates = 64
    /// Certificates in a path, with those that do not count for the caller's limit.
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

    /// The certificates that may have issued one by their names, the likeliest first.
    private struct Issuers {
        let anchors: [DecodedCertificate]
        let presented: [DecodedCertificate]
    }

    private struct Partial {
        var certificates: [DecodedCertificate]
        var signatures: [SignatureVerdict]
        /// Whether it contains what no good path can contain.
        var isDoubtful = false

        /// How many authorities it has that did not issue for themselves.
        var length: Int { certificates.dropFirst().count { !$0.isSelfIssued } }
    }

    /// - Parameters:
    ///   - presented: The certificates that the server sent after its own.
    ///   - signatures: Those that the evaluation has verified already, and its budget.
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

    /// Searches for a path that `judge` has no refusal for and `isWanted` accepts.
    ///
    /// What `isUsable` refuses between the ends is only followed when all else has been: many expired certificates do not
    /// use up what the search of a good path needs, and a path through them still explains a refusal.
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

    /// Considers the paths from `partial` to anchors, and gives those with one authority more, as far as the budget goes.
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

    /// Signatures that are weak or not supported are followed too: the path is refused for them, and that says more
    /// than that there is none.
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

    /// Whether the path has been at this authority.
    ///
    /// The same name and key twice can only make a path longer (RFC 4158, section 5.2): the second certificate verifies
    /// whatever the first one does. The server's own certificate is no authority's, and only counts as itself.
    private func contains(_ partial: Partial, _ certificate: DecodedCertificate) -> Bool {
        partial.certificates.first?.der == certificate.der
            || partial.certificates.dropFirst().contains { other in
                other.publicKeyPin == certificate.publicKeyPin && other.subject.encoded == certificate.subject.encoded
            }
    }

    /// Looked up once for each certificate: names may be long, and a certificate may end a thousand partial paths.
    private mutating func issuers(of tip: DecodedCertificate) -> Issuers {
        if let known = issuers[ObjectIdentifier(tip)] { return known }
        let named = presented.filter { $0.subject.encoded == tip.issuer.encoded && $0.publicKey != nil }
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
