internal import CLibNL

/// Parses `RTM_NEWROUTE` and `RTM_DELROUTE`, both as notifications and as answers to lookups.
enum RouteParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: rtmsg.self, messageType: type)
        // Multicast routing tables use the same types with families of their own.
        guard let family = AddressFamily(kernelValue: header.rtm_family) else { return .irrelevant(type: type) }
        return try Attributes.parse(attributes, highest: Int(RTA_NH_ID.rawValue), messageType: type) {
            (attributes) throws(MessageError) in
            let route = try route(header, family, attributes, type)
            guard Int(type) == RTM_NEWROUTE else { return .routeRemoved(route) }
            return .route(route, expiresIn: try lifetime(attributes, type))
        }
    }

    /// `rta_expires` in `RTA_CACHEINFO`: clock ticks of 10 ms, negative once the route has expired, 0 for none.
    private static func lifetime(_ attributes: Attributes, _ type: UInt16) throws(MessageError) -> Duration? {
        guard let info = attributes.bytes(Int(RTA_CACHEINFO.rawValue)) else { return nil }
        guard info.count >= 12 else {
            throw .badAttributeValue(type: type, attribute: Int(RTA_CACHEINFO.rawValue))
        }
        let ticks = info.loadUnaligned(fromByteOffset: 8, as: Int32.self)
        return ticks == 0 ? nil : .milliseconds(Int64(ticks) * 10)
    }

    private static func route(
        _ header: rtmsg,
        _ family: AddressFamily,
        _ attributes: Attributes,
        _ type: UInt16
    ) throws(MessageError) -> Route {
        let address = try attributes.address(Int(RTA_DST.rawValue), family) ?? .unspecified(family)
        guard let destination = IPPrefix(address: address, length: Int(header.rtm_dst_len)) else {
            throw .badAttributeValue(type: type, attribute: Int(RTA_DST.rawValue))
        }
        let source = header.rtm_src_len == 0 ? nil : try attributes.address(Int(RTA_SRC.rawValue), family)
        return Route(
            destination: destination,
            table: try attributes.uint32(Int(RTA_TABLE.rawValue)) ?? UInt32(header.rtm_table),
            protocol: header.rtm_protocol,
            type: RouteType(rawValue: header.rtm_type) ?? .other,
            metric: try attributes.uint32(Int(RTA_PRIORITY.rawValue)) ?? 0,
            preferredSource: try attributes.address(Int(RTA_PREFSRC.rawValue), family),
            nextHops: try nextHops(attributes, flags: header.rtm_flags, type),
            nextHopObject: try attributes.uint32(Int(RTA_NH_ID.rawValue)),
            sourcePrefix: source.flatMap { IPPrefix(address: $0, length: Int(header.rtm_src_len)) },
            typeOfService: header.rtm_tos == 0 ? nil : header.rtm_tos
        )
    }

    private static func nextHops(
        _ attributes: Attributes,
        flags: UInt32,
        _ type: UInt16
    ) throws(MessageError) -> [NextHop] {
        if let multipath = attributes.bytes(Int(RTA_MULTIPATH.rawValue)) { return try hops(multipath, type) }
        let interface = try attributes.uint32(Int(RTA_OIF.rawValue))
        let gateway = try gateway(attributes)
        guard interface != nil || gateway != nil else { return [] }
        return [NextHop(interfaceIndex: interface, gateway: gateway, isOnLink: NextHop.isOnLink(flags))]
    }

    /// Parses consecutive `struct rtnexthop`, each with attributes of its own.
    private static func hops(_ bytes: UnsafeRawBufferPointer, _ type: UInt16) throws(MessageError) -> [NextHop] {
        let size = MemoryLayout<rtnexthop>.size
        var hops: [NextHop] = []
        var rest = bytes
        while rest.count >= size {
            let header = rest.loadUnaligned(as: rtnexthop.self)
            let length = Int(header.rtnh_len)
            guard length >= size, length <= rest.count else {
                throw .badAttributeValue(type: type, attribute: Int(RTA_MULTIPATH.rawValue))
            }
            let attributes = UnsafeRawBufferPointer(rebasing: rest[size..<length])
            let gateway = try Attributes.parse(attributes, highest: Int(RTA_VIA.rawValue), messageType: type) {
                (attributes) throws(MessageError) -> IPAddress? in try Self.gateway(attributes)
            }
            hops.append(
                NextHop(
                    interfaceIndex: header.rtnh_ifindex > 0 ? UInt32(header.rtnh_ifindex) : nil,
                    gateway: gateway,
                    weight: Int(header.rtnh_hops) + 1,
                    isOnLink: NextHop.isOnLink(UInt32(header.rtnh_flags))
                )
            )
            rest = UnsafeRawBufferPointer(rebasing: rest[min((length + 3) & ~3, rest.count)...])
        }
        return hops
    }

    /// `RTA_GATEWAY`, or `RTA_VIA` for a router of the other family: two bytes of family, then the address.
    private static func gateway(_ attributes: Attributes) throws(MessageError) -> IPAddress? {
        if let gateway = try attributes.address(Int(RTA_GATEWAY.rawValue)) { return gateway }
        guard let via = attributes.bytes(Int(RTA_VIA.rawValue)), via.count > 2 else { return nil }
        return IPAddress(networkBytes: via.dropFirst(2))
    }
}

extension NextHop {
    /// Returns whether the flags of a next hop (`RTNH_F_…`), which are those of a route with a single one, have
    /// `RTNH_F_ONLINK`.
    fileprivate static func isOnLink(_ flags: UInt32) -> Bool { flags & UInt32(RTNH_F_ONLINK) != 0 }
}

/// A nexthop object (`ip nexthop`), or a group of them.
struct NextHopObject: Sendable, Equatable {
    /// One object of a group.
    struct Member: Sendable, Equatable {
        let number: UInt32
        let weight: Int
    }

    /// The kernel allows 65,535 members; a default route has a handful.
    static let maximumMembers = 256

    let number: UInt32
    /// The next hop; `nil` for a group and for an object that drops packets.
    var hop: NextHop?
    var members: [Member] = []
}

/// Parses `RTM_NEWNEXTHOP` and `RTM_DELNEXTHOP`.
enum NextHopObjectParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: nhmsg.self, messageType: type)
        let object = try Attributes.parse(attributes, highest: Int(NHA_GATEWAY), messageType: type) {
            (attributes) throws(MessageError) in
            var object = NextHopObject(number: try attributes.uint32(Int(NHA_ID)) ?? 0)
            if let group = attributes.bytes(Int(NHA_GROUP)) {
                object.members = try members(group, type)
            } else if !attributes.contains(Int(NHA_BLACKHOLE)) {
                let interface = try attributes.uint32(Int(NHA_OIF))
                let gateway = try attributes.address(Int(NHA_GATEWAY))
                if interface != nil || gateway != nil {
                    object.hop = NextHop(
                        interfaceIndex: interface,
                        gateway: gateway,
                        isOnLink: NextHop.isOnLink(header.nh_flags)
                    )
                }
            }
            return object
        }
        return .nextHopObject(object, removed: Int(type) == RTM_DELNEXTHOP)
    }

    /// Parses consecutive `struct nexthop_grp`; the weight is sent minus one.
    ///
    /// Since Linux 6.12 the byte after the weight has its upper half; older kernels send 0 there.
    private static func members(
        _ bytes: UnsafeRawBufferPointer,
        _ type: UInt16
    ) throws(MessageError) -> [NextHopObject.Member] {
        let size = MemoryLayout<nexthop_grp>.size
        let upperHalfOffset = 5
        guard bytes.count % size == 0 else { throw .badAttributeValue(type: type, attribute: Int(NHA_GROUP)) }
        return (0..<min(bytes.count / size, NextHopObject.maximumMembers)).map { position in
            let member = bytes.loadUnaligned(fromByteOffset: position * size, as: nexthop_grp.self)
            let upper = bytes[position * size + upperHalfOffset]
            return NextHopObject.Member(number: member.id, weight: (Int(upper) << 8 | Int(member.weight)) + 1)
        }
    }
}

/// Parses `RTM_NEWRULE` and `RTM_DELRULE`.
enum RuleParser {
    static func parse(_ type: UInt16, _ payload: UnsafeRawBufferPointer) throws(MessageError) -> NetlinkMessage {
        let (header, attributes) = try MessageParser.split(payload, as: fib_rule_hdr.self, messageType: type)
        guard let family = AddressFamily(kernelValue: header.family) else { return .irrelevant(type: type) }
        let rule = try Attributes.parse(attributes, highest: Int(FRA_PROTOCOL), messageType: type) {
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
                hasOtherSelectors: header.tos != 0 || attributes.hasTypes(besides: understood)
                    || !(attributes.text(Int(FRA_IIFNAME)) ?? "lo").elementsEqual("lo"),
                // Always there: with all bits set the rule ignores nothing.
                suppressedPrefixLength: try attributes.uint32(Int(FRA_SUPPRESS_PREFIXLEN))
                    .flatMap { $0 == .max ? nil : $0 },
                suppressedGroup: try attributes.uint32(Int(FRA_SUPPRESS_IFGROUP)).flatMap { $0 == .max ? nil : $0 },
                isInverted: header.flags & UInt32(FIB_RULE_INVERT) != 0,
                gotoPriority: Int(header.action) == Int(FR_ACT_GOTO) ? try attributes.uint32(Int(FRA_GOTO)) : nil
            )
        }
        return Int(type) == RTM_NEWRULE ? .rule(rule) : .ruleRemoved(rule)
    }

    /// The attributes that do not select packets, or are evaluated: addresses, mark, and the incoming interface, which
    /// is `lo` for packets of this machine.
    ///
    /// Any other attribute counts as a selector: newer kernels add some (`FRA_DSCP`, `FRA_FLOWLABEL`, the masks of
    /// ports), and a rule for some packets must not decide for all. `FRA_FLOW` selects nothing: it assigns a realm.
    private static let understood = Set(
        [
            FRA_DST, FRA_SRC, FRA_IIFNAME, FRA_GOTO, FRA_PRIORITY, FRA_FWMARK, FRA_FWMASK, FRA_FLOW,
            FRA_SUPPRESS_IFGROUP, FRA_SUPPRESS_PREFIXLEN, FRA_TABLE, FRA_PAD, FRA_PROTOCOL,
        ].map { Int($0) }
    )

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
