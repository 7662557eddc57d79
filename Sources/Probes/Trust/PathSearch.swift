/// Builds paths from a server's certificate to anchors, depth first, and stops at the first that is good.
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
    static let maximumPartialPaths = 512
    static let maximumSignatures = 256
    static let maximumCandidates = 64

    private let anchors: AnchorSet
    private let areAnchorsPinned: Bool
    private let presented: [DecodedCertificate]
    private let maximumLength: Int
    private var signatures: [Edge: SignatureVerdict] = [:]
    private var outcome = Outcome()
    private var remainingPartialPaths = maximumPartialPaths
    private var remainingCandidates = maximumCandidates

    private struct Edge: Hashable {
        let child: ObjectIdentifier
        let parent: ObjectIdentifier
    }

    private struct Partial {
        var certificates: [DecodedCertificate]
        var signatures: [SignatureVerdict]
    }

    /// - Parameter presented: The certificates that the server sent after its own.
    init(anchors: AnchorSet, areAnchorsPinned: Bool, presented: [DecodedCertificate], maximumLength: Int) {
        self.anchors = anchors
        self.areAnchorsPinned = areAnchorsPinned
        self.presented = presented
        self.maximumLength = maximumLength
    }

    /// Searches for a path that `judge` has no refusal for and `isWanted` accepts.
    mutating func run(
        from leaf: DecodedCertificate,
        judge: (CertificatePath) -> [Finding],
        isWanted: (CertificatePath) -> Bool
    ) -> Outcome {
        outcome.dead = CertificatePath(certificates: [leaf], signatures: [], end: .open)
        if anchors.contains(leaf) {
            let path = CertificatePath(certificates: [leaf], signatures: [], end: anchorEnd)
            consider(path, judge, isWanted)
        }
        var stack = [Partial(certificates: [leaf], signatures: [])]
        while !outcome.isSatisfied, !outcome.isBudgetSpent, let partial = stack.popLast() {
            guard remainingPartialPaths > 0 else {
                outcome.isBudgetSpent = true
                break
            }
            remainingPartialPaths -= 1
            extend(partial, &stack, judge, isWanted)
        }
        return outcome
    }

    private var anchorEnd: CertificatePath.End {
        areAnchorsPinned ? .pinned : anchors.isVetted ? .systemRoot : .root
    }

    private mutating func extend(
        _ partial: Partial,
        _ stack: inout [Partial],
        _ judge: (CertificatePath) -> [Finding],
        _ isWanted: (CertificatePath) -> Bool
    ) {
        guard let tip = partial.certificates.last else { return }
        for anchor in sorted(anchors.issuers(of: tip), for: tip) {
            outcome.visited.append(anchor)
            guard let next = appending(anchor, to: partial) else { continue }
            consider(
                CertificatePath(certificates: next.certificates, signatures: next.signatures, end: anchorEnd),
                judge,
                isWanted
            )
            if outcome.isSatisfied || outcome.isBudgetSpent { return }
        }
        // One more than allowed is followed, so that the finding is the length and not a missing root.
        guard partial.certificates.count <= maximumLength + 1 else { return }
        let issuers = presented.filter { $0.subject.encoded == tip.issuer.encoded && $0.publicKey != nil }
        for issuer in sorted(issuers, for: tip).reversed() {
            if let next = appending(issuer, to: partial) { stack.append(next) }
            if outcome.isBudgetSpent { return }
        }
    }

    /// Signatures that are weak or not supported are followed too: the path is refused for them, and that says more
    /// than that there is none.
    private mutating func appending(_ issuer: DecodedCertificate, to partial: Partial) -> Partial? {
        guard let tip = partial.certificates.last, !contains(partial, issuer) else { return nil }
        let edge = Edge(child: ObjectIdentifier(tip), parent: ObjectIdentifier(issuer))
        let verdict: SignatureVerdict
        if let known = signatures[edge] {
            verdict = known
        } else {
            guard signatures.count < Self.maximumSignatures else {
                outcome.isBudgetSpent = true
                return nil
            }
            verdict = issuer.verifiesSignature(of: tip)
            signatures[edge] = verdict
        }
        guard verdict != .invalid else {
            if outcome.dead?.certificates.last === tip { outcome.impostor = issuer }
            return nil
        }
        let next = Partial(
            certificates: partial.certificates + [issuer],
            signatures: partial.signatures + [verdict]
        )
        if next.certificates.count > outcome.dead?.certificates.count ?? 0 {
            outcome.dead = CertificatePath(certificates: next.certificates, signatures: next.signatures, end: .open)
            outcome.impostor = nil
        }
        return next
    }

    /// RFC 4158, section 5.2: the same name, key and alternative names twice can only make a path longer.
    private func contains(_ partial: Partial, _ certificate: DecodedCertificate) -> Bool {
        partial.certificates.contains { other in
            other === certificate
                || other.subject.encoded == certificate.subject.encoded
                    && other.publicKey?.encoded == certificate.publicKey?.encoded
                    && other.extensions.subjectAlternativeNames == certificate.extensions.subjectAlternativeNames
        }
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
        guard remainingCandidates > 0 else {
            outcome.isBudgetSpent = true
            return
        }
        remainingCandidates -= 1
        let findings = judge(path)
        let refusals = findings.count { $0.severity == .refusal }
        let best = outcome.path == nil ? Int.max : outcome.findings.count { $0.severity == .refusal }
        let isGood = refusals == 0 && isWanted(path)
        guard isGood || refusals < best else { return }
        outcome.path = path
        outcome.findings = findings
        outcome.isSatisfied = isGood
        if findings.contains(where: { $0.code == .tlsPathBudget }) { outcome.isBudgetSpent = true }
    }
}
