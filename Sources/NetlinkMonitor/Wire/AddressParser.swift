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
        // IFA_LOCAL is ours; IFA_ADDRESS is the peer if there is one, else the same (IPv6 often sends it alone).
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
