internal import CLibNL

/// A nexthop object (`ip nexthop`), or a group of them.
struct NextHopObject: Sendable, Equatable {
    /// One object of a group.
    struct Member: Sendable, Equatable {
        let number: UInt32
        let weight: Int
    }

    /// The kernel allows 65,535 members; a default route has a handful.
    static let maximumMembers = 256

    let number: UInt32
    /// The next hop; `nil` for a group and for an object that drops packets.
    var hop: NextHop?
    var members: [Member] = []
}

/// Parses `RTM_NEWNEXTHOP` and `RTM_DELNEXTHOP`.
enum NextHopObjectParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (_, attributes) = try MessageParser.split(payload, as: nhmsg.self, messageType: type)
        let object = try Attributes.parse(attributes, highest: Int(NHA_GATEWAY), messageType: type) {
            (attributes) throws(MessageError) in
            var object = NextHopObject(number: try attributes.uint32(Int(NHA_ID)) ?? 0)
            if let group = attributes.bytes(Int(NHA_GROUP)) {
                object.members = try members(group, type)
            } else if !attributes.contains(Int(NHA_BLACKHOLE)) {
                let interface = try attributes.uint32(Int(NHA_OIF))
                let gateway = try attributes.address(Int(NHA_GATEWAY))
                if interface != nil || gateway != nil {
                    object.hop = NextHop(interfaceIndex: interface, gateway: gateway)
                }
            }
            return object
        }
        return .nextHopObject(object, removed: Int(type) == RTM_DELNEXTHOP)
    }

    /// Parses consecutive `struct nexthop_grp`; the weight is sent minus one.
    private static func members(
        _ bytes: UnsafeRawBufferPointer,
        _ type: UInt16
    ) throws(MessageError) -> [NextHopObject.Member] {
        let size = MemoryLayout<nexthop_grp>.size
        guard bytes.count % size == 0 else { throw .badAttributeValue(type: type, attribute: Int(NHA_GROUP)) }
        return (0..<min(bytes.count / size, NextHopObject.maximumMembers)).map { position in
            let member = bytes.loadUnaligned(fromByteOffset: position * size, as: nexthop_grp.self)
            return NextHopObject.Member(number: member.id, weight: Int(member.weight) + 1)
        }
    }
}
