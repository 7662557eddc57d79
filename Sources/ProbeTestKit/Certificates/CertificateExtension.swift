/// One extension of a certificate or of a revocation list.
public struct CertificateExtension: Sendable, Hashable {
    /// The identifier of the extension.
    public var oid: CertificateOID
    /// `true` if software that does not support the extension must reject the certificate.
    public var isCritical: Bool
    /// The value in DER, or any other bytes for a malformed one.
    public var value: [UInt8]

    /// Creates an extension with arbitrary bytes as its value.
    public init(oid: CertificateOID, isCritical: Bool = false, value: [UInt8]) {
        self.oid = oid
        self.isCritical = isCritical
        self.value = value
    }

    /// Returns an extension with arbitrary bytes as its value.
    public static func raw(_ oid: CertificateOID, isCritical: Bool = false, _ value: [UInt8]) -> CertificateExtension {
        CertificateExtension(oid: oid, isCritical: isCritical, value: value)
    }

    /// The extension in DER.
    public var der: [UInt8] {
        // DER omits default values, and `critical` is false by default.
        DEREncoding.sequence(
            oid.der,
            isCritical ? DEREncoding.boolean(true) : [],
            DEREncoding.octetString(value)
        )
    }
}

extension CertificateExtension {
    /// Returns the names of the certificate, in this order: DNS names, addresses, mailboxes, URIs.
    ///
    /// An invalid address becomes a malformed name of the text's bytes.
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

    /// Returns the names of the certificate.
    public static func subjectAlternativeName(
        _ names: [AlternativeName],
        critical: Bool = false
    ) -> CertificateExtension {
        raw(.subjectAlternativeName, isCritical: critical, DEREncoding.sequence(of: names.map(\.der)))
    }

    /// Returns basic constraints: an authority or not, and the maximum path length.
    public static func basicConstraints(
        isAuthority: Bool,
        pathLength: Int? = nil,
        critical: Bool = true
    ) -> CertificateExtension {
        let value = DEREncoding.sequence(
            isAuthority ? DEREncoding.boolean(true) : [],
            pathLength.map { DEREncoding.integer($0) } ?? []
        )
        return raw(.basicConstraints, isCritical: critical, value)
    }

    /// Returns the usage of the key.
    public static func keyUsage(_ usage: KeyUsageBits, critical: Bool = true) -> CertificateExtension {
        raw(.keyUsage, isCritical: critical, usage.der)
    }

    /// Returns the purposes of the certificate.
    public static func extendedKeyUsage(
        _ purposes: [CertificateOID],
        critical: Bool = false
    ) -> CertificateExtension {
        raw(.extendedKeyUsage, isCritical: critical, DEREncoding.sequence(of: purposes.map(\.der)))
    }

    /// Returns the names for which an authority may and may not issue certificates.
    public static func nameConstraints(
        permitted: [AlternativeName] = [],
        excluded: [AlternativeName] = [],
        critical: Bool = true
    ) -> CertificateExtension {
        func subtrees(_ number: UInt, _ names: [AlternativeName]) -> [UInt8] {
            names.isEmpty ? [] : DEREncoding.tagged(number, of: names.map { DEREncoding.sequence($0.der) })
        }
        let value = DEREncoding.sequence(subtrees(0, permitted), subtrees(1, excluded))
        return raw(.nameConstraints, isCritical: critical, value)
    }

    /// Returns the identifier of the issuer's key.
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        raw(.authorityKeyIdentifier, DEREncoding.sequence(DEREncoding.implicit(0, identifier)))
    }

    /// Returns the identifier of the certificate's own key.
    public static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        raw(.subjectKeyIdentifier, DEREncoding.octetString(identifier))
    }
}

/// The key usage (RFC 5280, section 4.2.1.3).
public struct KeyUsageBits: OptionSet, Sendable, Hashable {
    /// Bit n is bit n of the BIT STRING, counted from the left.
    public let rawValue: UInt16

    /// Creates a set of bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Signatures other than on certificates and revocation lists.
    public static let digitalSignature = KeyUsageBits(rawValue: 1 << 0)
    /// Signatures that commit their author to the content.
    public static let contentCommitment = KeyUsageBits(rawValue: 1 << 1)
    /// Encryption of keys.
    public static let keyEncipherment = KeyUsageBits(rawValue: 1 << 2)
    /// Encryption of data.
    public static let dataEncipherment = KeyUsageBits(rawValue: 1 << 3)
    /// Key agreement.
    public static let keyAgreement = KeyUsageBits(rawValue: 1 << 4)
    /// Signatures on certificates.
    public static let certificateSigning = KeyUsageBits(rawValue: 1 << 5)
    /// Signatures on revocation lists.
    public static let revocationListSigning = KeyUsageBits(rawValue: 1 << 6)

    /// The bits as a BIT STRING without trailing zeros.
    var der: [UInt8] {
        var bytes: [UInt8] = [0, 0]
        for bit in 0..<16 where rawValue & (1 << bit) != 0 { bytes[bit / 8] |= 0x80 >> (bit % 8) }
        while bytes.last == 0 { bytes.removeLast() }
        return DEREncoding.bitString(bytes, unusedBits: UInt8(bytes.last?.trailingZeroBitCount ?? 0))
    }
}
