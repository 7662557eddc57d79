internal import CheckResults
internal import FoundationEssentials

/// The rules for one certificate in its position in a path: RFC 5280's profile and the Baseline Requirements.
struct CertificateRules {
    /// The position of a certificate in a path.
    enum Position: Hashable {
        case server
        case intermediate
        /// The end of the path. An anchor is a name and a key (RFC 5280, section 6.1.1, d), to which the profile does
        /// not apply: roots that every system trusts are older than the rules. It must still be an authority; if
        /// `isPinned`, because the policy names this very certificate, only fatal flaws count.
        case anchor(isPinned: Bool)
        /// The server's own certificate, if it is an anchor itself.
        case trustedServer(isPinned: Bool)
    }

    let date: Date
    /// `true` if the certificate must be valid for a TLS server; otherwise only the chain matters.
    let isForServer: Bool
    /// `true` if violations of the profile that path validation (RFC 5280, section 6) does not check refuse a server's
    /// certificate.
    let isStrict: Bool

    /// Returns all findings about `certificate` in its position.
    func findings(_ certificate: DecodedCertificate, _ position: Position) -> [Finding] {
        var found: [Finding] = []
        func refuse(_ code: FindingCode, _ evidence: String) {
            if case .anchor = position, code == .tlsCertificateProfile { return }
            found.append(Finding(code, subject: certificate.label, evidence: evidence))
        }
        func remark(_ evidence: String) {
            let severity: Finding.Severity = isStrict ? .refusal : .warning
            found.append(Finding(.tlsCertificateProfile, severity, subject: certificate.label, evidence: evidence))
        }
        for flaw in certificate.flaws { refuse(.tlsMalformedCertificate, flaw) }
        validity(certificate, refuse)
        publicKey(certificate, position, refuse)
        criticalExtensions(certificate, refuse)

        switch position {
        case .server:
            profile(certificate, isAnchor: false, refuse)
            authorityKeyIdentifier(certificate, remark)
            signature(certificate, refuse)
            server(certificate, refuse, remark)
            if let note = strayCommonName(certificate) { found.append(note) }
        case .intermediate:
            profile(certificate, isAnchor: false, refuse)
            authorityKeyIdentifier(certificate) { refuse(.tlsCertificateProfile, $0) }
            signature(certificate, refuse)
            authority(certificate, refuse)
        case .anchor(isPinned: false):
            // The owner of the anchors says that it is an authority (RFC 5280, section 6.1.4, k).
            if !certificate.isFirstVersionRoot { authority(certificate, refuse) }
        case .anchor(isPinned: true):
            if certificate.version == 3, certificate.extensions.basicConstraints?.isAuthority != true {
                refuse(
                    .tlsNotAnAuthority,
                    "it issued another certificate, and its basic constraints do not say that it may"
                )
            }
        case .trustedServer(isPinned: false):
            profile(certificate, isAnchor: true, refuse)
            server(certificate, refuse, remark)
            if let note = strayCommonName(certificate) { found.append(note) }
        case .trustedServer(isPinned: true):
            extendedPurpose(certificate, refuse)
            if certificate.extensions.basicConstraints?.isAuthority == true {
                found.append(
                    Finding(
                        .tlsCertificateProfile,
                        .warning,
                        subject: certificate.label,
                        evidence:
                            "the pinned server certificate is an authority's: its key can issue others"
                    )
                )
            }
        }
        return found
    }

    /// Returns the findings about a server's certificate that hold whatever the anchors are, even if it is one itself.
    func certainFindings(_ certificate: DecodedCertificate) -> Set<Finding> {
        Set(findings(certificate, .server)).intersection(findings(certificate, .trustedServer(isPinned: false)))
    }

    typealias Refuse = (FindingCode, String) -> Void
    typealias Remark = (String) -> Void

    private func validity(_ certificate: DecodedCertificate, _ refuse: Refuse) {
        guard let from = certificate.notBefore, let to = certificate.notAfter else { return }
        for flaw in [from.flaw, to.flaw].compactMap(\.self) { refuse(.tlsCertificateProfile, flaw) }
        if from.date > to.date {
            refuse(
                .tlsCertificateProfile,
                "the validity begins at \(from.date.utcText) and ends before, at \(to.date.utcText)"
            )
        }
        if date > to.date {
            refuse(.tlsExpired, "valid until \(to.date.utcText), and it is \(date.utcText)")
        } else if date < from.date {
            refuse(.tlsNotYetValid, "valid from \(from.date.utcText) on, and it is \(date.utcText)")
        }
    }

    private func publicKey(_ certificate: DecodedCertificate, _ position: Position, _ refuse: Refuse) {
        guard let key = certificate.publicKey else { return }
        if let weakness = key.weakness { return refuse(weakness.code, weakness.evidence) }
        switch position {
        case .server, .trustedServer:
            if !key.isReadable {
                refuse(.tlsUnsupportedAlgorithm, "the bytes of the public key are no \(key.words) key")
            }
        // The signatures by such an authority are not verified, which is a finding of its own.
        case .intermediate, .anchor: break
        }
    }

    private func signature(_ certificate: DecodedCertificate, _ refuse: Refuse) {
        guard let algorithm = certificate.signatureAlgorithm else { return }
        switch algorithm.kind {
        case .weak: refuse(.tlsWeakSignature, "signed with \(algorithm.words)")
        case .other: refuse(.tlsUnsupportedAlgorithm, "signed with \(algorithm.words)")
        case .ecdsa, .rsa, .rsaPSS, .ed25519: break
        }
    }

    private func criticalExtensions(_ certificate: DecodedCertificate, _ refuse: Refuse) {
        typealias Known = CertificateExtensions.Identifier
        let understood = [
            Known.keyUsage, Known.subjectAlternativeName, Known.basicConstraints, Known.nameConstraints,
            Known.certificatePolicies, Known.policyMappings, Known.policyConstraints, Known.extendedKeyUsage,
            Known.inhibitAnyPolicy, Known.distributionPoints,
        ]
        let neverCritical = [
            Known.subjectKeyIdentifier, Known.authorityKeyIdentifier, Known.authorityInformationAccess,
            Known.subjectInformationAccess,
        ]
        let strange = certificate.extensions.list.lazy.filter { $0.isCritical && !understood.contains($0.identifier) }
        for item in strange.prefix(16) {
            if neverCritical.contains(item.identifier) {
                refuse(.tlsCertificateProfile, "the extension \(item.identifier) is critical, and must not be")
            } else {
                refuse(.tlsCriticalExtension, "the critical extension \(item.identifier) is not understood")
            }
        }
    }

    /// Checks the rules for every certificate.
    private func profile(_ certificate: DecodedCertificate, isAnchor: Bool, _ refuse: Refuse) {
        typealias Known = CertificateExtensions.Identifier
        let extensions = certificate.extensions
        func refuseProfile(_ evidence: String) { refuse(.tlsCertificateProfile, evidence) }

        if certificate.version != 3 { refuseProfile("version \(certificate.version), and version 3 is needed") }
        for identifier in extensions.duplicates { refuseProfile("the extension \(identifier) occurs more than once") }
        if !certificate.namesOneSignatureAlgorithm { refuseProfile("two different signature algorithms are named") }
        if certificate.issuer.isEmpty { refuseProfile("the issuer's name is empty") }
        let serial = certificate.serialNumber
        if serial.count > 20 {
            refuseProfile("the serial number has \(serial.count) octets, and at most 20 are allowed")
        }
        if let first = serial.first, first >= 0x80 { refuseProfile("the serial number is negative") }
        // Some roots that every system trusts have the serial number 0.
        if serial == [0], !isAnchor { refuseProfile("the serial number is 0") }
        for identifier in [Known.policyConstraints, Known.inhibitAnyPolicy]
        where extensions.contains(identifier) && !extensions.isCritical(identifier) {
            refuseProfile("the extension \(identifier) is not critical, and must be")
        }
        if let policies = extensions.policies, Set(policies).count != policies.count {
            refuseProfile("a certificate policy occurs more than once")
        }
    }

    private func authorityKeyIdentifier(_ certificate: DecodedCertificate, _ complain: Remark) {
        guard let identifier = certificate.extensions.authorityKeyIdentifier else {
            // Only a self-signed certificate may omit it.
            if !(certificate.isSelfIssued && certificate.verifiesSignature(of: certificate) == .valid) {
                complain("there is no authority key identifier")
            }
            return
        }
        if identifier.keyIdentifier == nil { complain("the authority key identifier has no key identifier") }
    }
}
