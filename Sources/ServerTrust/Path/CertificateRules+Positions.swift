internal import CheckResults
internal import ForeignText

/// The rules for certain positions in a path.
extension CertificateRules {
    /// Checks the rules for the issuer of another certificate of the path.
    func authority(_ certificate: DecodedCertificate, _ refuse: Refuse) {
        typealias Known = CertificateExtensions.Identifier
        let extensions = certificate.extensions
        if let constraints = extensions.basicConstraints {
            if !constraints.isAuthority {
                refuse(.tlsNotAnAuthority, "it issued another certificate, and its basic constraints say cA=FALSE")
                if constraints.pathLength != nil {
                    refuse(.tlsCertificateProfile, "a path length is given without cA=TRUE")
                }
            }
            if !extensions.isCritical(Known.basicConstraints) {
                refuse(.tlsCertificateProfile, "an authority's basic constraints are not critical, and must be")
            }
        } else {
            refuse(.tlsNotAnAuthority, "it issued another certificate, and has no basic constraints")
        }
        if let usage = extensions.keyUsage, !usage.allowsCertificateSigning {
            refuse(.tlsNotAnAuthority, "it issued another certificate, and its key usage lacks keyCertSign")
        }
        if certificate.subject.isEmpty { refuse(.tlsCertificateProfile, "an authority's subject is empty") }
        if extensions.subjectKeyIdentifier == nil {
            refuse(.tlsCertificateProfile, "an authority has no subject key identifier")
        }
        if extensions.policyMappings.contains(where: {
            $0.issuerPolicy == PolicyTree.anyPolicy || $0.subjectPolicy == PolicyTree.anyPolicy
        }) {
            refuse(.tlsCertificateProfile, "a certificate policy is mapped to or from any policy")
        }
        if isForServer, let usages = extensions.extendedKeyUsage, !usages.contains(Purpose.server),
            !usages.contains(Purpose.any)
        {
            refuse(.tlsPurpose, "the authority may issue for \(Purpose.text(usages)) only, not for servers")
        }
    }

    /// Checks the rules for the server's own certificate.
    func server(_ certificate: DecodedCertificate, _ refuse: Refuse, _ remark: Remark) {
        typealias Known = CertificateExtensions.Identifier
        let extensions = certificate.extensions
        if extensions.basicConstraints?.isAuthority == true {
            remark("the server's certificate is an authority's (cA=TRUE): its key can issue others")
        } else {
            if extensions.basicConstraints?.pathLength != nil {
                refuse(.tlsCertificateProfile, "a path length is given without cA=TRUE")
            }
            if extensions.keyUsage?.allowsCertificateSigning == true {
                refuse(.tlsCertificateProfile, "the key usage of the server's certificate has keyCertSign")
            }
            if extensions.contains(Known.nameConstraints) {
                refuse(
                    .tlsCertificateProfile,
                    "the server's certificate has name constraints, which only authorities may"
                )
            }
        }
        if extensions.contains(Known.subjectAlternativeName) {
            let isCritical = extensions.isCritical(Known.subjectAlternativeName)
            if isCritical != certificate.subject.isEmpty {
                refuse(
                    .tlsCertificateProfile,
                    isCritical
                        ? "the subject alternative name is critical although there is a subject"
                        : "the subject is empty, and the subject alternative name is not critical"
                )
            }
        }
        extendedPurpose(certificate, refuse)
        keyPurpose(certificate, refuse)
        for evidence in extensions.subjectAlternativeNames.lazy.compactMap(Self.flaw).prefix(16) {
            refuse(.tlsCertificateProfile, evidence)
        }
    }

    private static func flaw(_ name: GeneralNameForm) -> String? {
        switch name {
        case .dns(let text) where !HostName.isPreferredPattern(text):
            "the alternative name '\(name)' is not a host name"
        case .address(let bytes) where bytes.count != 4 && bytes.count != 16:
            "an alternative IP address has \(bytes.count) octets instead of 4 or 16"
        default: nil
        }
    }

    /// Returns a finding if a common name is none of the certificate's names (Baseline Requirements, section 7.1.4.3).
    ///
    /// A warning and not a refusal, although those requirements forbid it: names are never matched against the subject
    /// (RFC 9525, section 2), and private authorities routinely issue such certificates. But other programs still use
    /// the common name, so one that looks like a host name is worth a warning; one that does not, such as
    /// `Mail gateway`, is not misleading.
    func strayCommonName(_ certificate: DecodedCertificate) -> Finding? {
        let names = certificate.extensions.subjectAlternativeNames
        guard isForServer, !names.isEmpty else { return nil }
        let known = Set(
            names.compactMap { name in
                switch name {
                case .dns(let pattern): pattern
                case .address(let bytes) where bytes.count == 4 || bytes.count == 16:
                    ForeignText(IPAddressText.text(of: bytes))
                default: nil
                }
            }
        )
        let stray = certificate.subject.values(of: "2.5.4.3").filter { !known.contains($0) }
        guard let first = stray.first else { return nil }
        let host = stray.first(where: HostName.readsAsHost)
        return Finding(
            .tlsCertificateProfile,
            host == nil ? .note : .warning,
            subject: certificate.label,
            evidence: "the common name '\((host ?? first).shown(limit: 64))' is none of the alternative names"
        )
    }

    func extendedPurpose(_ certificate: DecodedCertificate, _ refuse: Refuse) {
        guard isForServer, let usages = certificate.extensions.extendedKeyUsage, !usages.contains(Purpose.server) else {
            return
        }
        refuse(.tlsPurpose, "the certificate is for \(Purpose.text(usages)), not for servers")
    }

    private func keyPurpose(_ certificate: DecodedCertificate, _ refuse: Refuse) {
        guard isForServer, let usage = certificate.extensions.keyUsage, !usage.allowsDigitalSignature else { return }
        // TLS uses only RSA keys for encipherment; every other key has to sign.
        if case .rsa = certificate.publicKey?.kind {
            if usage.allowsKeyEncipherment { return }
            refuse(.tlsPurpose, "the key usage allows neither signatures nor key encipherment, and so no TLS")
        } else {
            refuse(.tlsPurpose, "the key usage allows no signatures, and so no TLS with this key")
        }
    }
}

/// Extended key usages.
private enum Purpose {
    static let server: ForeignText = "1.3.6.1.5.5.7.3.1"
    static let any: ForeignText = "2.5.29.37.0"

    private static let names: [ForeignText: String] = [
        server: "serverAuth", any: "anyExtendedKeyUsage", "1.3.6.1.5.5.7.3.2": "clientAuth",
        "1.3.6.1.5.5.7.3.3": "codeSigning", "1.3.6.1.5.5.7.3.4": "emailProtection",
        "1.3.6.1.5.5.7.3.8": "timeStamping", "1.3.6.1.5.5.7.3.9": "OCSPSigning",
    ]

    /// Returns the first usages as text.
    static func text(_ usages: [ForeignText]) -> String {
        let shown = usages.prefix(8).map { names[$0] ?? $0.shown(limit: 64) }.joined(separator: ", ")
        return usages.count > 8 ? "\(shown) and \(usages.count - 8) more" : shown
    }
}
