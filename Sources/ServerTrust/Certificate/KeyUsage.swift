internal import SwiftASN1

/// The bits of a key usage extension.
struct KeyUsage: Sendable, Hashable {
    private let bits: [UInt8]

    /// Decodes the BIT STRING; nil when it is invalid.
    init?(_ node: ASN1Node) {
        guard node.identifier == .bitString, let octets = node.bitOctets else { return nil }
        bits = octets
    }

    private func isSet(_ position: Int) -> Bool {
        let index = position / 8
        return index < bits.count && bits[index] & (0x80 >> UInt8(position % 8)) != 0
    }

    var allowsDigitalSignature: Bool { isSet(0) }
    var allowsKeyEncipherment: Bool { isSet(2) }
    var allowsCertificateSigning: Bool { isSet(5) }
    var allowsRevocationListSigning: Bool { isSet(6) }
}
