internal import CheckResults
internal import ForeignText
internal import FoundationEssentials

/// Evaluates a whole path by RFC 5280, section 6.
struct PathRules {
    let certificateRules: CertificateRules
    let revocation: RevocationCheck
    /// The maximum number of certificates between the server's and the anchor.
    let maximumLength: Int

    /// The maximum number of comparisons of names with constraints, and of policies with those of other authorities, in
    /// one search: certificates can be made to take hours.
    static let comparisons = 250_000
    /// The maximum number of findings recorded for one certificate.
    private static let maximumFindings = 32

    /// The state that the paths of one search share: most of their certificates, and the remaining budget.
    struct Memory {
        fileprivate struct Key: Hashable {
            let certificate: ObjectIdentifier
            let position: CertificateRules.Position
        }

        fileprivate let budget: WorkBudget
        fileprivate var findings: [Key: [Finding]] = [:]
        fileprivate var comparisons = PathRules.comparisons
        fileprivate var lists: RevocationCheck.Memory

        init(budget: WorkBudget) {
            self.budget = budget
            lists = RevocationCheck.Memory(budget: budget)
        }
    }

    /// Returns whether a path with this certificate between its ends can be good.
    func isUsable(_ certificate: DecodedCertificate, _ memory: inout Memory) -> Bool {
        findings(certificate, .intermediate, &memory).allSatisfy { $0.severity != .refusal }
    }

    private func findings(
        _ certificate: DecodedCertificate,
        _ position: CertificateRules.Position,
        _ memory: inout Memory
    ) -> [Finding] {
        let key = Memory.Key(certificate: ObjectIdentifier(certificate), position: position)
        if let known = memory.findings[key] { return known }
        let found = Array(certificateRules.findings(certificate, position).prefix(Self.maximumFindings))
        memory.findings[key] = found
        return found
    }

    /// Returns all findings about the path.
    func findings(_ path: CertificatePath, _ memory: inout Memory) -> [Finding] {
        let size = path.certificates.reduce(0) { $0 + $1.der.count }
        var found = memory.budget.allows(size) ? validationFindings(path, &memory) : []
        // Also if the evaluation is given up: a policy may accept that, and no server that its lists do not cover.
        found += revocation.findings(path, at: certificateRules.date, &memory.lists)
        if memory.comparisons <= 0 || memory.budget.exceeded != nil {
            found.append(Self.givenUp(path, because: memory.budget))
        }
        var seen: Set<Finding> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// Returns the findings of all rules but those for revocation.
    private func validationFindings(_ path: CertificatePath, _ memory: inout Memory) -> [Finding] {
        var found: [Finding] = []
        for (index, certificate) in path.certificates.enumerated() {
            found += findings(certificate, path.position(at: index), &memory)
        }
        for (index, verdict) in path.signatures.enumerated() where verdict == .unsupported {
            guard index + 1 < path.certificates.count else { continue }
            let issuer = path.certificates[index + 1].label
            found.append(
                Finding(
                    .tlsUnsupportedAlgorithm,
                    subject: path.certificates[index].label,
                    evidence: "its signature by \(issuer) cannot be verified"
                )
            )
        }
        found += lengthFindings(path)
        found += nameFindings(path, &memory)
        return found + PolicyTree.findings(path, budget: &memory.comparisons)
    }

    private func lengthFindings(_ path: CertificatePath) -> [Finding] {
        var found: [Finding] = []
        // Self-issued authorities are not counted (RFC 5280, section 6.1.4, l).
        let between = path.certificates.dropFirst().dropLast(path.end.isTrusted ? 1 : 0).count { !$0.isSelfIssued }
        if between > maximumLength {
            found.append(
                Finding(
                    .tlsPathLength,
                    subject: path.certificates[0].label,
                    evidence: "\(between) certificates precede the anchor, and at most \(maximumLength) may"
                )
            )
        }
        var below = 0
        for certificate in path.certificates.dropFirst() {
            if let limit = certificate.extensions.basicConstraints?.pathLength, below > limit {
                found.append(
                    Finding(
                        .tlsPathLength,
                        subject: certificate.label,
                        evidence: "\(below) authorities are below it, and its path length constraint is \(limit)"
                    )
                )
            }
            if !certificate.isSelfIssued { below += 1 }
        }
        return found
    }

    /// Returns the finding for a path whose evaluation was aborted.
    private static func givenUp(_ path: CertificatePath, because budget: WorkBudget) -> Finding {
        let evidence =
            budget.exceeded.map { "the evaluation was given up: \($0)" }
            ?? "more than \(comparisons) names, constraints and policies would be compared"
        return Finding(.tlsPathBudget, subject: path.certificates.first?.label ?? "server", evidence: evidence)
    }

    private func nameFindings(_ path: CertificatePath, _ memory: inout Memory) -> [Finding] {
        var found: [Finding] = []
        for (index, authority) in path.certificates.enumerated().dropFirst() {
            guard let constraints = authority.extensions.nameConstraints else { continue }
            for (number, certificate) in path.certificates.prefix(index).enumerated() {
                // Names of self-issued authorities are exempt, so that an authority can change its key.
                if certificate.isSelfIssued, number > 0 { continue }
                for name in certificate.constrainedNames {
                    if let violation = constraints.violation(by: name, budget: &memory.comparisons) {
                        found.append(
                            Finding(
                                .tlsNameConstraints,
                                subject: certificate.label,
                                evidence: "\(violation) in the name constraints of \(authority.label)"
                            )
                        )
                        if found.count >= 16 { return found }
                    }
                    let steps = constraints.permitted.count + constraints.excluded.count
                    guard memory.comparisons > 0, memory.budget.allows(steps * 16) else { return found }
                }
            }
        }
        return found
    }
}

/// A candidate path: the server's certificate first, each signed by the next one.
struct CertificatePath {
    /// The end of a path.
    enum End {
        /// The path ends at one of the trusted roots.
        case root
        /// The path ends at a certificate that the policy pins.
        case pinned
        /// The path has no trusted end.
        case open

        /// `true` if the end of the path is trusted.
        var isTrusted: Bool { self != .open }
    }

    let certificates: [DecodedCertificate]
    /// The verdicts on the signature of each certificate by the next one.
    let signatures: [SignatureVerdict]
    let end: End

    /// `true` if each signature is valid.
    var isVerified: Bool { signatures.allSatisfy { $0 == .valid } }

    /// Returns the position of the certificate at `index`.
    func position(at index: Int) -> CertificateRules.Position {
        let isLast = index == certificates.count - 1
        switch end {
        case .root where isLast: return index == 0 ? .trustedServer(isPinned: false) : .anchor(isPinned: false)
        case .pinned where isLast: return index == 0 ? .trustedServer(isPinned: true) : .anchor(isPinned: true)
        case .root, .pinned, .open: return index == 0 ? .server : .intermediate
        }
    }
}
