/// One extension of a certificate or of a revocation list.
public struct CertificateExtension: Sendable, Hashable {
    /// What the extension is.
    public var oid: CertificateOID
    /// Whether who does not understand it must refuse the certificate.
    public var isCritical: Bool
    /// Its value in DER, or anything else for a malformed one.
    public var value: [UInt8]

    /// An extension with a value of any bytes.
    public init(oid: CertificateOID, isCritical: Bool = false, value: [UInt8]) {
        self.oid = oid
        self.isCritical = isCritical
        self.value = value
    }

    /// An extension with a value of any bytes.
    public static func raw(_ oid: CertificateOID, isCritical: Bool = false, _ value: [UInt8]) -> CertificateExtension {
        CertificateExtension(oid: oid, isCritical: isCritical, value: value)
    }

    /// The extension in DER.
    public var der: [UInt8] {
        // DER leaves out what has its default value, and `critical` is false by default.
        DERForm.sequence(
            oid.der,
            isCritical ? DERForm.boolean(true) : [],
            DERForm.octetString(value)
        )
    }
}

extension CertificateExtension {
    /// The names that the certificate is for, in this order: DNS names, addresses, mailboxes, URIs.
    ///
    /// An address that cannot be read as one becomes a malformed name of the text's bytes.
    public static func subjectAlternativeName(
        dns: [String] = [],
        ips: [String] = [],
        emails: [String] = [],
        uris: [String] = [],
        critical: Bool = false
    ) -> CertificateExtension {
        let names: [AlternativeName] =
            dns.map { .dns($0) } + ips.map { .ip($0) } + emails.map { .email($0) } + uris.map { .uri($0) }
        return subjectAlternativeName(names, critical: critical)
    }

    /// The names that the certificate is for.
    public static func subjectAlternativeName(
        _ names: [AlternativeName],
        critical: Bool = false
    ) -> CertificateExtension {
        raw(.subjectAlternativeName, isCritical: critical, DERForm.sequence(of: names.map(\.der)))
    }

    /// Whether this is an authority, and how many authorities may follow it.
    public static func basicConstraints(
        isAuthority: Bool,
        pathLength: Int? = nil,
        critical: Bool = true
    ) -> CertificateExtension {
        let value = DERForm.sequence(
            isAuthority ? DERForm.boolean(true) : [],
            pathLength.map { DERForm.integer($0) } ?? []
        )
        return raw(.basicConstraints, isCritical: critical, value)
    }

    /// What the key may be used for.
    public static func keyUsage(_ usage: KeyUsageBits, critical: Bool = true) -> CertificateExtension {
        raw(.keyUsage, isCritical: critical, usage.der)
    }

    /// The purposes of the certificate.
    public static func extendedKeyUsage(
        _ purposes: [CertificateOID],
        critical: Bool = false
    ) -> CertificateExtension {
        raw(.extendedKeyUsage, isCritical: critical, DERForm.sequence(of: purposes.map(\.der)))
    }

    /// The names that an authority may and may not issue for.
    public static func nameConstraints(
        permitted: [AlternativeName] = [],
        excluded: [AlternativeName] = [],
        critical: Bool = true
    ) -> CertificateExtension {
        func subtrees(_ number: UInt, _ names: [AlternativeName]) -> [UInt8] {
            names.isEmpty ? [] : DERForm.tagged(number, of: names.map { DERForm.sequence($0.der) })
        }
        let value = DERForm.sequence(subtrees(0, permitted), subtrees(1, excluded))
        return raw(.nameConstraints, isCritical: critical, value)
    }

    /// The identifier of the issuer's key.
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        raw(.authorityKeyIdentifier, DERForm.sequence(DERForm.implicit(0, identifier)))
    }

    /// The identifier of the certificate's own key.
    public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        raw(.subjectKeyIdentifier, DERForm.octetString(identifier))
    }
}
