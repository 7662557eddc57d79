/// A network prefix: an address and the number of its significant bits.
public struct IPPrefix: Sendable, Hashable, CustomStringConvertible {
    /// The address; bits after `length` are unmodified.
    public let address: IPAddress
    /// The number of significant leading bits: 0 to 32 or 128.
    public let length: Int

    /// Creates a prefix; `nil` if the length is not valid for the family.
    public init?(address: IPAddress, length: Int) {
        guard (0...address.family.bitWidth).contains(length) else { return nil }
        self.address = address
        self.length = length
    }

    private init(default family: AddressFamily) {
        address = .unspecified(family)
        length = 0
    }

    /// Returns the whole family: `0.0.0.0/0` or `::/0`.
    public static func everything(_ family: AddressFamily) -> IPPrefix { IPPrefix(default: family) }

    /// `true` if the prefix covers every address of its family.
    public var isDefault: Bool { length == 0 }

    /// Returns whether the prefix covers an address, which must be of the same family.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family else { return false }
        guard address.family == .ipv6 else { return (address.low ^ other.low) >> UInt64(32 - length) == 0 }
        if length <= 64 { return (address.high ^ other.high) >> UInt64(64 - length) == 0 }
        return address.high == other.high && (address.low ^ other.low) >> UInt64(128 - length) == 0
    }

    /// CIDR notation (RFC 4632, RFC 4291).
    public var description: String { "\(address)/\(length)" }
}
