internal import Crypto
public import FoundationEssentials
internal import SwiftASN1

/// The complete content of a certificate before it is signed, valid or invalid.
///
/// The factory functions ``server(names:addresses:)``, ``intermediate(_:pathLength:)`` and ``authority(_:pathLength:)``
/// return correct certificates. They can be changed before they are issued: every part is a variable, and nothing is
/// validated.
///
/// ```swift
/// var template = CertificateTemplate.server(names: ["host.test"])
/// template.notAfter = TestDate.utc(2026, 2, 1)
/// let expired = try TestAuthority.standard().intermediate.issue(template)
/// ```
public struct CertificateTemplate: Sendable, Hashable {
    /// The encoded version: 2 for version 3, 0 for version 1 (which omits the field).
    public var version = 2
    /// The encoded bytes of the serial number; nil derives one from the subject, the key and the dates.
    public var serialNumber: [UInt8]?
    /// The subject.
    public var subject: CertificateName
    /// The issuer's name; nil for the subject of the issuing certificate.
    public var issuer: CertificateName?
    /// The start of the validity.
    public var notBefore: Date
    /// The end of the validity.
    public var notAfter: Date
    /// The encoding of ``notBefore``.
    public var notBeforeEncoding = TimeEncoding.automatic
    /// The encoding of ``notAfter``.
    public var notAfterEncoding = TimeEncoding.automatic
    /// The extensions in order, which may contain duplicates.
    public var extensions: [CertificateExtension]
    /// `true` to add the identifiers of the two keys, unless the extensions have them already.
    public var addsKeyIdentifiers = true
    /// The signature algorithm; nil for the default one of the issuer's key.
    public var signatureScheme: SignatureScheme?
    /// The signature algorithm in the signed part; nil for the same as outside, as required.
    public var innerSignatureScheme: SignatureScheme?
    /// The defect of the signature.
    public var signatureDefect = SignatureDefect.none
    /// The SubjectPublicKeyInfo in DER instead of the key's own.
    public var subjectPublicKeyInfo: [UInt8]?
    /// Bytes after the extensions, inside the signed part.
    public var trailingBytesInside: [UInt8] = []
    /// Bytes after the certificate.
    public var trailingBytes: [UInt8] = []

    /// Creates a template of version 3.
    public init(
        subject: CertificateName,
        notBefore: Date,
        notAfter: Date,
        extensions: [CertificateExtension] = []
    ) {
        self.subject = subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.extensions = extensions
    }

    /// Returns a server certificate for DNS names and IP addresses, valid in 2026.
    public static func server(names: [String] = ["host.test"], addresses: [String] = []) -> CertificateTemplate {
        CertificateTemplate(
            subject: .common(names.first ?? addresses.first ?? "server"),
            notBefore: TestDate.utc(2026),
            notAfter: TestDate.utc(2027),
            extensions: [
                .basicConstraints(isAuthority: false),
                .keyUsage([.digitalSignature, .keyEncipherment]),
                .extendedKeyUsage([.serverAuthentication]),
                .subjectAlternativeName(dns: names, ips: addresses),
            ]
        )
    }

    /// Returns a client certificate, valid in 2026.
    public static func client(_ name: String = "client") -> CertificateTemplate {
        CertificateTemplate(
            subject: .common(name),
            notBefore: TestDate.utc(2026),
            notAfter: TestDate.utc(2027),
            extensions: [
                .basicConstraints(isAuthority: false),
                .keyUsage([.digitalSignature]),
                .extendedKeyUsage([.clientAuthentication]),
            ]
        )
    }

    /// Returns a root certificate, valid from 2020 to 2040.
    public static func authority(_ name: String = "Test Root", pathLength: Int? = nil) -> CertificateTemplate {
        CertificateTemplate(
            subject: .common(name),
            notBefore: TestDate.utc(2020),
            notAfter: TestDate.utc(2040),
            extensions: [
                .basicConstraints(isAuthority: true, pathLength: pathLength),
                .keyUsage([.certificateSigning, .revocationListSigning]),
            ]
        )
    }

    /// Returns an intermediate certificate, valid from 2020 to 2040.
    public static func intermediate(
        _ name: String = "Test Intermediate",
        pathLength: Int? = nil
    ) -> CertificateTemplate {
        authority(name, pathLength: pathLength)
    }

    /// Replaces all extensions with the same identifier, or appends `extension`.
    public mutating func replaceExtension(with extension: CertificateExtension) {
        let place = extensions.firstIndex { $0.oid == `extension`.oid } ?? extensions.endIndex
        removeExtension(`extension`.oid)
        extensions.insert(`extension`, at: min(place, extensions.endIndex))
    }

    /// Removes every extension with this identifier.
    public mutating func removeExtension(_ oid: CertificateOID) { extensions.removeAll { $0.oid == oid } }

    /// Returns the template after `change`.
    public func with(_ change: (inout CertificateTemplate) -> Void) -> CertificateTemplate {
        var template = self
        change(&template)
        return template
    }
}

/// A defect of a signature.
public enum SignatureDefect: Sendable, Hashable, CaseIterable {
    /// No defect.
    case none
    /// One bit is flipped.
    case flippedBit
    /// The last byte is missing.
    case truncated
    /// The signature is empty.
    case empty

    func apply(to signature: [UInt8]) -> [UInt8] {
        var signature = signature
        switch self {
        case .none: break
        case .flippedBit:
            if let last = signature.popLast() { signature.append(last ^ 0x01) }
        case .truncated: _ = signature.popLast()
        case .empty: signature = []
        }
        return signature
    }
}

/// The encoding of a time in a certificate.
public enum TimeEncoding: Sendable, Hashable {
    /// The encoding required by RFC 5280: UTCTime from 1950 to 2049, GeneralizedTime otherwise.
    case automatic
    /// A two-digit year: `260101000000Z`.
    case utcTime
    /// A four-digit year: `20260101000000Z`.
    case generalizedTime
    /// Arbitrary text as a UTCTime.
    case rawUTCTime(String)
    /// Arbitrary text as a GeneralizedTime.
    case rawGeneralizedTime(String)

    /// Returns the time in DER.
    func der(of date: Date) -> [UInt8] {
        switch self {
        case .automatic:
            (1950..<2050).contains(TestDate.year(of: date))
                ? TimeEncoding.utcTime.der(of: date) : TimeEncoding.generalizedTime.der(of: date)
        case .utcTime: DEREncoding.primitive(.utcTime, Array(TestDate.digits(of: date).utf8.dropFirst(2)))
        case .generalizedTime: DEREncoding.primitive(.generalizedTime, Array(TestDate.digits(of: date).utf8))
        case .rawUTCTime(let text): DEREncoding.primitive(.utcTime, Array(text.utf8))
        case .rawGeneralizedTime(let text): DEREncoding.primitive(.generalizedTime, Array(text.utf8))
        }
    }
}

extension CertificateTemplate {
    /// Returns the certificate in DER, signed by `issuerKey`.
    func encoded(
        publicKey: TestKey,
        issuerName: CertificateName,
        issuerKey: TestKey
    ) throws -> [UInt8] {
        let scheme = signatureScheme ?? issuerKey.defaultScheme
        let subjectKey = subjectPublicKeyInfo ?? publicKey.subjectPublicKeyInfo
        let all = extensions + missingIdentifiers(of: publicKey, issuedBy: issuerKey)
        let signed = DEREncoding.sequence(
            version == 0 ? [] : DEREncoding.tagged(0, DEREncoding.integer(version)),
            DEREncoding.primitive(.integer, serialNumber ?? derivedSerialNumber(of: publicKey)),
            (innerSignatureScheme ?? scheme).algorithmIdentifier,
            (issuer ?? issuerName).der,
            DEREncoding.sequence(notBeforeEncoding.der(of: notBefore), notAfterEncoding.der(of: notAfter)),
            subject.der,
            subjectKey,
            all.isEmpty ? [] : DEREncoding.tagged(3, DEREncoding.sequence(of: all.map(\.der))),
            trailingBytesInside
        )
        let signature = signatureDefect.apply(to: try issuerKey.sign(signed, scheme))
        return DEREncoding.sequence(signed, scheme.algorithmIdentifier, DEREncoding.bitString(signature))
            + trailingBytes
    }

    private func missingIdentifiers(of key: TestKey, issuedBy issuerKey: TestKey) -> [CertificateExtension] {
        guard addsKeyIdentifiers, version == 2 else { return [] }
        let identifiers: [CertificateExtension] = [
            .subjectKeyIdentifier(key.identifier), .authorityKeyIdentifier(issuerKey.identifier),
        ]
        return identifiers.filter { identifier in !extensions.contains { $0.oid == identifier.oid } }
    }

    /// Returns 16 positive bytes without a leading zero, as RFC 5280 requires for serial numbers.
    func derivedSerialNumber(of key: TestKey) -> [UInt8] {
        let times = notBeforeEncoding.der(of: notBefore) + notAfterEncoding.der(of: notAfter)
        let hash = SHA256.hash(data: subject.der + key.subjectPublicKeyInfo + times)
        return [0x40] + Array(hash.prefix(15))
    }
}
