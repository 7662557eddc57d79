internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

extension TestKey {
    /// The public key as a SubjectPublicKeyInfo in DER.
    public var subjectPublicKeyInfo: [UInt8] {
        switch secret {
        case .p256(let key): [UInt8](key.publicKey.derRepresentation)
        case .p384(let key): [UInt8](key.publicKey.derRepresentation)
        case .p521(let key): [UInt8](key.publicKey.derRepresentation)
        case .ed25519(let key):
            DERForm.sequence(
                SignatureScheme.ed25519.algorithmIdentifier,
                DERForm.bitString([UInt8](key.publicKey.rawRepresentation))
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
            DERForm.sequence(
                DERForm.integer(0),
                SignatureScheme.ed25519.algorithmIdentifier,
                DERForm.octetString(DERForm.octetString([UInt8](key.rawRepresentation)))
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
