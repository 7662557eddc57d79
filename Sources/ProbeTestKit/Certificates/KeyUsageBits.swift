/// The key usage (RFC 5280, section 4.2.1.3).
public struct KeyUsageBits: OptionSet, Sendable, Hashable {
    /// Bit n is bit n of the BIT STRING, counted from the left.
    public let rawValue: UInt16

    /// Creates a set of bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Signatures other than on certificates and revocation lists.
    public static let digitalSignature = KeyUsageBits(rawValue: 1 << 0)
    /// Signatures that commit their author to the content.
    public static let contentCommitment = KeyUsageBits(rawValue: 1 << 1)
    /// Encryption of keys.
    public static let keyEncipherment = KeyUsageBits(rawValue: 1 << 2)
    /// Encryption of data.
    public static let dataEncipherment = KeyUsageBits(rawValue: 1 << 3)
    /// Key agreement.
    public static let keyAgreement = KeyUsageBits(rawValue: 1 << 4)
    /// Signatures on certificates.
    public static let certificateSigning = KeyUsageBits(rawValue: 1 << 5)
    /// Signatures on revocation lists.
    public static let revocationListSigning = KeyUsageBits(rawValue: 1 << 6)

    /// The bits as a BIT STRING without trailing zeros.
    var der: [UInt8] {
        var bytes: [UInt8] = [0, 0]
        for bit in 0..<16 where rawValue & (1 << bit) != 0 { bytes[bit / 8] |= 0x80 >> (bit % 8) }
        while bytes.last == 0 { bytes.removeLast() }
        return DERForm.bitString(bytes, unusedBits: UInt8(bytes.last?.trailingZeroBitCount ?? 0))
    }
}
