internal import CLibNL

/// Parses the bytes of a netlink datagram into messages.
///
/// A datagram contains any number of messages, and the end of a dump may share it with data. Every length is checked
/// before anything after it is read: a length of zero, one beyond the datagram, or a truncated attribute is a
/// ``MessageError``, never a trap and never an endless loop. All numbers are in host order, as the kernel sends them.
enum MessageParser {
    /// One message of a datagram.
    struct Parsed: Sendable, Equatable {
        let header: MessageHeader
        let content: Result<NetlinkMessage, MessageError>
    }

    private static let headerSize = MemoryLayout<nlmsghdr>.size

    /// Calls `body` with each message of a datagram, in order.
    ///
    /// A message with a malformed body is reported in its place and the next one is parsed; a malformed header ends the
    /// datagram, because the start of the next message is unknown.
    ///
    /// - Throws: ``MessageError`` when a header is malformed, after `body` was called for the messages before it.
    static func forEachMessage(
        in datagram: UnsafeRawBufferPointer,
        _ body: (Parsed) -> Void
    ) throws(MessageError) {
        var rest = datagram
        while !rest.isEmpty {
            guard rest.count >= headerSize else { throw .shortHeader(bytes: rest.count) }
            let header = rest.loadUnaligned(as: nlmsghdr.self)
            guard header.nlmsg_len >= headerSize, Int(header.nlmsg_len) <= rest.count else {
                throw .badLength(type: header.nlmsg_type, length: header.nlmsg_len, available: rest.count)
            }
            let length = Int(header.nlmsg_len)
            let payload = UnsafeRawBufferPointer(rebasing: rest[headerSize..<length])
            body(
                Parsed(
                    header: MessageHeader(
                        type: header.nlmsg_type,
                        flags: header.nlmsg_flags,
                        sequence: header.nlmsg_seq,
                        port: header.nlmsg_pid
                    ),
                    content: Result { () throws(MessageError) in try parse(header, payload) }
                )
            )
            rest = UnsafeRawBufferPointer(rebasing: rest[min((length + 3) & ~3, rest.count)...])
        }
    }

    private static func parse(
        _ header: nlmsghdr,
        _ payload: UnsafeRawBufferPointer
    ) throws(MessageError) -> NetlinkMessage {
        let type = header.nlmsg_type
        switch Int(type) {
        case Int(NLMSG_NOOP): return .irrelevant(type: type)
        case Int(NLMSG_ERROR): return try parseReply(header, payload)
        case Int(NLMSG_DONE):
            // The kernel appends an errno; older kernels sent only the header.
            return .done(errno: payload.count >= 4 ? abs32(payload.loadUnaligned(as: Int32.self)) : 0)
        case Int(NLMSG_OVERRUN): return .overrun
        case RTM_NEWLINK, RTM_DELLINK: return try LinkParser.parse(type, payload)
        case RTM_NEWADDR, RTM_DELADDR: return try AddressParser.parse(type, payload)
        case RTM_NEWROUTE, RTM_DELROUTE: return try RouteParser.parse(type, payload)
        case RTM_NEWRULE, RTM_DELRULE: return try RuleParser.parse(type, payload)
        case RTM_NEWNEXTHOP, RTM_DELNEXTHOP: return try NextHopObjectParser.parse(type, payload)
        case RTM_NEWNEIGH, RTM_DELNEIGH: return try NeighbourParser.parse(type, payload)
        case RTM_NEWSTATS: return try StatisticsParser.parse(type, payload)
        case RTM_NEWNETCONF: return try SettingParser.parse(type, payload)
        default: return .irrelevant(type: type)
        }
    }

    /// Parses `struct nlmsgerr`, and the attributes of the extended ACK after the copy of the request's header.
    private static func parseReply(
        _ header: nlmsghdr,
        _ payload: UnsafeRawBufferPointer
    ) throws(MessageError) -> NetlinkMessage {
        guard payload.count >= MemoryLayout<Int32>.size + headerSize else {
            throw .shortBody(type: header.nlmsg_type, bytes: payload.count)
        }
        let error = payload.loadUnaligned(as: Int32.self)
        let hasAttributes = header.nlmsg_flags & UInt16(NLM_F_ACK_TLVS) != 0
        guard hasAttributes else { return .reply(errno: abs32(error), text: nil) }
        // Without NLM_F_CAPPED the whole request is copied and the attributes follow it.
        let request = payload.loadUnaligned(fromByteOffset: 4, as: nlmsghdr.self)
        let isCapped = header.nlmsg_flags & UInt16(NLM_F_CAPPED) != 0
        let copied = isCapped ? headerSize : max(headerSize, (Int(request.nlmsg_len) + 3) & ~3)
        guard 4 + copied <= payload.count else { return .reply(errno: abs32(error), text: nil) }
        let attributes = UnsafeRawBufferPointer(rebasing: payload[(4 + copied)...])
        let text = try Attributes.parse(
            attributes,
            highest: Int(NLMSGERR_ATTR_MSG.rawValue),
            messageType: header.nlmsg_type
        ) {
            (attributes) throws(MessageError) in attributes.text(Int(NLMSGERR_ATTR_MSG.rawValue))
        }
        return .reply(errno: abs32(error), text: text)
    }

    /// Returns the magnitude of a negated error number; the most negative one has no positive counterpart.
    private static func abs32(_ value: Int32) -> Int32 { value == .min ? .max : abs(value) }

    /// Splits a body into its fixed part and the attributes after it.
    static func split<Fixed>(
        _ payload: UnsafeRawBufferPointer,
        as fixed: Fixed.Type,
        messageType: UInt16
    ) throws(MessageError) -> (Fixed, UnsafeRawBufferPointer) where Fixed: BitwiseCopyable {
        let size = MemoryLayout<Fixed>.size
        guard payload.count >= size else { throw .shortBody(type: messageType, bytes: payload.count) }
        let aligned = min((size + 3) & ~3, payload.count)
        return (payload.loadUnaligned(as: fixed), UnsafeRawBufferPointer(rebasing: payload[aligned...]))
    }
}
