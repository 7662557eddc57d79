/// The algorithm of a signature on a certificate or a revocation list.
public enum SignatureScheme: Sendable, Hashable {
    /// ECDSA with SHA-1, which must be refused.
    case ecdsaSHA1
    /// ECDSA with SHA-256.
    case ecdsaSHA256
    /// ECDSA with SHA-384.
    case ecdsaSHA384
    /// ECDSA with SHA-512.
    case ecdsaSHA512
    /// Ed25519.
    case ed25519
    /// RSA (PKCS #1 v1.5) declared as MD5. The actual signature uses SHA-256: MD5 must be refused before verification.
    case rsaMD5
    /// RSA (PKCS #1 v1.5) with SHA-1, which must be refused.
    case rsaSHA1
    /// RSA (PKCS #1 v1.5) with SHA-256.
    case rsaSHA256
    /// RSA (PKCS #1 v1.5) with SHA-384.
    case rsaSHA384
    /// RSA (PKCS #1 v1.5) with SHA-512.
    case rsaSHA512
    /// RSA-PSS with SHA-256 and a salt of 32 bytes.
    case rsaPSSSHA256
    /// RSA-PSS with SHA-384 and a salt of 48 bytes.
    case rsaPSSSHA384
    /// RSA-PSS with SHA-512 and a salt of 64 bytes.
    case rsaPSSSHA512
    /// An algorithm with any identifier, without parameters; the signature is the key's default.
    case unknown(CertificateOID)

    /// The AlgorithmIdentifier in DER.
    public var algorithmIdentifier: [UInt8] {
        switch self {
        case .ecdsaSHA1: DEREncoding.sequence(CertificateOID("1.2.840.10045.4.1").der)
        case .ecdsaSHA256: DEREncoding.sequence(CertificateOID("1.2.840.10045.4.3.2").der)
        case .ecdsaSHA384: DEREncoding.sequence(CertificateOID("1.2.840.10045.4.3.3").der)
        case .ecdsaSHA512: DEREncoding.sequence(CertificateOID("1.2.840.10045.4.3.4").der)
        case .ed25519: DEREncoding.sequence(CertificateOID("1.3.101.112").der)
        case .rsaMD5: DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.4").der, DEREncoding.null)
        case .rsaSHA1: DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.5").der, DEREncoding.null)
        case .rsaSHA256: DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.11").der, DEREncoding.null)
        case .rsaSHA384: DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.12").der, DEREncoding.null)
        case .rsaSHA512: DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.13").der, DEREncoding.null)
        case .rsaPSSSHA256: Self.pss(hash: "2.16.840.1.101.3.4.2.1", saltLength: 32)
        case .rsaPSSSHA384: Self.pss(hash: "2.16.840.1.101.3.4.2.2", saltLength: 48)
        case .rsaPSSSHA512: Self.pss(hash: "2.16.840.1.101.3.4.2.3", saltLength: 64)
        case .unknown(let oid): DEREncoding.sequence(oid.der)
        }
    }

    /// RSASSA-PSS-params of RFC 4055: hash, mask generation with the same hash, salt length.
    private static func pss(hash: CertificateOID, saltLength: Int) -> [UInt8] {
        let hash = DEREncoding.sequence(hash.der, DEREncoding.null)
        let mask = DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.8").der, hash)
        let parameters = DEREncoding.sequence(
            DEREncoding.tagged(0, hash),
            DEREncoding.tagged(1, mask),
            DEREncoding.tagged(2, DEREncoding.integer(saltLength))
        )
        return DEREncoding.sequence(CertificateOID("1.2.840.113549.1.1.10").der, parameters)
    }
}
