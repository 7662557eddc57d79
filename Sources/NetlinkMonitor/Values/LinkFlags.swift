internal import CLibNL

/// The flags of a link (`ifi_flags`, netdevice(7)).
public struct LinkFlags: OptionSet, Sendable, Hashable, Codable {
    /// The kernel's bits, including unknown ones.
    public let rawValue: UInt32

    /// Creates flags from the kernel's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Administratively up (`IFF_UP`).
    public static let up = LinkFlags(rawValue: UInt32(IFF_UP))
    /// The loopback interface (`IFF_LOOPBACK`).
    public static let loopback = LinkFlags(rawValue: UInt32(IFF_LOOPBACK))
    /// One peer at the other end, no broadcast (`IFF_POINTOPOINT`).
    public static let pointToPoint = LinkFlags(rawValue: UInt32(IFF_POINTOPOINT))
    /// Neither ARP nor neighbour discovery is used (`IFF_NOARP`).
    public static let noARP = LinkFlags(rawValue: UInt32(IFF_NOARP))
    /// The kernel's RFC 2863 `up` (`IFF_RUNNING`); not reliable on its own.
    public static let running = LinkFlags(rawValue: UInt32(IFF_RUNNING))
    /// The driver has a carrier (`IFF_LOWER_UP`).
    public static let lowerUp = LinkFlags(rawValue: UInt32(CLIBNL_IFF_LOWER_UP))
    /// The link has a carrier and waits for an event (`IFF_DORMANT`).
    public static let dormant = LinkFlags(rawValue: UInt32(CLIBNL_IFF_DORMANT))
}
