/// One netlink message: a header (`struct nlmsghdr`), a fixed part, and attributes.
///
/// The kinds of messages that the kernel sends have makers of their own: `link` and so on. What
/// they make can be changed before it becomes ``bytes``: every part is a variable, and the header's length can be a lie.
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
    /// The sequence number: that of the request which is answered, 0 in notifications.
    public var sequence: UInt32
    /// The port of the socket that asked, 0 in notifications.
    public var port: UInt32
    /// The fixed part: `struct ifinfomsg`, `struct rtmsg` and so on.
    public var fixed: [UInt8]
    /// The attributes behind the fixed part.
    public var attributes: [NetlinkAttribute]
    /// What `nlmsg_len` says in place of the truth.
    public var claimedLength: UInt32?

    /// A message of these parts.
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

    /// The message as it travels, padded to four bytes so that another one can follow.
    public var bytes: [UInt8] {
        let body = (attributes.isEmpty ? fixed : padded(fixed)) + attributes.flatMap(\.bytes)
        let length = claimedLength ?? UInt32(16 + body.count)
        return padded(
            hostBytes(length) + hostBytes(type) + hostBytes(flags) + hostBytes(sequence) + hostBytes(port) + body
        )
    }

    /// The same message as a part of the answer to a request.
    public func answering(_ sequence: UInt32, interrupted: Bool = false) -> MessageBuilder {
        var message = self
        message.sequence = sequence
        message.flags |= Rtnetlink.multi | (interrupted ? Rtnetlink.dumpInterrupted : 0)
        return message
    }

    /// The same message with a length in its header that is not its own.
    public func claiming(length: UInt32) -> MessageBuilder {
        var message = self
        message.claimedLength = length
        return message
    }

    /// The same message with more attributes behind those that it has.
    public func adding(_ attributes: NetlinkAttribute...) -> MessageBuilder {
        var message = self
        message.attributes += attributes
        return message
    }
}
