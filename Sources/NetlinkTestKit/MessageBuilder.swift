public import NetlinkMonitor

/// One netlink message: a header (`struct nlmsghdr`), a fixed part, and attributes.
///
/// Each type of kernel message has a factory function: `link` and so on. The result can be changed before it becomes
/// ``bytes``: every part is a variable, and the header's length can be wrong.
///
/// ```swift
/// var message = MessageBuilder.link(3, "wlan0", [.up, .lowerUp], .dormant)
/// message.sequence = 7
/// let datagram = NetlinkDatagram([message, .done()])
/// ```
public struct MessageBuilder: Sendable, Hashable {
    /// The type of the message, such as ``Rtnetlink/newLink``.
    public var type: UInt16
    /// The flags (`NLM_F_…`).
    public var flags: UInt16
    /// The sequence number: that of the answered request, 0 in notifications.
    public var sequence: UInt32
    /// The port of the requesting socket, 0 in notifications.
    public var port: UInt32
    /// The fixed part: `struct ifinfomsg`, `struct rtmsg` and so on.
    public var fixed: [UInt8]
    /// The attributes after the fixed part.
    public var attributes: [NetlinkAttribute]
    /// A wrong value for `nlmsg_len`.
    public var claimedLength: UInt32?

    /// Creates a message from its parts.
    public init(
        _ type: UInt16,
        flags: UInt16 = 0,
        sequence: UInt32 = 0,
        port: UInt32 = 0,
        fixed: [UInt8] = [],
        attributes: [NetlinkAttribute] = []
    ) {
        self.type = type
        self.flags = flags
        self.sequence = sequence
        self.port = port
        self.fixed = fixed
        self.attributes = attributes
    }

    /// The encoded message, padded to four bytes so that another one can follow.
    public var bytes: [UInt8] {
        let body = (attributes.isEmpty ? fixed : padded(fixed)) + attributes.flatMap(\.bytes)
        let length = claimedLength ?? UInt32(16 + body.count)
        return padded(
            hostBytes(length) + hostBytes(type) + hostBytes(flags) + hostBytes(sequence) + hostBytes(port) + body
        )
    }

    /// Returns the message as a part of the answer to a request.
    public func answering(_ sequence: UInt32, interrupted: Bool = false) -> MessageBuilder {
        var message = self
        message.sequence = sequence
        message.flags |= Rtnetlink.multi | (interrupted ? Rtnetlink.dumpInterrupted : 0)
        return message
    }

    /// Returns the message with a wrong length in its header.
    public func claiming(length: UInt32) -> MessageBuilder {
        var message = self
        message.claimedLength = length
        return message
    }

    /// Returns the message with more attributes after its own.
    public func adding(_ attributes: NetlinkAttribute...) -> MessageBuilder {
        var message = self
        message.attributes += attributes
        return message
    }
}

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

/// The result of one read of a netlink socket: any number of consecutive messages.
///
/// The bytes may be corrupted on purpose, to test a parser.
public struct NetlinkDatagram: Sendable, Hashable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a datagram from bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a datagram from messages.
    public init(_ messages: [MessageBuilder]) { bytes = messages.flatMap(\.bytes) }

    /// Returns the datagram truncated to a number of bytes.
    public func truncated(to count: Int) -> NetlinkDatagram { NetlinkDatagram(bytes: Array(bytes.prefix(count))) }

    /// All truncations of the datagram, from nothing to all but its last byte.
    public var truncations: some Sequence<NetlinkDatagram> {
        bytes.indices.lazy.map { truncated(to: $0) }
    }

    /// Returns the datagram with other bytes at an offset; bytes after its end are dropped.
    public func replacing(at offset: Int, with new: [UInt8]) -> NetlinkDatagram {
        var copy = bytes
        for (index, byte) in zip(offset..., new) where copy.indices.contains(index) { copy[index] = byte }
        return NetlinkDatagram(bytes: copy)
    }

    /// Returns the datagram with another length in its first message's header.
    public func claiming(length: UInt32) -> NetlinkDatagram { replacing(at: 0, with: hostBytes(length)) }

    /// Returns all datagrams with one 16-bit word replaced: lengths and types are such words.
    public func corruptions(with value: UInt16) -> some Sequence<NetlinkDatagram> {
        stride(from: 0, to: bytes.count - 1, by: 2).lazy.map { replacing(at: $0, with: hostBytes(value)) }
    }

    /// Passes the bytes to a closure, aligned as the kernel's are.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }
}

extension MessageBuilder {
    /// Returns `NLMSG_DONE`: the end of a dump, with an errno if it failed.
    public static func done(errno: Int32 = 0) -> MessageBuilder {
        MessageBuilder(Rtnetlink.done, flags: Rtnetlink.multi, fixed: hostBytes(-errno))
    }

    /// Returns `NLMSG_ERROR`: the answer to a request; errno 0 acknowledges it.
    ///
    /// - Parameters:
    ///   - errno: The error, positive.
    ///   - message: The kernel's explanation (extended ACK, `NLMSGERR_ATTR_MSG`).
    ///   - request: The answered request; an error copies it back, an acknowledgement only its header.
    public static func reply(
        errno: Int32,
        message: String? = nil,
        to request: MessageBuilder = MessageBuilder(26)
    ) -> MessageBuilder {
        let isCapped = errno == 0
        var flags: UInt16 = isCapped ? Rtnetlink.capped : 0
        if message != nil { flags |= Rtnetlink.hasExtendedAck }
        return MessageBuilder(
            Rtnetlink.error,
            flags: flags,
            sequence: request.sequence,
            fixed: hostBytes(-errno) + (isCapped ? Array(request.bytes.prefix(16)) : request.bytes),
            attributes: message.map { [.text(1, $0)] } ?? []
        )
    }

    /// Returns `NLMSG_OVERRUN`: data was lost.
    public static func overrun() -> MessageBuilder { MessageBuilder(Rtnetlink.overrun) }
}
