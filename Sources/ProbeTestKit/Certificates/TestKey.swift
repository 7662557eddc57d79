internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// A private key for tests.
///
/// It protects nothing: the seed reveals the key.
public struct TestKey: Sendable {
    /// The types of keys.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case p256, p384, p521, ed25519, rsa1024, rsa2048, rsa3072
    }

    enum Secret: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    /// The type of this key.
    public let kind: Kind
    let secret: Secret

    private init(kind: Kind, secret: Secret) {
        self.kind = kind
        self.secret = secret
    }

    /// Returns a new random key on the curve P-256.
    public static func p256() -> TestKey { TestKey(kind: .p256, secret: .p256(P256.Signing.PrivateKey())) }

    /// Creates a key that is always the same for the same seed; RSA keys are shared in this process.
    ///
    /// - Throws: ``CertificateFactoryError`` when the seed gives no valid key, which does not happen by chance.
    public init(_ kind: Kind, seed: String) throws {
        let bytes = Array(seed.utf8)
        self.kind = kind
        do {
            switch kind {
            case .p256: secret = .p256(try P256.Signing.PrivateKey(rawRepresentation: Data(SHA256.hash(data: bytes))))
            case .p384: secret = .p384(try P384.Signing.PrivateKey(rawRepresentation: Data(SHA384.hash(data: bytes))))
            case .p521:
                let scalar = [0, 0] + Data(SHA512.hash(data: bytes))
                secret = .p521(try P521.Signing.PrivateKey(rawRepresentation: scalar))
            case .ed25519:
                let scalar = Data(SHA256.hash(data: bytes))
                secret = .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: scalar))
            case .rsa1024: secret = try Self.rsa1024.secret
            case .rsa2048: secret = try Self.rsa2048.secret
            case .rsa3072: secret = try Self.rsa3072.secret
            }
        } catch {
            throw CertificateFactoryError.key(kind, "\(error)")
        }
    }

    /// Creates a new random key; RSA keys take up to a second.
    ///
    /// - Throws: ``CertificateFactoryError`` when an RSA key cannot be created.
    public init(_ kind: Kind) throws {
        switch kind {
        case .p256: self = .p256()
        case .p384: self.init(kind: kind, secret: .p384(P384.Signing.PrivateKey()))
        case .p521: self.init(kind: kind, secret: .p521(P521.Signing.PrivateKey()))
        case .ed25519: self.init(kind: kind, secret: .ed25519(Curve25519.Signing.PrivateKey()))
        case .rsa1024: self.init(kind: kind, secret: try Self.makeRSA(kind, bits: 1024))
        case .rsa2048: self.init(kind: kind, secret: try Self.makeRSA(kind, bits: 2048))
        case .rsa3072: self.init(kind: kind, secret: try Self.makeRSA(kind, bits: 3072))
        }
    }

    private static func makeRSA(_ kind: Kind, bits: Int) throws -> Secret {
        do {
            return .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: bits)))
        } catch {
            throw CertificateFactoryError.key(kind, "\(error)")
        }
    }
}

extension TestKey {
    /// The shared RSA key of 1024 bits, created on first use.
    public static var rsa1024: TestKey { get throws { try shared1024.get() } }
    /// The shared RSA key of 2048 bits, created on first use.
    public static var rsa2048: TestKey { get throws { try shared2048.get() } }
    /// The shared RSA key of 3072 bits, created on first use.
    public static var rsa3072: TestKey { get throws { try shared3072.get() } }

    private static let shared1024 = Result { try TestKey(.rsa1024) }
    private static let shared2048 = Result { try TestKey(.rsa2048) }
    private static let shared3072 = Result { try TestKey(.rsa3072) }
}

extension TestKey {
    /// The public key as a SubjectPublicKeyInfo in DER.
    public var subjectPublicKeyInfo: [UInt8] {
        switch secret {
        case .p256(let key): [UInt8](key.publicKey.derRepresentation)
        case .p384(let key): [UInt8](key.publicKey.derRepresentation)
        case .p521(let key): [UInt8](key.publicKey.derRepresentation)
        case .ed25519(let key):
            DEREncoding.sequence(
                SignatureScheme.ed25519.algorithmIdentifier,
                DEREncoding.bitString([UInt8](key.publicKey.rawRepresentation))
            )
        case .rsa(let key): [UInt8](key.publicKey.derRepresentation)
        }
    }

    /// The private key in PKCS #8 DER.
    public var pkcs8DER: [UInt8] {
        switch secret {
        case .p256(let key): [UInt8](key.derRepresentation)
        case .p384(let key): [UInt8](key.derRepresentation)
        case .p521(let key): [UInt8](key.derRepresentation)
        case .ed25519(let key):
            DEREncoding.sequence(
                DEREncoding.integer(0),
                SignatureScheme.ed25519.algorithmIdentifier,
                DEREncoding.octetString(DEREncoding.octetString([UInt8](key.rawRepresentation)))
            )
        case .rsa(let key): [UInt8](key.pkcs8DERRepresentation)
        }
    }

    /// The private key in PEM, for servers.
    public var pkcs8PEM: String { PEMText.encode("PRIVATE KEY", pkcs8DER) }

    /// The identifier of the public key, by the first method in RFC 5280, section 4.2.1.2.
    public var identifier: [UInt8] {
        let bits: [UInt8] =
            switch secret {
            case .p256(let key): [UInt8](key.publicKey.x963Representation)
            case .p384(let key): [UInt8](key.publicKey.x963Representation)
            case .p521(let key): [UInt8](key.publicKey.x963Representation)
            case .ed25519(let key): [UInt8](key.publicKey.rawRepresentation)
            case .rsa(let key): [UInt8](key.publicKey.pkcs1DERRepresentation)
            }
        return [UInt8](Insecure.SHA1.hash(data: bits))
    }
}

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

/// The reason a certificate, key or list could not be created.
public enum CertificateFactoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key could not be created; the second value is the reason.
    case key(TestKey.Kind, String)
    /// The key does not support the signature scheme; the third value is the reason.
    case signature(SignatureScheme, TestKey.Kind, String)

    /// The failed operation, and the reason.
    public var description: String {
        switch self {
        case .key(let kind, let reason): "a key of the kind \(kind) cannot be made: \(reason)"
        case .signature(let scheme, let kind, let reason): "a key of the kind \(kind) cannot sign \(scheme): \(reason)"
        }
    }
}
