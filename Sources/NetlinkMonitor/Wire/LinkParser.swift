internal import CLibNL

/// Parses `RTM_NEWLINK` and `RTM_DELLINK`.
enum LinkParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: ifinfomsg.self, messageType: type)
        // A bridge announces its ports with these types too (AF_BRIDGE): there, DELLINK means "left the bridge".
        guard header.ifi_family == UInt8(AF_UNSPEC) else { return .irrelevant(type: type) }
        guard header.ifi_index > 0 else { throw .badAttributeValue(type: type, attribute: 0) }
        let index = UInt32(header.ifi_index)
        if Int(type) == RTM_DELLINK { return .linkRemoved(index: index) }
        return try Attributes.parse(attributes, highest: Int(IFLA_PARENT_DEV_BUS_NAME), messageType: type) {
            (attributes) throws(MessageError) in .link(try message(index, header, attributes, type))
        }
    }

    private static func message(
        _ index: UInt32,
        _ header: ifinfomsg,
        _ attributes: Attributes,
        _ type: UInt16
    ) throws(MessageError) -> LinkMessage {
        let state = try attributes.uint8(Int(IFLA_OPERSTATE))
        let name = attributes.text(Int(IFLA_IFNAME))
        var link = Link(
            index: index,
            name: name ?? "",
            flags: LinkFlags(rawValue: header.ifi_flags),
            // A state that RFC 2863 does not know is not trusted to pass packets.
            operationalState: state.map { OperationalState(rawValue: $0) ?? .testing } ?? .unknown,
            hardwareType: header.ifi_type,
            lowerIndex: try lowerIndex(of: index, attributes),
            masterIndex: try attributes.uint32(Int(IFLA_MASTER)).flatMap { $0 == 0 ? nil : $0 },
            parentDevice: attributes.text(Int(IFLA_PARENT_DEV_NAME))
        )
        try attributes.nested(Int(IFLA_LINKINFO), highest: Int(IFLA_INFO_DATA)) { (info) throws(MessageError) in
            guard let kind = info.text(Int(IFLA_INFO_KIND)) else { return }
            link.driverKind = kind
            // There, IFLA_LINK names the other end of a pair, which carries nothing.
            if ["veth", "netkit", "vxcan"].contains(kind) { link.lowerIndex = nil }
            try parseInfoData(of: kind, info, into: &link)
        }
        return LinkMessage(
            link: link,
            isComplete: state != nil && name != nil && !attributes.contains(Int(IFLA_WIRELESS)),
            hasName: name != nil
        )
    }

    /// The interface below, unless it is the interface itself or lives in another namespace, where its index means
    /// something else.
    private static func lowerIndex(of index: UInt32, _ attributes: Attributes) throws(MessageError) -> UInt32? {
        guard let lower = try attributes.uint32(Int(IFLA_LINK)), lower != 0, lower != index,
            !attributes.contains(Int(IFLA_LINK_NETNSID))
        else { return nil }
        return lower
    }

    private static func parseInfoData(
        of kind: String,
        _ info: Attributes,
        into link: inout Link
    ) throws(MessageError) {
        switch kind {
        case "bond":
            link.activeMemberIndex = try value(info, Int(IFLA_BOND_ACTIVE_SLAVE)) { (data, type) throws(MessageError) in
                try data.uint32(type)
            }
        case "vrf":
            link.vrfTable = try value(info, Int(IFLA_VRF_TABLE)) { (data, type) throws(MessageError) in
                try data.uint32(type)
            }
        default:
            for type in remoteAttributes(of: kind) {
                let remote = try value(info, type) { (data, type) throws(MessageError) in try data.address(type) }
                guard let remote, !remote.isUnspecified, !remote.isMulticast else { continue }
                link.tunnelRemote = remote
                return
            }
        }
    }

    private static func value<Value>(
        _ info: Attributes,
        _ type: Int,
        _ read: (Attributes, Int) throws(MessageError) -> Value?
    ) throws(MessageError) -> Value? {
        let nested = try info.nested(Int(IFLA_INFO_DATA), highest: type) { (data) throws(MessageError) in
            try read(data, type)
        }
        return nested ?? nil
    }

    /// The attributes of `IFLA_INFO_DATA` that hold a tunnel's far end, by kind (linux/if_tunnel.h, linux/if_link.h).
    private static func remoteAttributes(of kind: String) -> [Int] {
        switch kind {
        case "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan": [Int(IFLA_GRE_REMOTE)]
        case "ipip", "sit", "ip6tnl": [Int(IFLA_IPTUN_REMOTE)]
        case "vti", "vti6": [Int(IFLA_VTI_REMOTE)]
        case "vxlan": [Int(IFLA_VXLAN_GROUP), Int(IFLA_VXLAN_GROUP6)]
        case "geneve": [Int(IFLA_GENEVE_REMOTE), Int(IFLA_GENEVE_REMOTE6)]
        default: []
        }
    }
}
