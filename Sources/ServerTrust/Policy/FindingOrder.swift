internal import CheckResults

/// The order of findings: refusals first, and among them those that make others moot.
///
/// An aborted evaluation precedes everything that depends on the path: another path may be good.
enum FindingOrder {
    private static let codes: [FindingCode] = [
        .tlsNameNeedsPins, .tlsNoPins, .tlsNotEvaluated, .tlsPathBudget, .tlsMalformedCertificate, .tlsRevoked,
        .tlsSignatureInvalid, .tlsSelfSigned, .tlsUntrustedRoot, .tlsMissingIntermediate, .tlsExpired, .tlsNotYetValid,
        .tlsNotAnAuthority, .tlsPathLength, .tlsNameConstraints, .tlsPurpose, .tlsCriticalExtension, .tlsWeakKey,
        .tlsWeakSignature, .tlsUnsupportedAlgorithm, .tlsHostname, .tlsNoSubjectAlternativeName, .tlsPinMismatch,
        .tlsBackupPinOnly, .tlsRevocationUnknown, .tlsCertificateProfile,
    ]

    private static let ranks = Dictionary(
        codes.enumerated().map { ($1, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the findings in that order, stable and without duplicates.
    static func sorted(_ findings: [Finding]) -> [Finding] {
        var seen: Set<Finding> = []
        return findings.filter { seen.insert($0).inserted }.enumerated().sorted { left, right in
            key(left.element, left.offset) < key(right.element, right.offset)
        }.map(\.element)
    }

    private static func key(_ finding: Finding, _ offset: Int) -> (Int, Int, Int) {
        let severity =
            switch finding.severity {
            case .refusal: 0
            case .warning: 1
            case .note: 2
            }
        return (severity, ranks[finding.code] ?? codes.count, offset)
    }
}
