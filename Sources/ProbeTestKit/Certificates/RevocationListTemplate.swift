internal import SwiftASN1

public import struct FoundationEssentials.Date

/// The complete content of a revocation list before it is signed, valid or invalid (RFC 5280, section 5).
public struct RevocationListTemplate: Sendable, Hashable {
    /// One revoked certificate.
    public struct Entry: Sendable, Hashable {
        /// The encoded bytes of the certificate's serial number.
        public var serialNumber: [UInt8]
        /// The date of the revocation.
        public var date: Date
        /// The number of the reason, such as 1 for a compromised key; nil omits the extension.
        public var reason: UInt8?

        /// Creates an entry.
        public init(serialNumber: [UInt8], date: Date = TestDate.utc(2026, 3), reason: UInt8? = nil) {
            self.serialNumber = serialNumber
            self.date = date
            self.reason = reason
        }
    }

    /// The encoded version: 1 for version 2; nil omits it.
    public var version: Int? = 1
    /// The issuer's name; nil for the subject of the issuing certificate.
    public var issuer: CertificateName?
    /// The date of the list.
    public var thisUpdate: Date
    /// The date of the next list; nil omits it.
    public var nextUpdate: Date?
    /// The revoked certificates.
    public var entries: [Entry]
    /// The list's extensions.
    public var extensions: [CertificateExtension]
    /// `true` to add the identifier of the issuer's key, unless the extensions have one already.
    public var addsKeyIdentifier = true
    /// The signature algorithm; nil for the default one of the issuer's key.
    public var signatureScheme: SignatureScheme?
    /// The signature algorithm in the signed part; nil for the same as outside, as required.
    public var innerSignatureScheme: SignatureScheme?
    /// The defect of the signature.
    public var signatureDefect = SignatureDefect.none
    /// Bytes after the list.
    public var trailingBytes: [UInt8] = []

    /// Creates a list of revoked certificates; by default of May 2026 and valid until July.
    public init(
        revoking entries: [Entry] = [],
        thisUpdate: Date = TestDate.utc(2026, 5),
        nextUpdate: Date? = TestDate.utc(2026, 7),
        number: Int = 1
    ) {
        self.entries = entries
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        extensions = [.raw(.revocationListNumber, DEREncoding.integer(number))]
    }
}

extension IssuedCertificate {
    /// Returns a revocation list in DER, issued by this certificate, even if it must not issue lists.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func revocationList(_ template: RevocationListTemplate) throws -> [UInt8] {
        let scheme = template.signatureScheme ?? key.defaultScheme
        var extensions = template.extensions
        if template.addsKeyIdentifier, !extensions.contains(where: { $0.oid == .authorityKeyIdentifier }) {
            extensions.append(.authorityKeyIdentifier(key.identifier))
        }
        let entries = template.entries.map { entry in
            let reason = entry.reason.map { reason in
                DEREncoding.sequence(
                    CertificateExtension.raw(.revocationReason, DEREncoding.primitive(.enumerated, [reason])).der
                )
            }
            return DEREncoding.sequence(
                DEREncoding.primitive(.integer, entry.serialNumber),
                TimeEncoding.automatic.der(of: entry.date),
                reason ?? []
            )
        }
        let signed = DEREncoding.sequence(
            template.version.map { DEREncoding.integer($0) } ?? [],
            (template.innerSignatureScheme ?? scheme).algorithmIdentifier,
            (template.issuer ?? subject).der,
            TimeEncoding.automatic.der(of: template.thisUpdate),
            template.nextUpdate.map { TimeEncoding.automatic.der(of: $0) } ?? [],
            // An empty list of revoked certificates must be absent.
            entries.isEmpty ? [] : DEREncoding.sequence(of: entries),
            extensions.isEmpty ? [] : DEREncoding.tagged(0, DEREncoding.sequence(of: extensions.map(\.der)))
        )
        let signature = template.signatureDefect.apply(to: try key.sign(signed, scheme))
        return DEREncoding.sequence(signed, scheme.algorithmIdentifier, DEREncoding.bitString(signature))
            + template.trailingBytes
    }

    /// Returns a revocation list in PEM, issued by this certificate.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func revocationListPEM(_ template: RevocationListTemplate) throws -> String {
        PEMText.encode("X509 CRL", try revocationList(template))
    }
}
