internal import Crypto
internal import SwiftASN1

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
        let signed = DERForm.sequence(
            version == 0 ? [] : DERForm.tagged(0, DERForm.integer(version)),
            DERForm.primitive(.integer, serialNumber ?? derivedSerialNumber(of: publicKey)),
            (innerSignatureScheme ?? scheme).algorithmIdentifier,
            (issuer ?? issuerName).der,
            DERForm.sequence(notBeforeEncoding.der(of: notBefore), notAfterEncoding.der(of: notAfter)),
            subject.der,
            subjectKey,
            all.isEmpty ? [] : DERForm.tagged(3, DERForm.sequence(of: all.map(\.der))),
            trailingBytesInside
        )
        let signature = signatureDefect.apply(to: try issuerKey.sign(signed, scheme))
        return DERForm.sequence(signed, scheme.algorithmIdentifier, DERForm.bitString(signature)) + trailingBytes
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
