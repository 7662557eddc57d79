internal import CLibNL

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
            // NETCONFA_IFINDEX_ALL and NETCONFA_IFINDEX_DEFAULT are negative.
            let index = Int32(bitPattern: try attributes.uint32(Int(NETCONFA_IFINDEX)) ?? 0)
            return .setting(
                family,
                name: setting.name,
                value: Int32(bitPattern: value),
                interfaceIndex: index > 0 ? UInt32(index) : nil
            )
        }
    }
}
