internal import CLibNL

/// Parses `RTM_NEWADDR` and `RTM_DELADDR`.
enum AddressParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: ifaddrmsg.self, messageType: type)
        guard let family = AddressFamily(kernelValue: header.ifa_family) else { return .irrelevant(type: type) }
        let parsed = try Attributes.parse(attributes, highest: Int(IFA_FLAGS), messageType: type) {
            (attributes) throws(MessageError) in try address(header, family, attributes, type)
        }
        return Int(type) == RTM_NEWADDR ? .address(parsed) : .addressRemoved(parsed)
    }

    private static func address(
        _ header: ifaddrmsg,
        _ family: AddressFamily,
        _ attributes: Attributes,
        _ type: UInt16
    ) throws(MessageError) -> InterfaceAddress {
        // IFA_LOCAL is the local address; IFA_ADDRESS is the peer if there is one, else the same (IPv6 often sends it
        // alone).
        let local = try attributes.address(Int(IFA_LOCAL), family)
        let peer = try attributes.address(Int(IFA_ADDRESS), family)
        guard let own = local ?? peer, Int(header.ifa_prefixlen) <= family.bitWidth, header.ifa_index > 0 else {
            throw .badAttributeValue(type: type, attribute: Int(IFA_ADDRESS))
        }
        return InterfaceAddress(
            interfaceIndex: header.ifa_index,
            address: own,
            prefixLength: Int(header.ifa_prefixlen),
            peer: peer == own ? nil : peer,
            scope: header.ifa_scope,
            // The header's byte has only the lower flags; IFA_FLAGS has all 32.
            flags: .init(rawValue: try attributes.uint32(Int(IFA_FLAGS)) ?? UInt32(header.ifa_flags))
        )
    }
}

/// Parses `RTM_NEWNEIGH` and `RTM_DELNEIGH`.
enum NeighbourParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: ndmsg.self, messageType: type)
        // A bridge announces its forwarding table with these types too (AF_BRIDGE).
        guard let family = AddressFamily(kernelValue: header.ndm_family), header.ndm_ifindex > 0 else {
            return .irrelevant(type: type)
        }
        return try Attributes.parse(attributes, highest: Int(NDA_CACHEINFO), messageType: type) {
            (attributes) throws(MessageError) in
            guard let address = try attributes.address(Int(NDA_DST), family) else { return .irrelevant(type: type) }
            let router = Router(interfaceIndex: UInt32(header.ndm_ifindex), address: address)
            let state = Int(type) == RTM_DELNEIGH ? nil : header.ndm_state
            let age = state == nil ? nil : age(attributes.bytes(Int(NDA_CACHEINFO)))
            return .neighbour(router, NeighbourState(bits: state, family), confirmedBefore: age)
        }
    }

    /// Reads `ndm_confirmed` of `struct nda_cacheinfo`, in hundredths of a second (USER_HZ).
    ///
    /// The kernel rounds down, from ticks that may be as coarse. The result is rounded up: subtracted from a time before
    /// the kernel was asked, it never dates a confirmation too late.
    private static func age(_ bytes: UnsafeRawBufferPointer?) -> Duration? {
        guard let bytes, bytes.count >= MemoryLayout<UInt32>.size else { return nil }
        return .milliseconds(10) * (Int(bytes.loadUnaligned(as: UInt32.self)) + 2)
    }
}

/// Parses `RTM_NEWNETCONF`: the value of a sysctl under `net.ipv4.conf` or `net.ipv6.conf`.
enum SettingParser {
    /// The settings that affect route lookups.
    private static let names: [(attribute: Int, name: String)] = [
        (Int(NETCONFA_FORWARDING), "forwarding"),
        (Int(NETCONFA_IGNORE_ROUTES_WITH_LINKDOWN), "ignore_routes_with_linkdown"),
    ]

    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: netconfmsg.self, messageType: type)
        guard let family = AddressFamily(kernelValue: header.ncm_family) else { return .irrelevant(type: type) }
        let highest = Int(NETCONFA_IGNORE_ROUTES_WITH_LINKDOWN)
        return try Attributes.parse(attributes, highest: highest, messageType: type) {
            (attributes) throws(MessageError) in
            let named = names.filter { attributes.contains($0.attribute) }
            // A message with every setting announces a new interface, which no route uses yet.
            guard named.count == 1, let setting = named.first,
                let value = try attributes.uint32(setting.attribute)
            else { return .irrelevant(type: type) }
            // NETCONFA_IFINDEX_ALL and NETCONFA_IFINDEX_DEFAULT are negative; the defaults are for interfaces to come.
            let index = Int32(bitPattern: try attributes.uint32(Int(NETCONFA_IFINDEX)) ?? 0)
            guard index != NETCONFA_IFINDEX_DEFAULT else { return .irrelevant(type: type) }
            return .setting(
                family,
                name: setting.name,
                value: Int32(bitPattern: value),
                interfaceIndex: index > 0 ? UInt32(index) : nil
            )
        }
    }
}

/// Parses `RTM_NEWSTATS`: the byte counters of an interface.
enum StatisticsParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: if_stats_msg.self, messageType: type)
        guard header.ifindex > 0 else { throw .badAttributeValue(type: type, attribute: 0) }
        let counters = Int(IFLA_STATS_LINK_64)
        return try Attributes.parse(attributes, highest: counters, messageType: type) {
            (attributes) throws(MessageError) in
            guard let bytes = attributes.bytes(counters) else { return .irrelevant(type: type) }
            // struct rtnl_link_stats64: packets in both directions, then bytes; later kernels append to it.
            guard bytes.count >= 4 * MemoryLayout<UInt64>.size else {
                throw .badAttributeValue(type: type, attribute: counters)
            }
            return .statistics(
                interfaceIndex: header.ifindex,
                InterfaceBytes(
                    received: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                    sent: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
                )
            )
        }
    }
}
