internal import CLibNL

/// Parses `RTM_NEWLINK` and `RTM_DELLINK`.
enum LinkParser {
    /// The maximum number of alternative names that are read; the kernel accepts about 500.
    private static let maximumAlternativeNames = 64
    /// The maximum length of an alternative name in bytes (ALTIFNAMSIZ, which counts the zero).
    private static let longestAlternativeName = 127

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
            // A state unknown to RFC 2863 is not trusted to pass packets.
            operationalState: state.map { OperationalState(rawValue: $0) ?? .testing } ?? .unknown,
            hardwareType: header.ifi_type,
            lowerIndex: try lowerIndex(of: index, attributes),
            masterIndex: try attributes.uint32(Int(IFLA_MASTER)).flatMap { $0 == 0 ? nil : $0 },
            parentDevice: attributes.text(Int(IFLA_PARENT_DEV_NAME)),
            group: try attributes.uint32(Int(IFLA_GROUP)).flatMap { $0 == 0 ? nil : $0 },
            alternativeNames: try alternativeNames(attributes)
        )
        try attributes.nested(Int(IFLA_LINKINFO), highest: Int(IFLA_INFO_DATA)) { (info) throws(MessageError) in
            guard let kind = info.text(Int(IFLA_INFO_KIND)) else { return }
            link.driverKind = kind
            // Here IFLA_LINK is the other end of a pair, not a lower interface that carries the packets.
            guard !["veth", "netkit", "vxcan"].contains(kind) else {
                link.lowerIndex = nil
                return
            }
            // A tunnel of another namespace: its packets are routed there, by the addresses and interfaces of that one.
            guard !attributes.contains(Int(IFLA_LINK_NETNSID)) else {
                link.hasForeignUnderlay = true
                return
            }
            try parseInfoData(of: kind, info, into: &link)
        }
        return LinkMessage(
            link: link,
            isComplete: state != nil && name != nil && !attributes.contains(Int(IFLA_WIRELESS)),
            hasName: name != nil
        )
    }

    /// Returns the lower interface, unless it is the interface itself or in another namespace, where its index has
    /// another meaning.
    private static func lowerIndex(of index: UInt32, _ attributes: Attributes) throws(MessageError) -> UInt32? {
        guard let lower = try attributes.uint32(Int(IFLA_LINK)), lower != 0, lower != index,
            !attributes.contains(Int(IFLA_LINK_NETNSID))
        else { return nil }
        return lower
    }

    /// Returns the alternative names; those that the kernel does not accept, and those beyond 64, are left out.
    private static func alternativeNames(_ attributes: Attributes) throws(MessageError) -> [String] {
        var names: [String] = []
        try attributes.forEachNested(Int(IFLA_PROP_LIST)) { type, bytes in
            guard type == Int(IFLA_ALT_IFNAME), names.count < maximumAlternativeNames else { return }
            let name = bytes.prefix { $0 != 0 }
            guard (1...longestAlternativeName).contains(name.count) else { return }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
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
            guard let attributes = TunnelAttributes(kind: kind) else { return }
            guard let remote = try address(attributes.remote, info) else { return }
            link.tunnelDeviceIndex = try number(attributes.device, info)
            // A multicast group has no route, but packets to it leave through the device.
            guard !remote.isMulticast else { return }
            link.tunnelRemote = remote
            link.tunnelLocal = try address(attributes.local, info)
            link.tunnelMark = try number(attributes.mark, info)
            link.tunnelPort = try port(attributes.port, info)
        }
    }

    /// Returns the first of several attributes that contains an address.
    private static func address(_ types: [Int], _ info: Attributes) throws(MessageError) -> IPAddress? {
        for type in types {
            let address = try value(info, type) { (data, type) throws(MessageError) in try data.address(type) }
            if let address, !address.isUnspecified { return address }
        }
        return nil
    }

    /// Returns a number; nil for 0.
    private static func number(_ type: Int?, _ info: Attributes) throws(MessageError) -> UInt32? {
        guard let type else { return nil }
        let number = try value(info, type) { (data, type) throws(MessageError) in try data.uint32(type) }
        return number == 0 ? nil : number
    }

    /// Returns a port, which is in network byte order.
    private static func port(_ type: Int?, _ info: Attributes) throws(MessageError) -> UInt16? {
        guard let type else { return nil }
        return try value(info, type) { (data, type) throws(MessageError) in try data.uint16(type) }
            .map(UInt16.init(bigEndian:))
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
}

/// The attributes of `IFLA_INFO_DATA` that determine the routing of a tunnel's own packets, by kind (linux/if_tunnel.h,
/// linux/if_link.h).
private struct TunnelAttributes {
    /// The remote: the first of several that contains an address.
    let remote: [Int]
    /// The local address.
    let local: [Int]
    /// The interface that the tunnel is bound to.
    let device: Int?
    /// The firewall mark of the tunnel's packets.
    let mark: Int?
    /// The port of the tunnel's packets.
    let port: Int?

    /// Returns the attributes of a kind; `nil` for one whose remote the kernel does not report.
    init?(kind: String) {
        switch kind {
        case "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan":
            self.init([Int(IFLA_GRE_REMOTE)], [Int(IFLA_GRE_LOCAL)], Int(IFLA_GRE_LINK), Int(IFLA_GRE_FWMARK))
        case "ipip", "sit", "ip6tnl":
            self.init([Int(IFLA_IPTUN_REMOTE)], [Int(IFLA_IPTUN_LOCAL)], Int(IFLA_IPTUN_LINK), Int(IFLA_IPTUN_FWMARK))
        // The route of its packets is that of the security association, for which neither the device nor the mark counts.
        case "vti", "vti6": self.init([Int(IFLA_VTI_REMOTE)], [Int(IFLA_VTI_LOCAL)], nil, nil)
        case "vxlan":
            self.init(
                [Int(IFLA_VXLAN_GROUP), Int(IFLA_VXLAN_GROUP6)],
                [Int(IFLA_VXLAN_LOCAL), Int(IFLA_VXLAN_LOCAL6)],
                Int(IFLA_VXLAN_LINK),
                nil,
                port: Int(IFLA_VXLAN_PORT)
            )
        case "geneve":
            let remote = [Int(IFLA_GENEVE_REMOTE), Int(IFLA_GENEVE_REMOTE6)]
            self.init(remote, [], nil, nil, port: Int(IFLA_GENEVE_PORT))
        default: return nil
        }
    }

    private init(_ remote: [Int], _ local: [Int], _ device: Int?, _ mark: Int?, port: Int? = nil) {
        self.remote = remote
        self.local = local
        self.device = device
        self.mark = mark
        self.port = port
    }
}
