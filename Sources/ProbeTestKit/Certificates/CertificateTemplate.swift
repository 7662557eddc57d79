public import struct FoundationEssentials.Date

/// Everything that a certificate says, right or wrong, before a key signs it.
///
/// The makers ``server(names:addresses:)``, ``intermediate(_:pathLength:)`` and ``authority(_:pathLength:)`` give correct
/// certificates. What they give can be changed before it is issued: every part is a variable, and nothing is checked.
///
/// ```swift
/// var template = CertificateTemplate.server(names: ["host.test"])
/// template.notAfter = TestDate.utc(2026, 2, 1)
/// let expired = try TestAuthority.standard().intermediate.issue(template)
/// ```
public struct CertificateTemplate: Sendable, Hashable {
    /// The version as it is encoded: 2 for a certificate of version 3, 0 for version 1 (which leaves the field out).
    public var version = 2
    /// The serial number's bytes as they are encoded; nil for one that is made from the subject, the key and the dates.
    public var serialNumber: [UInt8]?
    /// Whom the certificate is about.
    public var subject: CertificateName
    /// Who is named as the issuer; nil for the subject of the certificate that issues.
    public var issuer: CertificateName?
    /// When the validity begins.
    public var notBefore: Date
    /// When the validity ends.
    public var notAfter: Date
    /// How ``notBefore`` is written.
    public var notBeforeEncoding = TimeEncoding.automatic
    /// How ``notAfter`` is written.
    public var notAfterEncoding = TimeEncoding.automatic
    /// The extensions in their order; the same one may be there twice.
    public var extensions: [CertificateExtension]
    /// Whether the identifiers of the two keys are added, unless the extensions have them already.
    public var addsKeyIdentifiers = true
    /// The signature algorithm; nil for the default one of the issuer's key.
    public var signatureScheme: SignatureScheme?
    /// The signature algorithm that the signed part names; nil for the same as outside, as it must be.
    public var innerSignatureScheme: SignatureScheme?
    /// What is wrong with the signature.
    public var signatureDefect = SignatureDefect.none
    /// The SubjectPublicKeyInfo in DER in place of the key's own.
    public var subjectPublicKeyInfo: [UInt8]?
    /// Bytes behind the extensions, inside the signed part.
    public var trailingBytesInside: [UInt8] = []
    /// Bytes behind the certificate.
    public var trailingBytes: [UInt8] = []

    /// A template with these parts, of version 3.
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

    /// A server's certificate for DNS names and IP addresses, valid in 2026.
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

    /// A client's certificate, valid in 2026.
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

    /// The certificate of a root authority, valid from 2020 to 2040.
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

    /// The certificate of an intermediate authority, valid from 2020 to 2040.
    public static func intermediate(
        _ name: String = "Test Intermediate",
        pathLength: Int? = nil
    ) -> CertificateTemplate {
        authority(name, pathLength: pathLength)
    }

    /// Puts `extension` in the place of all that have its identifier, or behind the others.
    public mutating func replaceExtension(with extension: CertificateExtension) {
        let place = extensions.firstIndex { $0.oid == `extension`.oid } ?? extensions.endIndex
        removeExtension(`extension`.oid)
        extensions.insert(`extension`, at: min(place, extensions.endIndex))
    }

    /// Takes out every extension with this identifier.
    public mutating func removeExtension(_ oid: CertificateOID) { extensions.removeAll { $0.oid == oid } }

    /// The same template after `change`.
    public func with(_ change: (inout CertificateTemplate) -> Void) -> CertificateTemplate {
        var template = self
        change(&template)
        return template
    }
}
