internal import FoundationEssentials
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// Has the X509 module judge a path that our own rules accept.
///
/// Our rules see more (purposes, name forms, profiles), but two judges are safer than one: what the library's
/// RFC 5280 policy refuses is refused. It is not asked where it is known to know less: name constraints, of which it
/// refuses directory and e-mail names outright, keys and signatures that it cannot decode, and a server's certificate
/// that is trusted itself.
enum SecondOpinion {
    /// Declares the critical extensions that our rules have judged already.
    private struct JudgedExtensions: VerifierPolicy {
        let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
            [2, 5, 29, 17], [2, 5, 29, 32], [2, 5, 29, 36], [2, 5, 29, 37], [2, 5, 29, 54],
        ]

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
    }

    /// The library's refusal; nil when it accepts the path or is not asked.
    static func refusal(of path: CertificatePath, at date: Date) async -> Finding? {
        guard path.certificates.count > 1, path.certificates.allSatisfy({ $0.extensions.nameConstraints == nil }),
            let certificates = try? path.certificates.map({ try Certificate(derEncoded: $0.der) }),
            let leaf = certificates.first, let anchor = certificates.last
        else { return nil }
        // The module's dates are whole seconds.
        let moment = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        var verifier = Verifier(rootCertificates: CertificateStore([anchor])) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            JudgedExtensions()
        }
        let between = CertificateStore(certificates.dropFirst().dropLast())
        guard case .couldNotValidate(let failures) = await verifier.validate(leaf: leaf, intermediates: between) else {
            return nil
        }
        let reason = failures.first.map { String(describing: $0.policyFailureReason) } ?? "no chain to the anchor"
        return Finding(
            .tlsCertificateProfile,
            subject: path.certificates[0].label,
            evidence: "the X509 module refuses the path: \(reason)"
        )
    }
}
