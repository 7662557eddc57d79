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
