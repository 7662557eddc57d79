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
