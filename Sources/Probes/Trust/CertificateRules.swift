internal import FoundationEssentials

/// The rules that one certificate must keep for its place in a path: RFC 5280's profile and the Baseline Requirements.
struct CertificateRules {
    /// The place of a certificate in a path.
    enum Place: Hashable {
        case server
        case intermediate
        /// The end of the path; `isPinned` when the policy names this very certificate: then it is trusted for what it is,
        /// and only what makes it useless counts.
        case anchor(isPinned: Bool)
        /// The end of the path in the system's bundle: those who keep it have vetted its form, and some roots in it are
        /// older than the rules. That it is an authority still counts.
        case vettedAnchor
        /// The server's own certificate, which is an anchor itself.
        case trustedServer(isPinned: Bool)
    }

    let date: Date
    /// Whether the certificate must be fit for a TLS server; else only the chain matters.
    let isForServer: Bool

    /// Everything that is wrong with `certificate` in its place.
    func findings(_ certificate: DecodedCertificate, _ place: Place) -> [Finding] {
        var found: [Finding] = []
        func refuse(_ code: FindingCode, _ evidence: String) {
            found.append(Finding(code, subject: certificate.label, evidence: evidence))
        }
        for flaw in certificate.flaws { refuse(.tlsMalformedCertificate, flaw) }
        validity(certificate, refuse)
        if let weakness = certificate.publicKey?.weakness { refuse(weakness.code, weakness.evidence) }
        criticalExtensions(certificate, refuse)

        switch place {
        case .server:
            profile(certificate, isAnchor: false, refuse)
            signature(certificate, refuse)
            server(certificate, refuse)
            if let note = strayCommonName(certificate) { found.append(note) }
        case .intermediate:
            profile(certificate, isAnchor: false, refuse)
            signature(certificate, refuse)
            authority(certificate, refuse)
        case .anchor(isPinned: false):
            profile(certificate, isAnchor: true, refuse)
            if !certificate.isSelfIssued { signature(certificate, refuse) }
            authority(certificate, refuse)
        case .vettedAnchor:
            authority(certificate) { code, evidence in
                if code != .tlsCertificateProfile { refuse(code, evidence) }
            }
        case .anchor(isPinned: true):
            if certificate.version == 3, certificate.extensions.basicConstraints?.isAuthority != true {
                refuse(
                    .tlsNotAnAuthority,
                    "it issued another certificate, and its basic constraints do not say that it may"
                )
            }
        case .trustedServer(isPinned: false):
            profile(certificate, isAnchor: true, refuse)
            server(certificate, refuse)
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
                            "the pinned server certificate is an authority's: whoever has its key can issue others"
                    )
                )
            }
        }
        return found
    }

    typealias Refuse = (FindingCode, String) -> Void

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
            Known.certificatePolicies, Known.policyConstraints, Known.extendedKeyUsage, Known.inhibitAnyPolicy,
        ]
        let neverCritical = [
            Known.subjectKeyIdentifier, Known.authorityKeyIdentifier, Known.authorityInformationAccess,
            Known.subjectInformationAccess,
        ]
        for item in certificate.extensions.list where item.isCritical && !understood.contains(item.identifier) {
            if neverCritical.contains(item.identifier) {
                refuse(.tlsCertificateProfile, "the extension \(item.identifier) is critical, and must not be")
            } else {
                refuse(.tlsCriticalExtension, "the critical extension \(item.identifier) is not understood")
            }
        }
    }

    /// What holds for every certificate.
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
        // Some roots that every system trusts have the number 0.
        if serial == [0], !isAnchor { refuseProfile("the serial number is 0") }
        for identifier in [Known.policyConstraints, Known.inhibitAnyPolicy]
        where extensions.contains(identifier) && !extensions.isCritical(identifier) {
            refuseProfile("the extension \(identifier) is not critical, and must be")
        }
        if let policies = extensions.policies, Set(policies).count != policies.count {
            refuseProfile("a certificate policy occurs more than once")
        }
        authorityKeyIdentifier(certificate, isAnchor: isAnchor, refuse)
    }

    private func authorityKeyIdentifier(_ certificate: DecodedCertificate, isAnchor: Bool, _ refuse: Refuse) {
        let mine = certificate.extensions.subjectKeyIdentifier
        guard let identifier = certificate.extensions.authorityKeyIdentifier else {
            // Only who issues for itself with its own key may leave it out.
            if !(certificate.isSelfIssued && (isAnchor || certificate.verifiesSignature(of: certificate) == .valid)) {
                refuse(.tlsCertificateProfile, "there is no authority key identifier")
            }
            return
        }
        guard let key = identifier.keyIdentifier else {
            return refuse(.tlsCertificateProfile, "the authority key identifier has no key identifier")
        }
        guard isAnchor, certificate.isSelfIssued else { return }
        if identifier.namesIssuer {
            refuse(.tlsCertificateProfile, "the root's authority key identifier names an issuer, and must not")
        }
        if let mine, mine != key {
            refuse(
                .tlsCertificateProfile,
                "the root's authority key identifier is \(key.hexadecimal), and its own is \(mine.hexadecimal)"
            )
        }
    }
}
