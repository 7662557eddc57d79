/// A network prefix: an address and how many of its leading bits count.
public struct IPPrefix: Sendable, Hashable, CustomStringConvertible {
    /// The address; bits behind `length` are as the kernel gave them.
    public let address: IPAddress
    /// The number of leading bits that count: 0 to 32 or 128.
    public let length: Int

    /// A prefix, or `nil` where the length does not fit the family.
    public init?(address: IPAddress, length: Int) {
        guard (0...address.family.bitWidth).contains(length) else { return nil }
        self.address = address
        self.length = length
    }

    private init(default family: AddressFamily) {
        address = .unspecified(family)
        length = 0
    }

    /// The whole family: `0.0.0.0/0` or `::/0`.
    public static func everything(_ family: AddressFamily) -> IPPrefix { IPPrefix(default: family) }

    /// The prefix covers every address of its family.
    public var isDefault: Bool { length == 0 }

    /// Whether an address is of the prefix's family and begins with its bits.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family else { return false }
        guard address.family == .ipv6 else { return (address.low ^ other.low) >> UInt64(32 - length) == 0 }
        if length <= 64 { return (address.high ^ other.high) >> UInt64(64 - length) == 0 }
        return address.high == other.high && (address.low ^ other.low) >> UInt64(128 - length) == 0
    }

    /// CIDR notation (RFC 4632, RFC 4291).
    public var description: String { "\(address)/\(length)" }
}
