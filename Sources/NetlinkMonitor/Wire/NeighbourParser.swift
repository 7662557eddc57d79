internal import CLibNL

/// Parses `RTM_NEWNEIGH` and `RTM_DELNEIGH`.
enum NeighbourParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: ndmsg.self, messageType: type)
        // A bridge announces its forwarding table with these types too (AF_BRIDGE).
        guard let family = AddressFamily(kernelValue: header.ndm_family), header.ndm_ifindex > 0 else {
            return .irrelevant(type: type)
        }
        return try Attributes.parse(attributes, highest: Int(NDA_DST), messageType: type) {
            (attributes) throws(MessageError) in
            guard let address = try attributes.address(Int(NDA_DST), family) else { return .irrelevant(type: type) }
            let router = Router(interfaceIndex: UInt32(header.ndm_ifindex), address: address)
            let state = Int(type) == RTM_DELNEIGH ? nil : header.ndm_state
            return .neighbour(router, RouterState(neighbourState: state, family))
        }
    }
}
