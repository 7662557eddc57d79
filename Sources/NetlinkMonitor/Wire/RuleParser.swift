internal import CLibNL

/// Parses `RTM_NEWRULE` and `RTM_DELRULE`.
enum RuleParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: fib_rule_hdr.self, messageType: type)
        guard let family = AddressFamily(kernelValue: header.family) else { return .irrelevant(type: type) }
        let rule = try Attributes.parse(attributes, highest: Int(FRA_DPORT_RANGE), messageType: type) {
            (attributes) throws(MessageError) in
            RoutingRule(
                family: family,
                priority: try attributes.uint32(Int(FRA_PRIORITY)) ?? 0,
                table: try attributes.uint32(Int(FRA_TABLE)) ?? UInt32(header.table),
                action: header.action,
                mark: try attributes.uint32(Int(FRA_FWMARK)),
                markMask: try attributes.uint32(Int(FRA_FWMASK)),
                source: try prefix(attributes, Int(FRA_SRC), header.src_len, family, type),
                destination: try prefix(attributes, Int(FRA_DST), header.dst_len, family, type),
                hasOtherSelectors: header.tos != 0 || otherSelectors.contains(where: attributes.contains)
                    || !(attributes.text(Int(FRA_IIFNAME)) ?? "lo").elementsEqual("lo"),
                isInverted: header.flags & UInt32(FIB_RULE_INVERT) != 0
            )
        }
        return Int(type) == RTM_NEWRULE ? .rule(rule) : .ruleRemoved(rule)
    }

    /// The conditions of rules besides addresses, mark and incoming interface, which is `lo` for packets of this
    /// machine.
    private static let otherSelectors = [
        FRA_OIFNAME, FRA_TUN_ID, FRA_UID_RANGE, FRA_IP_PROTO, FRA_SPORT_RANGE, FRA_DPORT_RANGE, FRA_FLOW,
    ].map { Int($0) }

    private static func prefix(
        _ attributes: Attributes,
        _ attribute: Int,
        _ length: UInt8,
        _ family: AddressFamily,
        _ type: UInt16
    ) throws(MessageError) -> IPPrefix? {
        guard length > 0 else { return nil }
        guard let address = try attributes.address(attribute, family),
            let prefix = IPPrefix(address: address, length: Int(length))
        else { throw .badAttributeValue(type: type, attribute: attribute) }
        return prefix
    }
}
