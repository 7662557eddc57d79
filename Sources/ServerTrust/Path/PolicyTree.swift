internal import CheckResults
internal import ForeignText

/// Certificate policies (RFC 5280, section 6.1), as far as they can refuse a path.
///
/// No particular policy is requested here, so policies matter only when an authority requires an explicit one. Then
/// each certificate must have a policy that all above it have too. Mappings are not followed: they could only accept
/// more.
enum PolicyTree {
    private static let anyPolicy: ForeignText = "2.5.29.32.0"

    /// Returns the policy findings of a path.
    ///
    /// - Parameter budget: The remaining number of policies to process; once it is exceeded, the caller must abort.
    static func findings(_ path: CertificatePath, budget: inout Int) -> [Finding] {
        guard path.certificates.contains(where: { $0.extensions.policyConstraints?.requireExplicitPolicy != nil })
        else {
            return []
        }
        // The anchor's own policies are not part of the path's.
        let certificates =
            path.certificates.count > 1 && path.end.isTrusted
            ? path.certificates.dropLast() : path.certificates[...]
        budget -= certificates.reduce(0) { $0 + ($1.extensions.policies?.count ?? 0) }
        guard budget > 0 else { return [] }
        // Counters by RFC 5280, section 6.1.2; a rule that no certificate sets never applies.
        var explicitPolicy = Int.max
        var inhibitAnyPolicy = Int.max
        /// The policies that are valid so far; nil for any.
        var valid: Set<ForeignText>?
        for (index, certificate) in certificates.enumerated().reversed() {
            let extensions = certificate.extensions
            let policies = extensions.policies ?? []
            let isAny = policies.contains(anyPolicy) && (inhibitAnyPolicy > 0 || index > 0 && certificate.isSelfIssued)
            if !isAny {
                let mine = Set(policies.filter { $0 != anyPolicy })
                valid = valid.map { $0.intersection(mine) } ?? mine
            }
            if explicitPolicy == 0, valid?.isEmpty == true { return [violation(certificate)] }
            let required = extensions.policyConstraints?.requireExplicitPolicy
            if index == 0 {
                if explicitPolicy == 1 || required == 0 { explicitPolicy = 0 }
                if explicitPolicy == 0, valid?.isEmpty == true { return [violation(certificate)] }
            } else {
                if !certificate.isSelfIssued {
                    explicitPolicy = counted(explicitPolicy)
                    inhibitAnyPolicy = counted(inhibitAnyPolicy)
                }
                explicitPolicy = min(explicitPolicy, required ?? .max)
                inhibitAnyPolicy = min(inhibitAnyPolicy, extensions.inhibitAnyPolicy ?? .max)
            }
        }
        return []
    }

    private static func counted(_ counter: Int) -> Int { counter == .max ? .max : max(0, counter - 1) }

    private static func violation(_ certificate: DecodedCertificate) -> Finding {
        Finding(
            .tlsCertificateProfile,
            subject: certificate.label,
            evidence: "an authority requires an explicit certificate policy, and none is valid for the whole path"
        )
    }
}
