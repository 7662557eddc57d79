internal import SwiftASN1

/// An object identifier, in dotted form: `"2.5.29.17"`.
public struct CertificateOID: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The components of the identifier; those of UUIDs (ITU-T X.667) have 128 bits.
    public let components: [UInt128]

    /// Parses numbers separated by dots; invalid ones are skipped.
    public init(_ text: String) { components = text.split(separator: ".").compactMap { UInt128($0) } }

    /// Parses a literal like ``init(_:)``.
    public init(stringLiteral text: String) { self.init(text) }

    /// The dotted form.
    public var description: String { components.map(String.init).joined(separator: ".") }

    /// The identifier in DER.
    public var der: [UInt8] {
        var content: [UInt8] = []
        if let first = components.first {
            let second = components.dropFirst().first ?? 0
            content += Self.base128(first.multipliedReportingOverflow(by: 40).partialValue &+ second)
        }
        for component in components.dropFirst(2) { content += Self.base128(component) }
        return DEREncoding.primitive(.objectIdentifier, content)
    }

    private static func base128(_ value: UInt128) -> [UInt8] {
        var groups = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return groups.reversed()
    }
}

extension CertificateOID {
    /// The purpose of a TLS server's certificate (id-kp-serverAuth).
    public static let serverAuthentication: CertificateOID = "1.3.6.1.5.5.7.3.1"
    /// The purpose of a TLS client's certificate (id-kp-clientAuth).
    public static let clientAuthentication: CertificateOID = "1.3.6.1.5.5.7.3.2"
    /// The purpose of a certificate that signs programs (id-kp-codeSigning).
    public static let codeSigning: CertificateOID = "1.3.6.1.5.5.7.3.3"
    /// The purpose of a certificate that signs OCSP responses (id-kp-OCSPSigning).
    public static let ocspSigning: CertificateOID = "1.3.6.1.5.5.7.3.9"
    /// Every purpose (anyExtendedKeyUsage).
    public static let anyPurpose: CertificateOID = "2.5.29.37.0"

    /// The attribute for a common name.
    public static let commonName: CertificateOID = "2.5.4.3"
    /// The attribute for a country code.
    public static let country: CertificateOID = "2.5.4.6"
    /// The attribute for an organization.
    public static let organization: CertificateOID = "2.5.4.10"
    /// The attribute for an organizational unit.
    public static let organizationalUnit: CertificateOID = "2.5.4.11"

    static let subjectKeyIdentifier: CertificateOID = "2.5.29.14"
    static let keyUsage: CertificateOID = "2.5.29.15"
    static let subjectAlternativeName: CertificateOID = "2.5.29.17"
    static let basicConstraints: CertificateOID = "2.5.29.19"
    static let revocationListNumber: CertificateOID = "2.5.29.20"
    static let revocationReason: CertificateOID = "2.5.29.21"
    static let nameConstraints: CertificateOID = "2.5.29.30"
    static let authorityKeyIdentifier: CertificateOID = "2.5.29.35"
    static let extendedKeyUsage: CertificateOID = "2.5.29.37"
}
