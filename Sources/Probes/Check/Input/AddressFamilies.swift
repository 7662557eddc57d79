/// Which families of addresses a check may use.
public enum AddressFamilies: String, Sendable, Hashable, CaseIterable, Codable {
    /// Both; IPv6 is tried first.
    case any
    /// IPv4 alone.
    case ipv4
    /// IPv6 alone.
    case ipv6

    var includesIPv4: Bool { self != .ipv6 }
    var includesIPv6: Bool { self != .ipv4 }
}
