internal import CheckResults
internal import ForeignText

/// Checks that a certificate is valid for the requested server (RFC 9525): by alternative names only.
enum IdentityCheck {
    /// Returns the finding for a certificate that is not valid for `identity`; nil for a valid one.
    static func finding(_ certificate: DecodedCertificate, _ identity: ServerIdentity) -> Finding? {
        let names = certificate.extensions.subjectAlternativeNames
        guard !names.isEmpty else {
            let commonName = certificate.subject.values(of: "2.5.4.3").first
            let hint = commonName.map { "; the common name '\($0.shown(limit: 64))' does not count" } ?? ""
            return Finding(
                .tlsNoSubjectAlternativeName,
                subject: certificate.label,
                evidence: "'\(identity)' was asked for, and the certificate has no alternative name\(hint)"
            )
        }
        var wanted: ForeignText = ""
        if case .name(let host) = identity { wanted = ForeignText(host) }
        let isMatch = names.contains { name in
            switch (name, identity) {
            case (.dns(let pattern), .name): HostName.matches(pattern, wanted)
            case (.address(let bytes), .address(let address)):
                bytes == address && (bytes.count == 4 || bytes.count == 16)
            default: false
            }
        }
        if isMatch { return nil }
        let shown = names.prefix(20).map(\.description).joined(separator: ", ")
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return Finding(
            .tlsHostname,
            subject: certificate.label,
            evidence: "'\(identity)' was asked for, and the certificate is for \(shown)\(more)"
        )
    }
}
