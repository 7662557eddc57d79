public import CheckResults
internal import Crypto
internal import FoundationEssentials

extension CertificateDescription {
    /// The maximum number of alternative names in a description.
    private static let maximumNames = 1000

    /// Describes a DER certificate, as far as it can be decoded.
    public init(der: [UInt8]) { self.init(DecodedCertificate(der: der)) }

    init(_ certificate: DecodedCertificate) {
        self.init(
            subject: certificate.subject.description,
            subjectAlternativeNames: certificate.extensions.subjectAlternativeNames.prefix(Self.maximumNames)
                .map(\.description),
            issuer: certificate.issuer.description,
            notValidBefore: certificate.notBefore?.date,
            notValidAfter: certificate.notAfter?.date,
            serialNumber: certificate.serialNumber.shownHexadecimal(),
            sha256: [UInt8](SHA256.hash(data: certificate.der)).hexadecimal,
            publicKeyPin: certificate.publicKeyPin,
            key: certificate.publicKey?.words ?? "",
            signature: certificate.signatureAlgorithm?.words ?? "",
            isCertificateAuthority: certificate.extensions.basicConstraints?.isAuthority ?? false
        )
    }
}
