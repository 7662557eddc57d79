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
            nextHops: try nextHops(attributes, type),
            nextHopObject: try attributes.uint32(Int(RTA_NH_ID.rawValue)),
            sourcePrefix: source.flatMap { IPPrefix(address: $0, length: Int(header.rtm_src_len)) }
        )
    }

    private static func nextHops(_ attributes: Attributes, _ type: UInt16) throws(MessageError) -> [NextHop] {
        if let multipath = attributes.bytes(Int(RTA_MULTIPATH.rawValue)) { return try hops(multipath, type) }
        let interface = try attributes.uint32(Int(RTA_OIF.rawValue))
        let gateway = try gateway(attributes)
        guard interface != nil || gateway != nil else { return [] }
        return [NextHop(interfaceIndex: interface, gateway: gateway)]
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
                    weight: Int(header.rtnh_hops) + 1
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
