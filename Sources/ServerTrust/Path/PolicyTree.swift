internal import CheckResults
internal import ForeignText

/// The certificate policies (RFC 5280, section 6.1) that can cause the refusal of a path.
///
/// No particular policy is requested here, so policies matter only when an authority requires an explicit one. Then
/// each certificate must have a policy that all certificates above it also have, or that they map to it.
enum PolicyTree {
    static let anyPolicy: ForeignText = "2.5.29.32.0"

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
        // Counters by RFC 5280, section 6.1.2; a rule that no certificate sets never applies.
        var explicitPolicy = Int.max
        var inhibitAnyPolicy = Int.max
        var policyMapping = Int.max
        /// The policies that are valid so far, as the next certificate has to name them; nil for any.
        var valid: Set<ForeignText>?
        for (index, certificate) in certificates.enumerated().reversed() {
            let extensions = certificate.extensions
            let policies = extensions.policies ?? []
            budget -= policies.count + extensions.policyMappings.count + (valid?.count ?? 0)
            guard budget > 0 else { return [] }
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
                valid = mapped(valid, by: extensions.policyMappings, isInhibited: policyMapping == 0)
                if !certificate.isSelfIssued {
                    explicitPolicy = counted(explicitPolicy)
                    inhibitAnyPolicy = counted(inhibitAnyPolicy)
                    policyMapping = counted(policyMapping)
                }
                explicitPolicy = min(explicitPolicy, required ?? .max)
                inhibitAnyPolicy = min(inhibitAnyPolicy, extensions.inhibitAnyPolicy ?? .max)
                policyMapping = min(policyMapping, extensions.policyConstraints?.inhibitPolicyMapping ?? .max)
            }
        }
        return []
    }

    private static func counted(_ counter: Int) -> Int { counter == .max ? .max : max(0, counter - 1) }

    /// Replaces policies by those that an authority maps them to; while mappings are inhibited, mapped policies are no
    /// longer valid (RFC 5280, section 6.1.4, b).
    private static func mapped(
        _ valid: Set<ForeignText>?,
        by mappings: [CertificateExtensions.PolicyMapping],
        isInhibited: Bool
    ) -> Set<ForeignText>? {
        guard let valid, !mappings.isEmpty else { return valid }
        let subjects = Dictionary(grouping: mappings, by: \.issuerPolicy)
        return Set(
            valid.flatMap { policy in
                guard let mapped = subjects[policy] else { return [policy] }
                return isInhibited ? [] : mapped.map(\.subjectPolicy)
            }
        )
    }

    private static func violation(_ certificate: DecodedCertificate) -> Finding {
        Finding(
            .tlsCertificateProfile,
            subject: certificate.label,
            evidence: "an authority requires an explicit certificate policy, and none is valid for the whole path"
        )
    }
}
