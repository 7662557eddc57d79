internal import CheckResults
internal import ForeignText
internal import FoundationEssentials

/// One evaluation: the work of ``TrustEvaluator`` for one presented chain.
struct TrustEvaluation {
    /// The maximum number of presented bytes that are decoded; a handshake carries 100 KB at most.
    private static let maximumSize = 1 << 19

    let policy: SecurityPolicy
    let anchors: AnchorSet
    let pinnedAnchors: AnchorSet
    let identity: ServerIdentity?
    let date: Date
    let maximumPathLength: Int
    /// The presented certificates, the server's own first.
    let presented: [DecodedCertificate]
    /// The certificates after the server's own that can be part of a path.
    let helpers: [DecodedCertificate]
    /// `true` if certificates were left out that a path could need.
    let hasLeftOut: Bool
    let pathRules: PathRules
    let budget: WorkBudget
    let signatures: SignatureChecks
    private let notes: [Finding]
    /// The dates on which the verdict may depend.
    private(set) var boundaries: [Date] = []

    init(
        policy: SecurityPolicy,
        anchors: AnchorSet,
        pinnedAnchors: AnchorSet,
        revocationLists: [CertificateRevocationList],
        maximumPathLength: Int,
        presented: [[UInt8]],
        identity: ServerIdentity?,
        date: Date,
        budget: WorkBudget
    ) {
        self.policy = policy
        self.anchors = anchors
        self.pinnedAnchors = pinnedAnchors
        self.identity = identity
        self.date = date
        self.maximumPathLength = maximumPathLength
        self.budget = budget
        signatures = SignatureChecks(budget: budget)
        self.presented = Self.decoded(presented, budget)
        pathRules = PathRules(
            certificateRules: CertificateRules(
                date: date,
                isForServer: policy.validatesDomainName,
                isStrict: policy.isStrict
            ),
            revocation: RevocationCheck(lists: revocationLists),
            maximumLength: maximumPathLength
        )
        var (usable, notes) = Self.helpers(among: self.presented)
        helpers = Array(usable.prefix(PathSearch.maximumPresented))
        hasLeftOut = usable.count > PathSearch.maximumPresented || presented.count > self.presented.count
        if hasLeftOut {
            let evidence = "of \(presented.count) certificates, \(helpers.count + 1) were considered"
            notes.append(Finding(.tlsPathBudget, .note, subject: "presented chain", evidence: evidence))
        }
        self.notes = notes
        note(datesOf: self.presented)
        for list in revocationLists {
            boundaries.append(list.content.thisUpdate.date)
            if let nextUpdate = list.content.nextUpdate { boundaries.append(nextUpdate.date) }
        }
    }

    /// Returns the certificates behind the server's own, each once, and notes on those that cannot be used.
    private static func helpers(among presented: [DecodedCertificate]) -> ([DecodedCertificate], notes: [Finding]) {
        var seen: Set<[UInt8]> = []
        var helpers: [DecodedCertificate] = []
        var notes: [Finding] = []
        for (index, certificate) in presented.enumerated().dropFirst() where seen.insert(certificate.der).inserted {
            guard certificate.publicKey == nil else {
                helpers.append(certificate)
                continue
            }
            notes.append(
                Finding(
                    .tlsMalformedCertificate,
                    .note,
                    subject: "presented certificate \(index + 1)",
                    evidence: "skipped: \(certificate.flaws.first ?? "it cannot be decoded")"
                )
            )
        }
        return (helpers, notes)
    }

    /// Decodes as many of the first certificates as the limits and the budget allow, and the server's own whatever its
    /// size.
    private static func decoded(_ presented: [[UInt8]], _ budget: WorkBudget) -> [DecodedCertificate] {
        var certificates: [DecodedCertificate] = []
        var size = 0
        for der in presented.prefix(PathSearch.maximumPresented * 4) {
            size += der.count
            guard certificates.isEmpty || size <= maximumSize else { break }
            let certificate = DecodedCertificate(der: der, within: budget)
            // A certificate that is decoded in part only would be called malformed.
            guard budget.exceeded == nil else { break }
            certificates.append(certificate)
        }
        return certificates
    }

    /// Records the dates of certificates.
    mutating func note(datesOf certificates: [DecodedCertificate]) {
        for certificate in certificates {
            if let date = certificate.notBefore?.date { boundaries.append(date) }
            if let date = certificate.notAfter?.date { boundaries.append(date) }
        }
    }

    /// Returns the verdict.
    mutating func verdict() -> TrustVerdict {
        let namePolicyFinding = unvalidatableName
        let allowsAnyChain = policy.pinningMode == .none && policy.allowsInvalidCertificates
        if allowsAnyChain, namePolicyFinding == nil, pathRules.revocation.lists.isEmpty {
            let subject = presented.first?.label ?? "server"
            let finding = Finding(
                .tlsNotEvaluated,
                .warning,
                subject: subject,
                evidence:
                    "the policy allows invalid certificates, and has no pins, no revocation list and no name to check"
            )
            return answer([finding], path: nil)
        }
        guard let leaf = presented.first else {
            if let reason = budget.exceeded {
                let evidence = "the evaluation was given up: \(reason)"
                return answer([Finding(.tlsPathBudget, subject: "server", evidence: evidence)], path: nil)
            }
            let finding = Finding(.tlsMalformedCertificate, subject: "server", evidence: "it presented no certificate")
            return answer([finding], path: nil)
        }
        guard leaf.publicKey != nil else {
            let evidence = leaf.flaws.first ?? "it cannot be decoded"
            return answer(
                [Finding(.tlsMalformedCertificate, subject: leaf.label, evidence: evidence)] + notes,
                path: nil
            )
        }
        var findings = [namePolicyFinding].compactMap(\.self) + notes + nameFindings(leaf)
        let result: ChainResult
        switch policy.pinningMode {
        case .none: result = tolerant(chainToAnchors(from: leaf))
        case .publicKey: result = evaluatePublicKeys(leaf)
        case .certificate: result = evaluateCertificates(leaf)
        }
        findings += result.findings
        return answer(findings, path: result.validatedPath, pinnable: result.pinnable)
    }

    /// AFSecurityPolicy's first rule: validating a name is meaningless if any certificate passes, unless the policy has
    /// pins.
    private var unvalidatableName: Finding? {
        guard let identity, policy.allowsInvalidCertificates, policy.validatesDomainName else { return nil }
        guard policy.pinningMode == .none || !hasPins else { return nil }
        return Finding(
            .tlsNameNeedsPins,
            subject: identity.description,
            evidence: "invalid certificates are allowed, the name is to be validated, and no pin is used"
        )
    }

    /// `true` if the policy has pins that its mode uses.
    var hasPins: Bool {
        switch policy.pinningMode {
        case .none: false
        case .publicKey:
            !policy.pinnedCertificates.isEmpty || !policy.pinnedPublicKeys.isEmpty || !policy.backupPublicKeys.isEmpty
        case .certificate: !policy.pinnedCertificates.isEmpty
        }
    }

    private func nameFindings(_ leaf: DecodedCertificate) -> [Finding] {
        guard let identity, policy.validatesDomainName, let finding = IdentityCheck.finding(leaf, identity) else {
            return []
        }
        let isIgnored =
            policy.pinningMode == .publicKey && policy.allowsInvalidCertificates && policy.isAFNetworkingCompatible
        return [isIgnored ? finding.with(.warning) : finding]
    }

    private func answer(
        _ findings: [Finding],
        path: CertificatePath?,
        pinnable: [DecodedCertificate] = []
    ) -> TrustVerdict {
        TrustVerdict(
            isAccepted: !findings.contains { $0.severity == .refusal },
            findings: FindingOrder.sorted(findings),
            presentedChain: presented.map { CertificateDescription($0) },
            validatedChain: path?.certificates.map { CertificateDescription($0) } ?? [],
            date: date,
            pinAudit: PinAudit(policy, of: pinnable)
        )
    }
}

extension Finding {
    /// Returns the finding with another severity.
    func with(_ severity: Severity) -> Finding { Finding(code, severity, subject: subject, evidence: evidence) }
}

/// The order of findings: refusals first, and among them those that make others moot.
///
/// An aborted evaluation precedes everything that depends on the path: another path may be good.
private enum FindingOrder {
    private static let codes: [FindingCode] = [
        .tlsNameNeedsPins, .tlsNoPins, .tlsNotEvaluated, .tlsPathBudget, .tlsMalformedCertificate, .tlsRevoked,
        .tlsSignatureInvalid, .tlsSelfSigned, .tlsUntrustedRoot, .tlsMissingIntermediate, .tlsExpired, .tlsNotYetValid,
        .tlsNotAnAuthority, .tlsPathLength, .tlsNameConstraints, .tlsPurpose, .tlsCriticalExtension, .tlsWeakKey,
        .tlsWeakSignature, .tlsUnsupportedAlgorithm, .tlsHostname, .tlsNoSubjectAlternativeName, .tlsPinMismatch,
        .tlsBackupPinOnly, .tlsRevocationUnknown, .tlsCertificateProfile,
        // Last: a refusal that is certain without the system's roots is the server's fault.
        .tlsRootsUnavailable,
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
