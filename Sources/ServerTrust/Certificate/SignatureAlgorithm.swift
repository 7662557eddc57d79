internal import ForeignText
internal import Nettle
internal import SwiftASN1

/// A signature algorithm, by its AlgorithmIdentifier.
struct SignatureAlgorithm: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case ecdsa(SHA2)
        case rsa(SHA2)
        case rsaPSS(SHA2)
        case ed25519
        /// DSA, or an algorithm with a broken hash; with its name.
        case weak(String)
        /// Any other algorithm, by its object identifier.
        case other(ForeignText)
    }

    let kind: Kind

    init(_ node: ASN1Node) {
        let parts = node.sequence ?? []
        let parameters = parts.dropFirst().first
        let hasPlainParameters = parts.count == 1 || parts.count == 2 && parameters?.identifier == .null
        let identifier = parts.first?.objectIdentifier ?? ForeignText("without identifier")
        let known: Kind
        switch identifier {
        case "1.2.840.10045.4.3.2": known = .ecdsa(.sha256)
        case "1.2.840.10045.4.3.3": known = .ecdsa(.sha384)
        case "1.2.840.10045.4.3.4": known = .ecdsa(.sha512)
        case "1.2.840.113549.1.1.11": known = .rsa(.sha256)
        case "1.2.840.113549.1.1.12": known = .rsa(.sha384)
        case "1.2.840.113549.1.1.13": known = .rsa(.sha512)
        case "1.3.101.112": known = .ed25519
        case "1.2.840.113549.1.1.10":
            kind = Self.pssHash(parts).map { .rsaPSS($0) } ?? .other(identifier)
            return
        case "1.2.840.113549.1.1.2": known = .weak("RSA with MD2")
        case "1.2.840.113549.1.1.4": known = .weak("RSA with MD5")
        case "1.2.840.113549.1.1.5", "1.3.14.3.2.29": known = .weak("RSA with SHA-1")
        case "1.2.840.10045.4.1": known = .weak("ECDSA with SHA-1")
        case "1.2.840.10040.4.3": known = .weak("DSA with SHA-1")
        case "2.16.840.1.101.3.4.3.1", "2.16.840.1.101.3.4.3.2": known = .weak("DSA")
        default: known = .other(identifier)
        }
        kind = hasPlainParameters ? known : .other(identifier)
    }

    /// RFC 4055: only the usual parameters are supported, with one hash for both uses and a salt of its length.
    private static func pssHash(_ algorithm: [ASN1Node]) -> SHA2? {
        guard algorithm.count == 2, let fields = algorithm[1].sequence, fields.haveAscendingTags else { return nil }
        var hash: SHA2?
        var maskHash: SHA2?
        var saltLength: [UInt8]?
        for field in fields {
            guard let inner = field.children, inner.count == 1 else { return nil }
            switch field.contextTag {
            case 0: hash = SHA2(identifier: inner[0].sequence?.first?.objectIdentifier)
            case 1:
                guard let mask = inner[0].sequence, mask.count == 2, mask[0].objectIdentifier == "1.2.840.113549.1.1.8"
                else {
                    return nil
                }
                maskHash = SHA2(identifier: mask[1].sequence?.first?.objectIdentifier)
            case 2: saltLength = inner[0].integerBytes
            case 3: guard inner[0].integerBytes == [1] else { return nil }
            default: return nil
            }
        }
        guard let hash, hash == maskHash, saltLength == [UInt8(hash.byteCount)] else { return nil }
        return hash
    }

    /// The name of the algorithm.
    var words: String {
        switch kind {
        case .ecdsa(let hash): "ECDSA with \(hash.rawValue)"
        case .rsa(let hash): "RSA with \(hash.rawValue)"
        case .rsaPSS(let hash): "RSA-PSS with \(hash.rawValue)"
        case .ed25519: "Ed25519"
        case .weak(let words): words
        case .other("1.2.840.113549.1.1.10"): "RSA-PSS with unusual parameters"
        case .other(let identifier): "algorithm \(identifier.shown(limit: 64))"
        }
    }
}

extension SHA2 {
    /// Creates the function with this object identifier.
    fileprivate init?(identifier: ForeignText?) {
        switch identifier {
        case "2.16.840.1.101.3.4.2.1": self = .sha256
        case "2.16.840.1.101.3.4.2.2": self = .sha384
        case "2.16.840.1.101.3.4.2.3": self = .sha512
        default: return nil
        }
    }
}
