/// An address that a name has.
public struct HostAddress: Sendable, Hashable, CustomStringConvertible {
    /// The families of addresses.
    public enum Family: String, Sendable, Hashable, CaseIterable {
        /// IPv6, asked for with an AAAA query.
        case ipv6
        /// IPv4, asked for with an A query.
        case ipv4
    }

    /// The address in network byte order: 4 or 16 bytes.
    public let bytes: [UInt8]
    /// The index of the interface that a link-local IPv6 address belongs to; zero for none.
    public let scope: UInt32

    /// Creates an address; nil when there are neither 4 nor 16 bytes.
    public init?(bytes: [UInt8], scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.scope = scope
    }

    /// The address's family.
    public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

    /// Whether the address is only good on one link (RFC 4291, section 2.5.6), so that it needs a scope.
    var isLinkLocalIPv6: Bool { bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }

    /// The address in its usual text form, without the scope.
    public var description: String { IPAddressText.text(of: bytes) }

    /// The address and a port, IPv6 in brackets.
    func description(port: UInt16) -> String {
        family == .ipv4 ? "\(self):\(port)" : "[\(self)]:\(port)"
    }
}
