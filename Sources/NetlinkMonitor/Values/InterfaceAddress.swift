internal import CLibNL

/// One address of an interface (`RTM_NEWADDR`).
///
/// Lifetimes are omitted on purpose: the kernel announces each refresh, which is not a change.
public struct InterfaceAddress: Sendable, Hashable {
    /// The kernel's flags of an address (`IFA_FLAGS`, rtnetlink(7)).
    public struct Flags: OptionSet, Sendable, Hashable, Codable {
        /// The kernel's bits, including unknown ones.
        public let rawValue: UInt32

        /// Creates flags from the kernel's bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A temporary (privacy) IPv6 address (RFC 8981); for IPv4 the same bit marks a secondary address.
        public static let temporary = Flags(rawValue: UInt32(IFA_F_TEMPORARY))
        /// An optimistic address, usable during duplicate address detection (RFC 4429).
        public static let optimistic = Flags(rawValue: UInt32(IFA_F_OPTIMISTIC))
        /// A duplicate of another node's address, which is never used.
        public static let duplicateDetected = Flags(rawValue: UInt32(IFA_F_DADFAILED))
        /// Not for new connections if there is another address (RFC 4862).
        public static let deprecated = Flags(rawValue: UInt32(IFA_F_DEPRECATED))
        /// Duplicate address detection is not complete; the address cannot be used yet.
        public static let tentative = Flags(rawValue: UInt32(IFA_F_TENTATIVE))
        /// The address has no lifetime.
        public static let permanent = Flags(rawValue: UInt32(IFA_F_PERMANENT))
    }

    /// The interface that has the address.
    public let interfaceIndex: UInt32
    /// The local address.
    public let address: IPAddress
    /// The length of the on-link prefix.
    public let prefixLength: Int
    /// The other end of a point-to-point link, if it differs from the local address.
    public let peer: IPAddress?
    /// The scope (`RT_SCOPE_…`): 0 universe, 253 link, 254 host.
    public let scope: UInt8
    /// The kernel's flags.
    public let flags: Flags

    /// Creates an address.
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

    /// `true` if the kernel may use the address as source now: not a duplicate, and not tentative unless optimistic.
    public var isUsable: Bool {
        if flags.contains(.duplicateDetected) { return false }
        return !flags.contains(.tentative) || flags.contains(.optimistic)
    }

    /// `true` if packets beyond the link can use it as source.
    public var reachesBeyondLink: Bool { isUsable && !address.isLinkLocal && !address.isLoopback }

    /// The identity of an address: lifetimes and flags may change.
    ///
    /// The order is that of a snapshot: by interface, family and bits.
    struct Key: Hashable, Comparable {
        let interfaceIndex: UInt32
        let address: IPAddress
        let prefixLength: Int
        /// The peer in IPv4, where one local address may have several, each with its own entry; `nil` in IPv6, where it
        /// may change.
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

extension InterfaceAddress: Codable {
    private enum Member: String, CodingKey { case interfaceIndex, address, prefixLength, peer, scope, flags }

    /// Decodes an address; prefix length and peer must match its family.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let address = try members.decode(IPAddress.self, forKey: .address)
        let prefixLength = try members.decode(Int.self, forKey: .prefixLength)
        let peer = try members.decodeIfPresent(IPAddress.self, forKey: .peer)
        guard (0...address.family.bitWidth).contains(prefixLength) else {
            throw DecodingError.dataCorruptedError(
                forKey: .prefixLength,
                in: members,
                debugDescription: "longer than an address of the family"
            )
        }
        guard peer.map({ $0.family == address.family }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .peer,
                in: members,
                debugDescription: "not of the address's family"
            )
        }
        self.init(
            interfaceIndex: try members.decode(UInt32.self, forKey: .interfaceIndex),
            address: address,
            prefixLength: prefixLength,
            peer: peer,
            scope: try members.decode(UInt8.self, forKey: .scope),
            flags: try members.decode(Flags.self, forKey: .flags)
        )
    }

    /// Encodes every property; the peer only if there is one.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(interfaceIndex, forKey: .interfaceIndex)
        try members.encode(address, forKey: .address)
        try members.encode(prefixLength, forKey: .prefixLength)
        try members.encodeIfPresent(peer, forKey: .peer)
        try members.encode(scope, forKey: .scope)
        try members.encode(flags, forKey: .flags)
    }
}

extension InterfaceAddress: CustomStringConvertible {
    /// CIDR notation, followed by the relevant flags.
    public var description: String {
        var words = ["\(address)/\(prefixLength)"]
        if flags.contains(.duplicateDetected) { words.append("dadfailed") }
        if flags.contains(.tentative) { words.append("tentative") }
        if flags.contains(.deprecated) { words.append("deprecated") }
        // For IPv4 the same bit means "secondary".
        if flags.contains(.temporary), address.family == .ipv6 { words.append("temporary") }
        return words.joined(separator: " ")
    }
}

extension [InterfaceAddress] {
    /// Returns the source of packets to a next hop: the address of its interface whose prefix contains the router, or
    /// else the first one that reaches beyond it.
    func source(toward hop: NextHop, _ family: AddressFamily) -> IPAddress? {
        let own = filter {
            $0.interfaceIndex == hop.interfaceIndex && $0.address.family == family && $0.reaches(beyond: hop.gateway)
        }
        let near = own.first { address in
            hop.gateway.flatMap { IPPrefix(address: address.address, length: address.prefixLength)?.contains($0) }
                ?? false
        }
        return (near ?? own.first)?.address
    }
}
