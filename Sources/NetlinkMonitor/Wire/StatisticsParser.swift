internal import CLibNL

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
