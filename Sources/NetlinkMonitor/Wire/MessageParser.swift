internal import CLibNL

/// The content of one rtnetlink message.
enum NetlinkMessage: Sendable, Equatable {
    /// By far the largest content, in a box of its own: the answers to lookups are copied often.
    indirect case link(LinkMessage)
    case linkRemoved(index: UInt32)
    case address(InterfaceAddress)
    case addressRemoved(InterfaceAddress)
    /// A route, and its remaining lifetime if it has one; zero or less once it has expired.
    case route(Route, expiresIn: Duration? = nil)
    case routeRemoved(Route)
    case rule(RoutingRule)
    case ruleRemoved(RoutingRule)
    /// A nexthop object was added, changed or removed; the message does not name the affected routes.
    case nextHopObject(NextHopObject, removed: Bool)
    /// A bucket of a resilient nexthop group has moved to another object, some time after the group has changed.
    case nextHopBucket
    /// The state of a neighbour, and the maximum time since it was last confirmed.
    case neighbour(Router, NeighbourState, confirmedBefore: Duration? = nil)
    /// A sysctl under `net.ipv4.conf` or `net.ipv6.conf` that affects route lookups, and its interface if it has one.
    case setting(AddressFamily, name: String, value: Int32, interfaceIndex: UInt32?)
    /// The byte counters of an interface.
    case statistics(interfaceIndex: UInt32, InterfaceBytes)
    /// The end of a dump; an errno other than 0 means that the dump failed.
    case done(errno: Int32)
    /// The answer to a request: errno 0 acknowledges it. The text is the kernel's (extended ACK).
    case reply(errno: Int32, text: String?)
    /// The kernel lost messages (`NLMSG_OVERRUN`; no kernel sends it today).
    case overrun
    /// A type, or a family of a known type, without relevance for reachability.
    case irrelevant(type: UInt16)
}

/// The header of a message (netlink(7)).
struct MessageHeader: Sendable, Equatable {
    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let port: UInt32
}

/// The properties of a link in one message.
///
/// Wireless extensions send short messages with little more than the flags. Such a message leaves all other properties
/// unchanged; a complete one replaces everything.
struct LinkMessage: Sendable, Equatable {
    /// The link with the properties in the message.
    var link: Link
    /// `true` if the message describes the link completely.
    var isComplete: Bool
    /// `true` if the message has the interface's name.
    var hasName: Bool
}

/// The reason bytes are not a valid netlink message.
///
/// Such bytes are never used in part: the message counts as lost, and its subject is read again.
public enum MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rest of the datagram is shorter than a message header.
    case shortHeader(bytes: Int)
    /// The length in a message header is smaller than the header or larger than the datagram.
    case badLength(type: UInt16, length: UInt32, available: Int)
    /// The fixed part of a message is truncated.
    case shortBody(type: UInt16, bytes: Int)
    /// An attribute's length is smaller than its header or larger than the rest.
    case badAttributeLength(type: UInt16, offset: Int)
    /// An attribute's value has a size or content that its type does not allow.
    case badAttributeValue(type: UInt16, attribute: Int)

    /// The error message, with the position.
    public var description: String {
        switch self {
        case .shortHeader(let bytes): "\(bytes) bytes are too few for a netlink message header"
        case .badLength(let type, let length, let available):
            "message of type \(type) claims \(length) bytes where \(available) are left"
        case .shortBody(let type, let bytes): "message of type \(type) has only \(bytes) bytes of body"
        case .badAttributeLength(let type, let offset):
            "message of type \(type) has a broken attribute at byte \(offset) of its attributes"
        case .badAttributeValue(let type, let attribute):
            "message of type \(type) has a bad value in attribute \(attribute)"
        }
    }
}

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
        case RTM_NEWNEXTHOPBUCKET: return .nextHopBucket
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
