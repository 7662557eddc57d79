/// The address families that a check may use.
public enum AddressFamilies: String, Sendable, Hashable, CaseIterable, Codable {
    /// Both; IPv6 is tried first.
    case any
    /// IPv4 alone.
    case ipv4
    /// IPv6 alone.
    case ipv6

    /// `true` if IPv4 is one of them.
    package var includesIPv4: Bool { self != .ipv6 }
    /// `true` if IPv6 is one of them.
    package var includesIPv6: Bool { self != .ipv4 }
}
