internal import CLibNL

/// Parses `RTM_NEWRULE` and `RTM_DELRULE`.
enum RuleParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: fib_rule_hdr.self, messageType: type)
        guard let family = AddressFamily(kernelValue: header.family) else { return .irrelevant(type: type) }
        let rule = try Attributes.parse(attributes, highest: Int(FRA_L3MDEV), messageType: type) {
            (attributes) throws(MessageError) in
            RoutingRule(
                family: family,
                priority: try attributes.uint32(Int(FRA_PRIORITY)) ?? 0,
                table: try attributes.uint32(Int(FRA_TABLE)) ?? UInt32(header.table),
                action: header.action,
                mark: try attributes.uint32(Int(FRA_FWMARK)),
                markMask: try attributes.uint32(Int(FRA_FWMASK)),
                isInverted: header.flags & UInt32(FIB_RULE_INVERT) != 0
            )
        }
        return Int(type) == RTM_NEWRULE ? .rule(rule) : .ruleRemoved(rule)
    }
}
