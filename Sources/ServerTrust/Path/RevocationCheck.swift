internal import CheckResults
internal import ForeignText
internal import FoundationEssentials

/// Checks the certificates of a path against the revocation lists of an evaluation.
///
/// Configured lists are mandatory: when none covers the server's own certificate, it is refused, even if it was sent
/// without the issuer with whose key the lists would be verified. For the authorities above it, that is a warning,
/// because lists of all issuers are rare. A certificate with an entry is revoked, even if the list is outdated, of
/// version 1 or covers only a part: these limit only what a missing entry means.
struct RevocationCheck {
    /// The obstacles to using lists, by list and issuer: the signature of a large list is verified once in a search.
    struct Memory {
        fileprivate struct Key: Hashable {
            let list: ObjectIdentifier
            let issuer: ObjectIdentifier
        }

        fileprivate let budget: WorkBudget
        fileprivate var obstacles: [Key: String?] = [:]

        init(budget: WorkBudget) { self.budget = budget }
    }

    let lists: [CertificateRevocationList]

    func findings(_ path: CertificatePath, at date: Date, _ memory: inout Memory) -> [Finding] {
        guard !lists.isEmpty else { return [] }
        var issuers: [DecodedCertificate?] = path.certificates.dropFirst().map { $0 }
        // Nothing else is known of a server's certificate alone than that it may have issued itself.
        if issuers.isEmpty, !path.end.isTrusted { issuers = [path.certificates.first { $0.isSelfIssued }] }
        return zip(path.certificates, issuers).enumerated().compactMap { index, pair in
            finding(pair.0, issuer: pair.1, isServer: index == 0, at: date, &memory)
        }
    }

    private func finding(
        _ certificate: DecodedCertificate,
        issuer: DecodedCertificate?,
        isServer: Bool,
        at date: Date,
        _ memory: inout Memory
    ) -> Finding? {
        var obstacles: [String] = []
        var isGood = false
        for list in lists where list.content.issuer.matches(certificate.issuer) {
            let content = list.content
            guard let issuer else {
                let name = content.issuer.shown(limit: 256)
                obstacles.append("the list of \(name) cannot be verified without its issuer's certificate")
                continue
            }
            if let obstacle = obstacle(content, issuer, &memory) {
                obstacles.append(obstacle)
                continue
            }
            if let entry = content.entries[certificate.serialNumber] {
                let reason = entry.reason.map { " for the reason '\($0)'" } ?? ""
                return Finding(
                    .tlsRevoked,
                    subject: certificate.label,
                    evidence: "revoked by \(issuer.label) at \(entry.date.utcText)\(reason)"
                )
            }
            if let omission = omission(content, of: certificate, at: date) {
                obstacles.append("the list of \(content.issuer.shown(limit: 256)) \(omission)")
            } else {
                isGood = true
            }
        }
        if isGood { return nil }
        let reason =
            obstacles.isEmpty
            ? "no list of \(certificate.issuer.shown(limit: 256)) was given"
            : obstacles.prefix(4).joined(separator: "; ")
        return Finding(
            .tlsRevocationUnknown,
            isServer ? .refusal : .warning,
            subject: certificate.label,
            evidence: reason
        )
    }

    private func obstacle(
        _ content: RevocationListContent,
        _ issuer: DecodedCertificate,
        _ memory: inout Memory
    ) -> String? {
        let key = Memory.Key(list: ObjectIdentifier(content), issuer: ObjectIdentifier(issuer))
        if let known = memory.obstacles[key] { return known }
        let found = obstacle(content, issuer, within: memory.budget)
        memory.obstacles[key] = .some(found)
        return found
    }

    private func obstacle(
        _ content: RevocationListContent,
        _ issuer: DecodedCertificate,
        within budget: WorkBudget
    ) -> String? {
        if let obstacle = content.obstacle {
            return "the list of \(content.issuer.shown(limit: 256)) cannot be used: \(obstacle)"
        }
        if let usage = issuer.extensions.keyUsage, !usage.allowsRevocationListSigning {
            return "the key usage of \(issuer.label) lacks cRLSign"
        }
        let name = content.issuer.shown(limit: 256)
        // A server can send many authorities of the list's name, each with another key.
        guard budget.allows(SignatureChecks.steps + content.signedBytes.count) else {
            return "the signature of the list of \(name) was not verified"
        }
        switch issuer.publicKey?.verify(content.signature, of: content.signedBytes, with: content.signatureAlgorithm) {
        case .valid: return nil
        case .invalid: return "the signature of the list of \(name) does not verify"
        case .weak, .unsupported, .none: return "the signature of the list of \(name) cannot be verified"
        }
    }

    /// Returns the reason that a list without an entry for `certificate` does not mean that it is good, as a clause; nil
    /// when it does.
    private func omission(
        _ content: RevocationListContent,
        of certificate: DecodedCertificate,
        at date: Date
    ) -> String? {
        if content.isFirstVersion { return "is of version 1" }
        if let omission = content.scope.omission(of: certificate) { return omission }
        if date < content.thisUpdate.date { return "is from \(content.thisUpdate.date.utcText)" }
        guard let nextUpdate = content.nextUpdate else { return "has no date of the next one" }
        return date > nextUpdate.date ? "was to be replaced at \(nextUpdate.date.utcText)" : nil
    }
}
