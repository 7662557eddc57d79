internal import CheckResults
internal import ForeignText

/// The result for a chain.
struct ChainResult {
    var findings: [Finding]
    /// `true` if a good path may exist that was not found.
    var isGivenUp = false
    /// The path whose signatures were all verified up to an anchor; nil when there is none.
    var validatedPath: CertificatePath?
    /// `true` if the path also satisfies the pins.
    var isWanted = false
    /// The certificates to compare pins with.
    var pinnable: [DecodedCertificate] = []
}

extension TrustEvaluation {
    /// Searches for a path to `set` and evaluates it; without one, diagnoses the reason and other faults.
    mutating func chain(
        from leaf: DecodedCertificate,
        to set: AnchorSet,
        arePinned: Bool,
        isWanted: (CertificatePath) -> Bool = { _ in true }
    ) -> ChainResult {
        var search = PathSearch(
            anchors: set,
            areAnchorsPinned: arePinned,
            presented: helpers,
            maximumLength: maximumPathLength,
            signatures: signatures
        )
        let rules = pathRules
        var memory = PathRules.Memory(budget: budget)
        var outcome = search.run(
            from: leaf,
            isUsable: { rules.isUsable($0, &memory) },
            judge: { rules.findings($0, &memory) },
            isWanted: isWanted
        )
        note(datesOf: outcome.visited)
        // The omitted certificates may lead to an anchor.
        if hasLeftOut { outcome.isBudgetSpent = true }
        var result = ChainResult(findings: outcome.findings, isGivenUp: outcome.isBudgetSpent && !outcome.isSatisfied)
        if result.isGivenUp, !outcome.findings.contains(where: { $0.code == .tlsPathBudget }) {
            result.findings.append(givenUp(leaf))
        }
        guard let path = outcome.path else {
            let dead = outcome.dead ?? CertificatePath(certificates: [leaf], signatures: [], end: .open)
            if !outcome.isBudgetSpent { result.findings.append(Self.diagnosis(dead, impostor: outcome.impostor)) }
            result.findings += rules.findings(dead, &memory)
            return result
        }
        if path.isVerified {
            result.validatedPath = path
            result.isWanted = isWanted(path)
        } else if !result.findings.contains(where: { $0.severity == .refusal }) {
            // Impossible while weak and unsupported signatures are refused; it must never become an acceptance.
            result.findings.append(
                Finding(.tlsSignatureInvalid, subject: leaf.label, evidence: "a signature of the path was not verified")
            )
        }
        return result
    }

    /// Turns faults of the chain into warnings if invalid certificates are allowed; a revocation stays a refusal, and
    /// so does an unknown one, because configured lists are mandatory.
    func tolerant(_ result: ChainResult) -> ChainResult {
        guard policy.allowsInvalidCertificates else { return result }
        let kept: [FindingCode] = [.tlsPinMismatch, .tlsNoPins, .tlsRevoked, .tlsRevocationUnknown]
        var result = result
        result.findings = result.findings.map { finding in
            finding.severity == .refusal && !kept.contains(finding.code) ? finding.with(.warning) : finding
        }
        return result
    }

    /// Returns the finding for an incomplete search of paths to an anchor.
    func givenUp(_ leaf: DecodedCertificate) -> Finding {
        let limits =
            " after \(PathSearch.maximumPartialPaths) partial paths, \(SignatureChecks.maximum) signatures, "
            + "\(PathSearch.maximumCandidates) whole paths or \(PathSearch.maximumPresented) certificates"
        let reason = budget.exceeded.map { ": \($0)" } ?? limits
        return Finding(.tlsPathBudget, subject: leaf.label, evidence: "the evaluation was given up\(reason)")
    }

    /// Returns the reason a chain of verified signatures leads to no anchor.
    private static func diagnosis(_ dead: CertificatePath, impostor: DecodedCertificate?) -> Finding {
        let end = dead.certificates[dead.certificates.count - 1]
        let isAlone = dead.certificates.count == 1
        if let impostor {
            return Finding(
                .tlsSignatureInvalid,
                subject: end.label,
                evidence: "the signature does not verify with the key of its issuer \(impostor.label)"
            )
        }
        // An authority and its server may have the same name.
        if end.isSelfIssued, end.verifiesSignature(of: end) != .invalid {
            return isAlone
                ? Finding(.tlsSelfSigned, subject: end.label, evidence: "issuer and subject are both \(end.label)")
                : Finding(
                    .tlsUntrustedRoot,
                    subject: end.label,
                    evidence: "the chain ends at a root that is not trusted"
                )
        }
        return isAlone
            ? Finding(
                .tlsMissingIntermediate,
                subject: end.label,
                evidence:
                    "its issuer \(end.issuer.shown(limit: 256)) is neither a trusted root nor among the certificates that were sent"
            )
            : Finding(
                .tlsUntrustedRoot,
                subject: end.label,
                evidence:
                    "its issuer \(end.issuer.shown(limit: 256)) is not trusted, and no certificate for it was sent"
            )
    }
}
