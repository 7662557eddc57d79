internal import CLibNL

/// One address of an interface (`RTM_NEWADDR`).
///
/// Lifetimes are left out on purpose: the kernel announces each refresh of them, and none of those is a change.
public struct InterfaceAddress: Sendable, Hashable {
    /// What the kernel says about an address (`IFA_FLAGS`, rtnetlink(7)).
    public struct Flags: OptionSet, Sendable, Hashable, Codable {
        /// The kernel's bits, unknown ones included.
        public let rawValue: UInt32

        /// The flags with these kernel bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A temporary (privacy) IPv6 address (RFC 8981); for IPv4 the same bit marks a secondary address.
        public static let temporary = Flags(rawValue: UInt32(IFA_F_TEMPORARY))
        /// Duplicate address detection may be skipped and the address used meanwhile (RFC 4429).
        public static let optimistic = Flags(rawValue: UInt32(IFA_F_OPTIMISTIC))
        /// Somebody else has the address; it will never be used.
        public static let duplicateDetected = Flags(rawValue: UInt32(IFA_F_DADFAILED))
        /// Not for new connections where there is another (RFC 4862).
        public static let deprecated = Flags(rawValue: UInt32(IFA_F_DEPRECATED))
        /// Duplicate address detection is not finished; the address cannot be used yet.
        public static let tentative = Flags(rawValue: UInt32(IFA_F_TENTATIVE))
        /// Has no lifetime.
        public static let permanent = Flags(rawValue: UInt32(IFA_F_PERMANENT))
    }

    /// The interface that has the address.
    public let interfaceIndex: UInt32
    /// The local address.
    public let address: IPAddress
    /// The length of the on-link prefix.
    public let prefixLength: Int
    /// The other end of a point-to-point link, where it differs from the local address.
    public let peer: IPAddress?
    /// The scope (`RT_SCOPE_…`): 0 universe, 253 link, 254 host.
    public let scope: UInt8
    /// The kernel's flags.
    public let flags: Flags

    /// An address with these properties.
    public init(
        interfaceIndex: UInt32,
        address: IPAddress,
        prefixLength: Int,
        peer: IPAddress? = nil,
        scope: UInt8 = 0,
        flags: Flags = [.permanent]
    ) {
        self.interfaceIndex = interfaceIndex
        self.address = address
        self.prefixLength = prefixLength
        self.peer = peer
        self.scope = scope
        self.flags = flags
    }

    /// The kernel may send from the address now: not a duplicate, and not tentative unless optimistic.
    public var isUsable: Bool {
        if flags.contains(.duplicateDetected) { return false }
        return !flags.contains(.tentative) || flags.contains(.optimistic)
    }

    /// Packets beyond the link can be sent from it.
    public var reachesBeyondLink: Bool { isUsable && !address.isLinkLocal && !address.isLoopback }

    /// What makes an address the same one: lifetimes and flags may change while it stays.
    ///
    /// The order is that of a snapshot: by interface, family and bits.
    struct Key: Hashable, Comparable {
        let interfaceIndex: UInt32
        let address: IPAddress
        let prefixLength: Int
        /// In IPv4 one local address may have several peers, each an address of its own; in IPv6 the peer may change.
        let peer: IPAddress?

        static func < (first: Key, second: Key) -> Bool {
            if first.interfaceIndex != second.interfaceIndex { return first.interfaceIndex < second.interfaceIndex }
            let (one, other) = (first.address, second.address)
            return (one.family.bitWidth, one.high, one.low, first.prefixLength, first.peer?.low ?? 0)
                < (other.family.bitWidth, other.high, other.low, second.prefixLength, second.peer?.low ?? 0)
        }
    }

    var key: Key {
        Key(
            interfaceIndex: interfaceIndex,
            address: address,
            prefixLength: prefixLength,
            peer: address.family == .ipv4 ? peer : nil
        )
    }
}
