internal import CheckResults
internal import ForeignText

extension TrustEvaluation {
    /// The maximum number of certificates and pins named in an explanation.
    private static let maximumShown = 8

    /// The identity of a finding, which two evaluations may report with different evidence.
    private struct Said: Hashable {
        let code: FindingCode
        let severity: Finding.Severity
        let subject: ForeignText

        init(_ finding: Finding) {
            (code, severity) = (finding.code, finding.severity)
            subject = ForeignText(finding.subject)
        }
    }

    /// Evaluates AFSecurityPolicy's mode for public keys.
    mutating func evaluatePublicKeys(_ leaf: DecodedCertificate) -> ChainResult {
        let present = Set(policy.pinnedCertificates.map(\.publicKeyPin) + policy.pinnedPublicKeys)
        let pins = present.union(policy.backupPublicKeys)
        let isPinned: (DecodedCertificate) -> Bool = { $0.publicKeyPin.map(pins.contains) ?? false }
        var result = chainToAnchors(
            from: leaf,
            isWanted: { $0.certificates.contains { $0.publicKeyPin.map(present.contains) ?? false } }
        )
        // A path with a backup pin counts only when no path has a current pin.
        if !result.isWanted, result.validatedPath != nil, !policy.backupPublicKeys.isEmpty {
            let other = chainToAnchors(from: leaf, isWanted: { $0.certificates.contains(where: isPinned) })
            if other.isWanted { result = other }
        }
        // The server need not send the anchor, and the path found may lead through an unauthorized issuer.
        let (signers, areAll) = signers(of: leaf, among: helpers + (result.validatedPath?.certificates ?? []))
        guard !pins.isEmpty else {
            result.findings.append(noPins(leaf))
            return tolerant(result)
        }
        // Without a path the chain is refused anyway; a matching pin is still worth knowing.
        let isStrict = !policy.allowsInvalidCertificates && result.validatedPath != nil
        let isMatch = isStrict ? result.isWanted : signers.contains(where: isPinned)
        result.pinnable = isStrict ? result.validatedPath?.certificates ?? [] : signers
        if !isMatch {
            // Nothing is known about the pins of a path that an aborted search has not found.
            if result.isGivenUp { return result }
            guard areAll || isStrict else {
                result.findings.append(givenUp(leaf))
                return result
            }
            let offered = (result.validatedPath?.certificates ?? signers).prefix(Self.maximumShown).compactMap(
                \.publicKeyPin
            ).map(\.description)
            result.findings.append(mismatch(leaf, "public key", Array(offered), pins.map(\.description).sorted()))
        } else if let audit = PinAudit(policy, of: result.pinnable), audit.matchesBackupOnly {
            result.findings.append(backupOnly(leaf, audit))
        }
        return tolerant(result)
    }

    /// Evaluates AFSecurityPolicy's mode for certificates.
    mutating func evaluateCertificates(_ leaf: DecodedCertificate) -> ChainResult {
        let system = chainToAnchors(from: leaf)
        guard hasPins else {
            var result = system
            result.findings.append(noPins(leaf))
            return tolerant(result)
        }
        var pinned = chain(from: leaf, to: pinnedAnchors, arePinned: true)
        let signers = system.validatedPath?.certificates ?? signers(of: leaf, among: helpers).found
        if pinned.validatedPath == nil, !pinned.isGivenUp,
            !pinned.findings.contains(where: { $0.code == .tlsSignatureInvalid })
        {
            // The search for the roots reports what the lists say of these certificates.
            pinned.findings.removeAll { Self.unanchored.contains($0.code) || $0.code == .tlsRevocationUnknown }
            let offered = signers.prefix(Self.maximumShown).map { "\($0.label) \(CertificateDescription($0).sha256)" }
            let wanted = policy.pinnedCertificates.prefix(Self.maximumShown).map {
                CertificateDescription(der: $0.der).sha256
            }
            pinned.findings.append(mismatch(leaf, "certificate", Array(offered), Array(wanted)))
        }
        pinned.pinnable = signers + (pinned.validatedPath?.certificates ?? [])
        // AFSecurityPolicy requires both: the pinned certificates never override a refusal by the roots. Findings of
        // both evaluations are reported once.
        let known = Set(pinned.findings.map { Said($0) })
        var others = tolerant(system).findings.filter { !known.contains(Said($0)) }
        // The lists of a pinned issuer are verified with its key, which the server need not send.
        if let path = pinned.validatedPath, path.certificates.count > 1 {
            others.removeAll { $0.code == .tlsRevocationUnknown && $0.severity == .refusal }
        }
        pinned.findings += others
        return pinned
    }

    private func noPins(_ leaf: DecodedCertificate) -> Finding {
        Finding(
            .tlsNoPins,
            subject: leaf.label,
            evidence: "the pinning mode is '\(policy.pinningMode.rawValue)', and the policy has no pin for it"
        )
    }

    private func backupOnly(_ leaf: DecodedCertificate, _ audit: PinAudit) -> Finding {
        let matched = audit.entries.filter { $0.isMatched }.map(\.pin)
        let others = audit.entries.filter { !$0.isBackup }.count
        return Finding(
            .tlsBackupPinOnly,
            .warning,
            subject: leaf.label,
            evidence:
                "the chain has the backup \(matched.prefix(Self.maximumShown).joined(separator: ", ")), and none of the "
                + "\(others) other pins"
        )
    }

    private func mismatch(_ leaf: DecodedCertificate, _ kind: String, _ offered: [String], _ wanted: [String])
        -> Finding
    {
        let offer = offered.isEmpty ? "none" : offered.prefix(Self.maximumShown).joined(separator: ", ")
        return Finding(
            .tlsPinMismatch,
            subject: leaf.label,
            evidence:
                "no pinned \(kind) is in the chain; pinned: \(wanted.prefix(Self.maximumShown).joined(separator: ", ")); "
                + "the chain has: \(offer)"
        )
    }
}

extension TrustEvaluation {
    /// Returns the server's certificate, and every authority that signed it or one of its authorities, by verified
    /// signatures: the real signers of a chain without a trusted end.
    ///
    /// A certificate that is merely sent is not among them, and neither is one that may not issue: its holder could
    /// sign any name below the authority whose key is pinned.
    ///
    /// - Returns: The signers, and whether each signature could be verified.
    private func signers(
        of leaf: DecodedCertificate,
        among presented: [DecodedCertificate]
    ) -> (found: [DecodedCertificate], areAll: Bool) {
        var found = [leaf]
        // Duplicates are removed: a server may send one certificate many times, and each could become a signer.
        var ders: Set<[UInt8]> = [leaf.der]
        let candidates = presented.filter { $0.mayIssue && ders.insert($0.der).inserted }
        var known: Set<ObjectIdentifier> = []
        var index = 0
        while index < found.count {
            let child = found[index]
            index += 1
            for candidate in candidates where !known.contains(ObjectIdentifier(candidate)) {
                guard candidate.subject.matches(child.issuer) else { continue }
                guard let verdict = signatures.verdict(on: child, by: candidate) else { return (found, false) }
                guard verdict == .valid else { continue }
                known.insert(ObjectIdentifier(candidate))
                found.append(candidate)
            }
        }
        return (found, true)
    }
}

extension DecodedCertificate {
    fileprivate var mayIssue: Bool {
        let isAuthority = extensions.basicConstraints?.isAuthority ?? isFirstVersionRoot
        return isAuthority && extensions.keyUsage?.allowsCertificateSigning != false
    }
}

extension PinAudit {
    /// Audits a policy's pins; nil when the policy has none.
    ///
    /// Pins that the mode ignores are left out.
    init?(_ policy: SecurityPolicy, of certificates: [DecodedCertificate]) {
        switch policy.pinningMode {
        case .none: return nil
        case .publicKey:
            let keys = Set(certificates.compactMap(\.publicKeyPin))
            let present = policy.pinnedPublicKeys + policy.pinnedCertificates.map(\.publicKeyPin)
            self.init(
                entries: present.map { Entry(pin: $0.description, isMatched: keys.contains($0), isBackup: false) }
                    + policy.backupPublicKeys.map {
                        Entry(pin: $0.description, isMatched: keys.contains($0), isBackup: true)
                    }
            )
        case .certificate:
            let known = Set(certificates.map(\.der))
            self.init(
                entries: policy.pinnedCertificates.map { pinned in
                    let hash = CertificateDescription(der: pinned.der).sha256
                    return Entry(pin: hash, isMatched: known.contains(pinned.der), isBackup: false)
                }
            )
        }
    }
}
