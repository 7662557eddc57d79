internal import Glibc

/// An Internet address family.
public enum AddressFamily: String, Sendable, Hashable, CaseIterable, Codable {
    /// IPv4 (`AF_INET`).
    case ipv4
    /// IPv6 (`AF_INET6`).
    case ipv6

    /// The number of bits in an address: 32 or 128.
    public var bitWidth: Int { self == .ipv4 ? 32 : 128 }

    /// The kernel's number for the family.
    var kernelValue: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }

    init?(kernelValue: UInt8) {
        switch Int32(kernelValue) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }
}
