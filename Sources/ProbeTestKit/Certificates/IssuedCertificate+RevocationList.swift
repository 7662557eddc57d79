internal import SwiftASN1

extension IssuedCertificate {
    /// Returns a revocation list in DER, issued by this certificate, whether or not it may.
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
                DERForm.sequence(
                    CertificateExtension.raw(.revocationReason, DERForm.primitive(.enumerated, [reason])).der
                )
            }
            return DERForm.sequence(
                DERForm.primitive(.integer, entry.serialNumber),
                TimeEncoding.automatic.der(of: entry.date),
                reason ?? []
            )
        }
        let signed = DERForm.sequence(
            template.version.map { DERForm.integer($0) } ?? [],
            (template.innerSignatureScheme ?? scheme).algorithmIdentifier,
            (template.issuer ?? subject).der,
            TimeEncoding.automatic.der(of: template.thisUpdate),
            template.nextUpdate.map { TimeEncoding.automatic.der(of: $0) } ?? [],
            // An empty list of revoked certificates must be absent.
            entries.isEmpty ? [] : DERForm.sequence(of: entries),
            extensions.isEmpty ? [] : DERForm.tagged(0, DERForm.sequence(of: extensions.map(\.der)))
        )
        let signature = template.signatureDefect.apply(to: try key.sign(signed, scheme))
        return DERForm.sequence(signed, scheme.algorithmIdentifier, DERForm.bitString(signature))
            + template.trailingBytes
    }

    /// Returns a revocation list in PEM, issued by this certificate.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key does not support the template's signature scheme.
    public func revocationListPEM(_ template: RevocationListTemplate) throws -> String {
        PEMText.encode("X509 CRL", try revocationList(template))
    }
}
