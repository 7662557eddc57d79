internal import CheckResults

/// The evaluation of a chain while the system's roots are not known.
extension TrustEvaluation {
    /// The codes of a chain that leads to no anchor.
    static let unanchored: Set<FindingCode> = [.tlsUntrustedRoot, .tlsSelfSigned, .tlsMissingIntermediate]

    /// Searches for a path to the trust anchors, and evaluates it.
    ///
    /// If the system's roots cannot be read, a path to a root that is not known may be good. Only the faults of the
    /// server's own certificate, which every path has, and entries in revocation lists are certain then: other refusals
    /// become notes, and the chain is refused for the fault of this machine.
    mutating func chainToAnchors(
        from leaf: DecodedCertificate,
        isWanted: (CertificatePath) -> Bool = { _ in true }
    ) -> ChainResult {
        var result = chain(from: leaf, to: anchors, arePinned: false, isWanted: isWanted)
        // A policy that allows invalid certificates does without anchors.
        guard let obstacle = anchors.obstacle, !policy.allowsInvalidCertificates else { return result }
        let certain = pathRules.certificateRules.certainFindings(leaf)
        func isGuess(_ finding: Finding) -> Bool {
            finding.severity == .refusal && finding.code != .tlsRevoked && !certain.contains(finding)
        }
        let isOpen = result.findings.contains(where: isGuess)
        result.findings.removeAll { isGuess($0) && Self.unanchored.contains($0.code) }
        result.findings = result.findings.map { isGuess($0) ? $0.with(.note) : $0 }
        result.findings.append(
            Finding(
                .tlsRootsUnavailable,
                isOpen ? .refusal : .warning,
                subject: "the system's roots",
                evidence: anchors.certificates.isEmpty
                    ? obstacle.description : "\(obstacle); the roots that were read before are used"
            )
        )
        // The pins of a path that was not found are not known either.
        result.isGivenUp = result.isGivenUp || isOpen
        return result
    }
}
