public import NetlinkMonitor

/// One attribute of a netlink message (`struct nlattr`): a type and a value.
///
/// The length is that of the value, unless ``claimedLength`` overrides it, for attributes that exceed their message, or
/// that have no length at all.
public struct NetlinkAttribute: Sendable, Hashable {
    /// The flag of an attribute that contains attributes (`NLA_F_NESTED`).
    public static let nestedFlag: UInt16 = 1 << 15

    /// The type, with its flags.
    public var type: UInt16
    /// The value, without padding.
    public var value: [UInt8]
    /// A wrong value for `nla_len`, which is 4 plus the value's size.
    public var claimedLength: UInt16?

    /// Creates an attribute with any value.
    public init(_ type: UInt16, _ value: [UInt8], claimedLength: UInt16? = nil) {
        self.type = type
        self.value = value
        self.claimedLength = claimedLength
    }

    /// Returns an attribute with an 8-bit value.
    public static func uint8(_ type: UInt16, _ value: UInt8) -> NetlinkAttribute { NetlinkAttribute(type, [value]) }

    /// Returns an attribute with a 16-bit value in host order.
    public static func uint16(_ type: UInt16, _ value: UInt16) -> NetlinkAttribute {
        NetlinkAttribute(type, hostBytes(value))
    }

    /// Returns an attribute with a 32-bit value in host order.
    public static func uint32(_ type: UInt16, _ value: UInt32) -> NetlinkAttribute {
        NetlinkAttribute(type, hostBytes(value))
    }

    /// Returns an attribute with a string and its terminating zero byte.
    public static func text(_ type: UInt16, _ value: String) -> NetlinkAttribute {
        NetlinkAttribute(type, Array(value.utf8) + [0])
    }

    /// Returns an attribute with an address in network order.
    public static func address(_ type: UInt16, _ value: IPAddress) -> NetlinkAttribute {
        NetlinkAttribute(type, value.networkBytes)
    }

    /// Returns an attribute that contains attributes.
    public static func nested(_ type: UInt16, _ attributes: [NetlinkAttribute]) -> NetlinkAttribute {
        NetlinkAttribute(type | nestedFlag, attributes.flatMap(\.bytes))
    }

    /// The encoded attribute: header, value, and padding to four bytes.
    public var bytes: [UInt8] {
        let length = claimedLength ?? UInt16(truncatingIfNeeded: value.count + 4)
        return padded(hostBytes(length) + hostBytes(type) + value)
    }
}

/// Returns the bytes of a number in host order, as netlink sends it.
func hostBytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
}

/// Returns the bytes padded with zeros to a multiple of four.
func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
}
