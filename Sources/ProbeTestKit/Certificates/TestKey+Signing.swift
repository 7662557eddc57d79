internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// An ECDSA key on any curve.
private protocol DigestSigner {
    func signatureDER(for digest: some Digest) throws -> Data
}

extension P256.Signing.PrivateKey: DigestSigner {
    fileprivate func signatureDER(for digest: some Digest) throws -> Data {
        try signature(for: digest).derRepresentation
    }
}

extension P384.Signing.PrivateKey: DigestSigner {
    fileprivate func signatureDER(for digest: some Digest) throws -> Data {
        try signature(for: digest).derRepresentation
    }
}

extension P521.Signing.PrivateKey: DigestSigner {
    fileprivate func signatureDER(for digest: some Digest) throws -> Data {
        try signature(for: digest).derRepresentation
    }
}

extension TestKey {
    /// The default signature scheme of this key.
    public var defaultScheme: SignatureScheme {
        switch kind {
        case .p256: .ecdsaSHA256
        case .p384: .ecdsaSHA384
        case .p521: .ecdsaSHA512
        case .ed25519: .ed25519
        case .rsa1024, .rsa2048, .rsa3072: .rsaSHA256
        }
    }

    /// Signs `bytes`; a scheme of another type of key is replaced by ``defaultScheme``.
    ///
    /// So a certificate can claim any algorithm. Signatures with ECDSA and RSA-PSS differ each time.
    ///
    /// - Throws: ``CertificateFactoryError`` when the key is too small for the hash.
    public func sign(_ bytes: [UInt8], _ scheme: SignatureScheme) throws -> [UInt8] {
        do {
            return switch secret {
            case .p256(let key): try ecdsa(bytes, scheme, key)
            case .p384(let key): try ecdsa(bytes, scheme, key)
            case .p521(let key): try ecdsa(bytes, scheme, key)
            case .ed25519(let key): [UInt8](try key.signature(for: bytes))
            case .rsa(let key): [UInt8](try rsa(bytes, scheme, key).rawRepresentation)
            }
        } catch {
            throw CertificateFactoryError.signature(scheme, kind, "\(error)")
        }
    }

    private func ecdsa(_ bytes: [UInt8], _ scheme: SignatureScheme, _ key: some DigestSigner) throws -> [UInt8] {
        switch scheme {
        case .ecdsaSHA1: [UInt8](try key.signatureDER(for: Insecure.SHA1.hash(data: bytes)))
        case .ecdsaSHA256: [UInt8](try key.signatureDER(for: SHA256.hash(data: bytes)))
        case .ecdsaSHA384: [UInt8](try key.signatureDER(for: SHA384.hash(data: bytes)))
        case .ecdsaSHA512: [UInt8](try key.signatureDER(for: SHA512.hash(data: bytes)))
        case .ed25519, .rsaMD5, .rsaSHA1, .rsaSHA256, .rsaSHA384, .rsaSHA512, .rsaPSSSHA256, .rsaPSSSHA384,
            .rsaPSSSHA512, .unknown:
            try ecdsa(bytes, defaultScheme, key)
        }
    }

    private func rsa(
        _ bytes: [UInt8],
        _ scheme: SignatureScheme,
        _ key: _RSA.Signing.PrivateKey
    ) throws -> _RSA.Signing.RSASignature {
        switch scheme {
        case .rsaSHA1: try key.signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .rsaSHA384: try key.signature(for: SHA384.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .rsaSHA512: try key.signature(for: SHA512.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .rsaPSSSHA256: try key.signature(for: SHA256.hash(data: bytes), padding: .PSS)
        case .rsaPSSSHA384: try key.signature(for: SHA384.hash(data: bytes), padding: .PSS)
        case .rsaPSSSHA512: try key.signature(for: SHA512.hash(data: bytes), padding: .PSS)
        case .rsaSHA256, .rsaMD5, .ecdsaSHA1, .ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512, .ed25519, .unknown:
            try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        }
    }
}
