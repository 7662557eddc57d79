/// An IPv4 or IPv6 address of a name.
public struct HostAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address families.
    public enum Family: String, Sendable, Hashable, CaseIterable {
        /// IPv6, looked up by an AAAA query.
        case ipv6
        /// IPv4, looked up by an A query.
        case ipv4
    }

    /// The address in network byte order, 4 or 16 bytes.
    public let bytes: [UInt8]
    /// The index of the interface of a link-local IPv6 address; 0 for none.
    public let scope: UInt32

    /// Creates an address; nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8], scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.scope = scope
    }

    /// The address family.
    public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

    /// The address in text form, without the scope.
    public var description: String { IPAddressText.text(of: bytes) }

    /// Returns the address and a port, IPv6 in brackets.
    package func description(port: UInt16) -> String {
        family == .ipv4 ? "\(self):\(port)" : "[\(self)]:\(port)"
    }
}
