internal import CheckResults
internal import ForeignText
internal import Nettle
internal import SwiftASN1

/// A certificate's public key: its algorithm, its strength, and the verification of its signatures.
struct SubjectPublicKey: Sendable {
    enum Kind: Sendable, Hashable {
        case rsa(bits: Int, hasSoundExponent: Bool)
        case p256, p384, p521, ed25519
        case dsa
        /// Another algorithm or curve, by its object identifier.
        case other(ForeignText)
        case undecodable
    }

    /// The exact DER of the SubjectPublicKeyInfo.
    let encoded: [UInt8]
    let kind: Kind
    /// The content of the bit string: an EC point, a PKCS #1 key, raw bytes.
    private let keyBytes: [UInt8]
    /// The signatures that the key's own algorithm allows; nil for all of its kind.
    private let signatures: [SignatureAlgorithm.Kind]?

    init(_ node: ASN1Node) {
        encoded = [UInt8](node.encodedBytes)
        guard let parts = node.sequence, parts.count == 2, let algorithm = parts[0].sequence,
            (1...2).contains(algorithm.count), let identifier = algorithm[0].objectIdentifier,
            let bits = parts[1].wholeBits
        else {
            kind = .undecodable
            (keyBytes, signatures) = ([], nil)
            return
        }
        keyBytes = bits
        signatures = identifier == Self.pss ? Self.signatures(parts[0], isRestricted: algorithm.count > 1) : nil
        switch identifier {
        case "1.2.840.113549.1.1.1", Self.pss: kind = Self.rsaKind(bits)
        case "1.2.840.10045.2.1": kind = Self.curve(algorithm.dropFirst().first?.objectIdentifier)
        // RFC 8410, section 3: without parameters.
        case "1.3.101.112": kind = algorithm.count == 1 ? .ed25519 : .undecodable
        case "1.2.840.10040.4.1": kind = .dsa
        default: kind = .other(identifier)
        }
    }

    private static let pss: ForeignText = "1.2.840.113549.1.1.10"

    /// RFC 4055, sections 1.2 and 3.3: an RSA key with the identifier of RSASSA-PSS is for that padding alone, and with
    /// parameters only for them.
    private static func signatures(_ algorithm: ASN1Node, isRestricted: Bool) -> [SignatureAlgorithm.Kind] {
        isRestricted
            ? [SignatureAlgorithm(algorithm).kind] : [.rsaPSS(.sha256), .rsaPSS(.sha384), .rsaPSS(.sha512)]
    }

    private static func curve(_ identifier: ForeignText?) -> Kind {
        switch identifier {
        case "1.2.840.10045.3.1.7": .p256
        case "1.3.132.0.34": .p384
        case "1.3.132.0.35": .p521
        case .some(let other): .other(other)
        case .none: .undecodable
        }
    }

    /// The two integers of a sequence of just these: an RSA key, or an ECDSA signature.
    private static func integers(_ bytes: [UInt8]) -> ([UInt8], [UInt8])? {
        // Counted first: bits are one value of the certificate, and the parser would decode tens of thousands in them.
        guard ASN1Node.valueCount(in: bytes) == 3, let parts = ASN1Node.parsing(bytes)?.sequence, parts.count == 2,
            let first = parts[0].integerBytes, let second = parts[1].integerBytes
        else { return nil }
        return (first, second)
    }

    private static func rsaKind(_ bytes: [UInt8]) -> Kind {
        guard let (modulus, exponent) = integers(bytes) else { return .undecodable }
        let digits = modulus.drop { $0 == 0 }
        guard let top = digits.first, modulus[0] < 0x80 else { return .undecodable }
        let isOdd = (exponent.last ?? 0) & 1 == 1
        let isSound = isOdd && exponent[0] < 0x80 && exponent.count <= 32 && exponent != [1]
        return .rsa(bits: digits.count * 8 - top.leadingZeroBitCount, hasSoundExponent: isSound)
    }

    /// The name of the key's algorithm.
    var words: String {
        switch kind {
        case .rsa(let bits, _): "RSA \(bits)"
        case .p256: "ECDSA P-256"
        case .p384: "ECDSA P-384"
        case .p521: "ECDSA P-521"
        case .ed25519: "Ed25519"
        case .dsa: "DSA"
        case .other(let identifier): Self.otherCurves[identifier] ?? "algorithm \(identifier.shown(limit: 64))"
        case .undecodable: "undecodable"
        }
    }

    private static let otherCurves: [ForeignText: String] = [
        "1.2.840.10045.3.1.1": "ECDSA P-192", "1.3.132.0.33": "ECDSA P-224", "1.3.132.0.10": "ECDSA secp256k1",
        "1.3.101.113": "Ed448", "1.3.101.110": "X25519",
    ]

    /// The reason the key must not be used; nil when it may.
    ///
    /// Ed25519 is accepted: the Baseline Requirements exclude it for lack of hardware support, not for weakness, and
    /// private authorities use it.
    var weakness: (code: FindingCode, evidence: String)? {
        switch kind {
        case .rsa(let bits, let hasSoundExponent):
            if bits < 2048 { return (.tlsWeakKey, "the RSA key has \(bits) bits, and at least 2048 are needed") }
            if bits > 8192 {
                return (.tlsUnsupportedAlgorithm, "the RSA key has \(bits) bits, and at most 8192 are accepted")
            }
            if bits % 8 != 0 { return (.tlsWeakKey, "the RSA key has \(bits) bits, which is not a multiple of 8") }
            if !hasSoundExponent { return (.tlsWeakKey, "the RSA key's public exponent is not an odd number above 1") }
            return nil
        case .p256, .p384, .p521, .ed25519: return nil
        case .dsa: return (.tlsWeakKey, "the key is a DSA key; RSA, ECDSA and Ed25519 are accepted")
        case .other:
            return (.tlsUnsupportedAlgorithm, "the key is \(words); RSA, P-256, P-384, P-521 and Ed25519 are accepted")
        case .undecodable: return (.tlsMalformedCertificate, "the public key cannot be decoded")
        }
    }

    /// Returns whether the bytes are a key of the algorithm: a point of the curve, two usable numbers, 32 bytes.
    var isReadable: Bool {
        switch kind {
        case .rsa: rsaKey != nil
        case .p256: ECPublicKey(keyBytes, on: .p256) != nil
        case .p384: ECPublicKey(keyBytes, on: .p384) != nil
        case .p521: ECPublicKey(keyBytes, on: .p521) != nil
        case .ed25519: Ed25519PublicKey(keyBytes) != nil
        case .dsa, .other, .undecodable: false
        }
    }

    private var rsaKey: RSAPublicKey? {
        Self.integers(keyBytes).flatMap { RSAPublicKey(modulus: $0.0, exponent: $0.1) }
    }

    /// Verifies that the holder of this key signed `message`.
    func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> SignatureVerdict {
        guard weakness == nil, signatures?.contains(algorithm.kind) != false else { return .unsupported }
        switch (algorithm.kind, kind) {
        case (.ecdsa(let hash), .p256): return verifyECDSA(signature, hash.hash(message), .p256)
        case (.ecdsa(let hash), .p384): return verifyECDSA(signature, hash.hash(message), .p384)
        case (.ecdsa(let hash), .p521): return verifyECDSA(signature, hash.hash(message), .p521)
        case (.rsa(let hash), .rsa): return verifyRSA(signature, hash.hash(message), hash, .pkcs1)
        case (.rsaPSS(let hash), .rsa): return verifyRSA(signature, hash.hash(message), hash, .pss)
        case (.ed25519, .ed25519):
            guard let key = Ed25519PublicKey(keyBytes) else { return .unsupported }
            return key.verifies(signature, of: message) ? .valid : .invalid
        case (.ecdsa, _), (.rsa, _), (.rsaPSS, _), (.ed25519, _): return .invalid
        case (.weak, _): return .weak
        case (.other, _): return .unsupported
        }
    }

    private func verifyECDSA(_ signature: [UInt8], _ hash: [UInt8], _ curve: ECPublicKey.Curve) -> SignatureVerdict {
        guard let key = ECPublicKey(keyBytes, on: curve) else { return .unsupported }
        guard let (r, s) = Self.integers(signature), r[0] < 0x80, s[0] < 0x80 else { return .invalid }
        return key.verifies(hash: hash, r: r, s: s) ? .valid : .invalid
    }

    private func verifyRSA(
        _ signature: [UInt8],
        _ hash: [UInt8],
        _ function: SHA2,
        _ padding: RSAPublicKey.Padding
    ) -> SignatureVerdict {
        guard let key = rsaKey else { return .unsupported }
        return key.verifies(signature, ofHash: hash, by: function, padding: padding) ? .valid : .invalid
    }
}

/// The result of verifying a signature.
enum SignatureVerdict: Sendable, Hashable {
    case valid
    case invalid
    /// Not verified, because the hash is broken.
    case weak
    /// Not verified, because the algorithm is not supported or the key cannot be read.
    case unsupported
}
