internal import ForeignText
internal import SwiftASN1

/// The decoding of single extensions; each returns nil for a malformed value.
extension CertificateExtensions {
    static func basicConstraints(_ node: ASN1Node) -> BasicConstraints? {
        guard var parts = node.sequence?[...] else { return nil }
        var isAuthority = false
        if let first = parts.first, first.identifier == .boolean {
            guard let value = first.boolean else { return nil }
            isAuthority = value
            parts = parts.dropFirst()
        }
        guard let last = parts.first else { return BasicConstraints(isAuthority: isAuthority, pathLength: nil) }
        guard parts.count == 1, let length = last.integerBytes.flatMap(smallNumber) else { return nil }
        return BasicConstraints(isAuthority: isAuthority, pathLength: length)
    }

    static func identifiers(_ node: ASN1Node) -> [ForeignText]? {
        guard let parts = node.sequence else { return nil }
        let identifiers = parts.compactMap(\.objectIdentifier)
        return identifiers.count == parts.count ? identifiers : nil
    }

    static func authorityKeyIdentifier(_ node: ASN1Node) -> AuthorityKeyIdentifier? {
        guard let parts = node.sequence else { return nil }
        var keyIdentifier: [UInt8]?
        for part in parts {
            switch part.contextTag {
            case 0:
                guard let bytes = part.primitiveBytes else { return nil }
                keyIdentifier = bytes
            case 1, 2: break
            default: return nil
            }
        }
        return AuthorityKeyIdentifier(keyIdentifier: keyIdentifier)
    }

    static func policyConstraints(_ node: ASN1Node) -> PolicyConstraints? {
        guard let parts = node.sequence, !parts.isEmpty else { return nil }
        var explicit: Int?
        var mapping: Int?
        for part in parts {
            guard let bytes = part.primitiveBytes, let number = smallNumber(bytes) else { return nil }
            switch part.contextTag {
            case 0: explicit = number
            case 1: mapping = number
            default: return nil
            }
        }
        return PolicyConstraints(requireExplicitPolicy: explicit, inhibitPolicyMapping: mapping)
    }

    /// Decodes a number of certificates, which is not negative, and clamped, because no path is that long.
    static func smallNumber(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first < 0x80 else { return nil }
        return bytes.count > 2 ? Int(UInt16.max) : bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
