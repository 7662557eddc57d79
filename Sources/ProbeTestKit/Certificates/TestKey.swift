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
