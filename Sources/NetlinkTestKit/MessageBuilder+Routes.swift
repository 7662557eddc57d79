public import NetlinkMonitor

extension MessageBuilder {
    /// Returns `RTM_NEWROUTE` as the kernel sends it for this route: several next hops become `RTA_MULTIPATH`.
    ///
    /// A lifetime is in ticks of 10 ms, negative for an expired route.
    public static func route(_ route: Route, expiresInTicks ticks: Int32? = nil) -> MessageBuilder {
        var message = routeMessage(Rtnetlink.newRoute, route)
        if let ticks {
            // struct rta_cacheinfo: the lifetime is the third of its eight words.
            let info = (0..<8).flatMap { word -> [UInt8] in hostBytes(word == 2 ? ticks : Int32(0)) }
            message.attributes.append(NetlinkAttribute(Rtnetlink.Route.cacheInfo, info))
        }
        return message
    }

    /// Returns `RTM_DELROUTE`.
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
                typeOfService: route.typeOfService ?? 0,
                table: route.table,
                protocol: route.protocol,
                type: route.type.rawValue,
                flags: route.nextHops.count == 1 ? route.nextHops.map(flags(of:)).first ?? 0 : 0
            ),
            attributes: attributes
        )
    }

    /// Returns `struct rtmsg`.
    public static func routeHeader(
        _ family: UInt8,
        prefixLength: Int,
        sourceLength: Int = 0,
        typeOfService: UInt8 = 0,
        table: UInt32 = Route.mainTable,
        protocol: UInt8 = 3,
        type: UInt8 = 1,
        flags: UInt8 = 0
    ) -> [UInt8] {
        // Numbers above 255 do not fit; the kernel writes RT_TABLE_COMPAT and puts the number into RTA_TABLE.
        let shortTable = table < 256 ? UInt8(table) : 252
        let lengths = [prefixLength, sourceLength].map { UInt8(truncatingIfNeeded: $0) }
        return [family] + lengths + [typeOfService, shortTable, `protocol`, 0, type] + hostBytes(UInt32(flags))
    }

    /// Returns the flags of a next hop: `RTNH_F_ONLINK` is 4.
    private static func flags(of hop: NextHop) -> UInt8 { hop.isOnLink ? 4 : 0 }

    /// Returns `struct rtnexthop` with its attributes: one next hop of `RTA_MULTIPATH`.
    public static func hop(_ hop: NextHop, family: AddressFamily, claimedLength: UInt16? = nil) -> [UInt8] {
        let attributes = hop.gateway.map { NetlinkAttribute.router($0, routeFamily: family).bytes } ?? []
        let length = claimedLength ?? UInt16(truncatingIfNeeded: 8 + attributes.count)
        return hostBytes(length) + [flags(of: hop), UInt8(truncatingIfNeeded: hop.weight - 1)]
            + hostBytes(hop.interfaceIndex ?? 0)
            + attributes
    }

    /// Returns `RTM_NEWRULE`.
    public static func rule(_ rule: RoutingRule) -> MessageBuilder { ruleMessage(Rtnetlink.newRule, rule) }

    /// Returns `RTM_DELRULE`.
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
        attributes.append(.uint32(Rtnetlink.Rule.suppressedPrefixLength, rule.suppressedPrefixLength ?? .max))
        if let group = rule.suppressedGroup { attributes.append(.uint32(Rtnetlink.Rule.suppressedGroup, group)) }
        if let priority = rule.gotoPriority { attributes.append(.uint32(Rtnetlink.Rule.gotoPriority, priority)) }
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

    /// Returns `RTM_NEWNEXTHOP` or `RTM_DELNEXTHOP`: `struct nhmsg`, the object's number, and its next hop or the
    /// numbers and weights of a group's members.
    public static func nextHopObject(
        _ number: UInt32,
        removed: Bool = false,
        hop: NextHop? = nil,
        members: [(number: UInt32, weight: Int)] = []
    ) -> MessageBuilder {
        var attributes = [NetlinkAttribute.uint32(1, number)]
        if !members.isEmpty {
            let group = members.flatMap { member -> [UInt8] in
                let weight = UInt16(clamping: member.weight - 1)
                return hostBytes(member.number) + [UInt8(truncatingIfNeeded: weight), UInt8(weight >> 8), 0, 0]
            }
            attributes.append(NetlinkAttribute(2, group))
        }
        if let interface = hop?.interfaceIndex { attributes.append(.uint32(5, interface)) }
        if let gateway = hop?.gateway { attributes.append(.address(6, gateway)) }
        return MessageBuilder(
            removed ? Rtnetlink.deleteNextHop : Rtnetlink.newNextHop,
            fixed: [AddressFamily.ipv4.number, 0, 0, 0] + hostBytes(UInt32(hop.map(flags(of:)) ?? 0)),
            attributes: attributes
        )
    }

    /// Returns `RTM_NEWNEXTHOPBUCKET`: `struct nhmsg`, the group's number, and the bucket with the number of its next hop
    /// (`NHA_RES_BUCKET`).
    public static func nextHopBucket(_ bucket: UInt16, of group: UInt32, nextHop: UInt32) -> MessageBuilder {
        let nested = NetlinkAttribute.nested(13, [.uint16(1, bucket), .uint32(3, nextHop)])
        return MessageBuilder(
            Rtnetlink.newNextHopBucket,
            fixed: [0, 0, 0, 0, 0, 0, 0, 0],
            attributes: [.uint32(1, group), nested]
        )
    }

    /// Returns `RTM_NEWNEIGH` or `RTM_DELNEIGH`: `struct ndmsg` and the address; `state` are the bits of `ndm_state`.
    public static func neighbour(
        _ address: IPAddress,
        interface: UInt32,
        state: UInt16,
        removed: Bool = false,
        cacheInformation: [UInt8]? = nil
    ) -> MessageBuilder {
        MessageBuilder(
            removed ? Rtnetlink.deleteNeighbour : Rtnetlink.newNeighbour,
            fixed: [address.family.number, 0, 0, 0] + hostBytes(interface) + hostBytes(state) + [0, 1],
            attributes: [.address(1, address)] + (cacheInformation.map { [NetlinkAttribute(3, $0)] } ?? [])
        )
    }

    /// Returns `RTM_NEWSTATS`: `struct if_stats_msg`, and the first four counters of `struct rtnl_link_stats64`.
    public static func statistics(interface: UInt32, received: UInt64, sent: UInt64) -> MessageBuilder {
        let counters: [UInt64] = [1, 2, received, sent]
        return MessageBuilder(
            Rtnetlink.newStatistics,
            fixed: [0, 0, 0, 0] + hostBytes(interface) + hostBytes(UInt32(1)),
            attributes: [NetlinkAttribute(1, counters.flatMap { hostBytes($0) })]
        )
    }

    /// Returns `RTM_NEWNETCONF`: `struct netconfmsg`, the interface (-1 for all), and the settings by the number of
    /// their attribute.
    public static func setting(
        _ family: AddressFamily,
        interface: Int32,
        _ values: [(attribute: UInt16, value: Int32)]
    ) -> MessageBuilder {
        let settings = values.map { NetlinkAttribute.uint32($0.attribute, UInt32(bitPattern: $0.value)) }
        return MessageBuilder(
            Rtnetlink.newSetting,
            fixed: [family.number],
            attributes: [.uint32(1, UInt32(bitPattern: interface))] + settings
        )
    }
}

extension NetlinkAttribute {
    /// Returns `RTA_GATEWAY`, or `RTA_VIA` for a router of the other family (RFC 5549).
    static func router(_ address: IPAddress, routeFamily: AddressFamily) -> NetlinkAttribute {
        guard address.family != routeFamily else { return .address(Rtnetlink.Route.gateway, address) }
        return NetlinkAttribute(Rtnetlink.Route.via, [address.family.number, 0] + address.networkBytes)
    }
}
