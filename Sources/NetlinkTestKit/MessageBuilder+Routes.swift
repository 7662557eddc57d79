public import NetlinkMonitor

extension MessageBuilder {
    /// `RTM_NEWROUTE` as the kernel sends it for this route: several next hops become `RTA_MULTIPATH`.
    public static func route(_ route: Route) -> MessageBuilder { routeMessage(Rtnetlink.newRoute, route) }

    /// `RTM_DELROUTE`.
    public static func routeRemoved(_ route: Route) -> MessageBuilder { routeMessage(Rtnetlink.deleteRoute, route) }

    private static func routeMessage(_ type: UInt16, _ route: Route) -> MessageBuilder {
        var attributes = [NetlinkAttribute.uint32(Rtnetlink.Route.table, route.table)]
        if !route.destination.isDefault {
            attributes.append(.address(Rtnetlink.Route.destination, route.destination.address))
        }
        if route.metric != 0 { attributes.append(.uint32(Rtnetlink.Route.metric, route.metric)) }
        if let source = route.preferredSource { attributes.append(.address(Rtnetlink.Route.preferredSource, source)) }
        if let from = route.sourcePrefix { attributes.append(.address(Rtnetlink.Route.source, from.address)) }
        if let object = route.nextHopObject { attributes.append(.uint32(Rtnetlink.Route.nextHopObject, object)) }
        if route.nextHops.count > 1 {
            let hops = route.nextHops.flatMap { hop($0, family: route.family) }
            attributes.append(NetlinkAttribute(Rtnetlink.Route.multipath, hops))
        } else if let only = route.nextHops.first {
            if let gateway = only.gateway { attributes.append(.router(gateway, routeFamily: route.family)) }
            if let interface = only.interfaceIndex { attributes.append(.uint32(Rtnetlink.Route.interface, interface)) }
        }
        return MessageBuilder(
            type,
            fixed: routeHeader(
                route.family.number,
                prefixLength: route.destination.length,
                sourceLength: route.sourcePrefix?.length ?? 0,
                table: route.table,
                protocol: route.protocol,
                type: route.type.rawValue
            ),
            attributes: attributes
        )
    }

    /// `struct rtmsg`.
    public static func routeHeader(
        _ family: UInt8,
        prefixLength: Int,
        sourceLength: Int = 0,
        table: UInt32 = Route.mainTable,
        protocol: UInt8 = 3,
        type: UInt8 = 1
    ) -> [UInt8] {
        // Numbers above 255 do not fit; the kernel writes RT_TABLE_COMPAT and puts the number into RTA_TABLE.
        let shortTable = table < 256 ? UInt8(table) : 252
        let lengths = [prefixLength, sourceLength].map { UInt8(truncatingIfNeeded: $0) }
        return [family] + lengths + [0, shortTable, `protocol`, 0, type] + hostBytes(UInt32(0))
    }

    /// `struct rtnexthop` with its attributes: one next hop of `RTA_MULTIPATH`.
    public static func hop(_ hop: NextHop, family: AddressFamily, claimedLength: UInt16? = nil) -> [UInt8] {
        let attributes = hop.gateway.map { NetlinkAttribute.router($0, routeFamily: family).bytes } ?? []
        let length = claimedLength ?? UInt16(truncatingIfNeeded: 8 + attributes.count)
        return hostBytes(length) + [0, UInt8(truncatingIfNeeded: hop.weight - 1)] + hostBytes(hop.interfaceIndex ?? 0)
            + attributes
    }

    /// `RTM_NEWRULE`.
    public static func rule(_ rule: RoutingRule) -> MessageBuilder { ruleMessage(Rtnetlink.newRule, rule) }

    /// `RTM_DELRULE`.
    public static func ruleRemoved(_ rule: RoutingRule) -> MessageBuilder { ruleMessage(Rtnetlink.deleteRule, rule) }

    private static func ruleMessage(_ type: UInt16, _ rule: RoutingRule) -> MessageBuilder {
        var attributes: [NetlinkAttribute] = [
            .uint32(Rtnetlink.Rule.table, rule.table), .uint32(Rtnetlink.Rule.priority, rule.priority),
        ]
        if let mark = rule.mark { attributes.append(.uint32(Rtnetlink.Rule.mark, mark)) }
        if let mask = rule.markMask { attributes.append(.uint32(Rtnetlink.Rule.markMask, mask)) }
        if let destination = rule.destination {
            attributes.append(.address(Rtnetlink.Rule.destination, destination.address))
        }
        if let source = rule.source { attributes.append(.address(Rtnetlink.Rule.source, source.address)) }
        if rule.hasOtherSelectors { attributes.append(.text(Rtnetlink.Rule.inputInterface, "eth0")) }
        let lengths = [rule.destination, rule.source].map { UInt8(truncatingIfNeeded: $0?.length ?? 0) }
        // struct fib_rule_hdr; FIB_RULE_INVERT is 2.
        let header =
            [rule.family.number] + lengths + [0, rule.table < 256 ? UInt8(rule.table) : 252, 0, 0, rule.action]
        return MessageBuilder(
            type,
            fixed: header + hostBytes(UInt32(rule.isInverted ? 2 : 0)),
            attributes: attributes
        )
    }

    /// `RTM_NEWNEXTHOP` or `RTM_DELNEXTHOP`: `struct nhmsg` and the object's number.
    public static func nextHopObject(_ number: UInt32, removed: Bool = false) -> MessageBuilder {
        MessageBuilder(
            removed ? Rtnetlink.deleteNextHop : Rtnetlink.newNextHop,
            fixed: [AddressFamily.ipv4.number, 0, 0, 0] + hostBytes(UInt32(0)),
            attributes: [.uint32(1, number)]
        )
    }
}

extension NetlinkAttribute {
    /// `RTA_GATEWAY`, or `RTA_VIA` for a router of the other family (RFC 5549).
    static func router(_ address: IPAddress, routeFamily: AddressFamily) -> NetlinkAttribute {
        guard address.family != routeFamily else { return .address(Rtnetlink.Route.gateway, address) }
        return NetlinkAttribute(Rtnetlink.Route.via, [address.family.number, 0] + address.networkBytes)
    }
}
