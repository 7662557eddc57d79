internal import CTestbed

/// Requests to the kernel as bytes: the few that are timed, or sent by the hundred thousand.
package struct NetlinkRequest {
    package private(set) var bytes: [UInt8] = []

    /// Sets or clears a link's IFF_UP.
    package static func setLink(_ index: Int32, isUp: Bool) -> NetlinkRequest {
        var request = NetlinkRequest()
        var link = ifinfomsg()
        link.ifi_index = index
        let up = UInt32(IFF_UP)
        link.ifi_flags = isUp ? up : 0
        link.ifi_change = up
        request.append(type: RTM_NEWLINK, flags: NLM_F_ACK) { $0.append(link) }
        return request
    }

    /// Adds or deletes the IPv4 default route.
    package static func defaultRoute(add: Bool, gateway: UInt32, interface: UInt32) -> NetlinkRequest {
        var request = NetlinkRequest()
        let route = routeHeader(prefixLength: 0, scope: RT_SCOPE_UNIVERSE)
        request.append(type: add ? RTM_NEWROUTE : RTM_DELROUTE, flags: NLM_F_ACK | (add ? createFlags : 0)) {
            $0.append(route)
            $0.append(attribute: RTA_GATEWAY, gateway.bigEndian)
            $0.append(attribute: RTA_OIF, interface)
        }
        return request
    }

    /// Adds or deletes a run of /32 routes; only the last is acknowledged.
    package static func hostRoutes(add: Bool, addresses: Range<UInt32>, interface: UInt32) -> NetlinkRequest {
        var request = NetlinkRequest()
        let route = routeHeader(prefixLength: 32, scope: RT_SCOPE_LINK)
        for address in addresses {
            let acknowledge = address == addresses.upperBound - 1 ? NLM_F_ACK : 0
            request.append(type: add ? RTM_NEWROUTE : RTM_DELROUTE, flags: acknowledge | (add ? createFlags : 0)) {
                $0.append(route)
                $0.append(attribute: RTA_DST, address.bigEndian)
                $0.append(attribute: RTA_OIF, interface)
            }
        }
        return request
    }

    private static let createFlags = NLM_F_CREATE | NLM_F_EXCL

    private static func routeHeader(prefixLength: UInt8, scope: rt_scope_t) -> rtmsg {
        var route = rtmsg()
        route.rtm_family = UInt8(AF_INET)
        route.rtm_dst_len = prefixLength
        route.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
        route.rtm_protocol = UInt8(RTPROT_STATIC)
        route.rtm_scope = UInt8(scope.rawValue)
        route.rtm_type = UInt8(RTN_UNICAST)
        return route
    }

    /// Appends a message; its length is filled in once its body is there.
    private mutating func append(type: Int, flags: Int32, body: (inout NetlinkRequest) -> Void) {
        let start = bytes.count
        var header = nlmsghdr()
        header.nlmsg_type = UInt16(type)
        header.nlmsg_flags = UInt16(NLM_F_REQUEST | flags)
        append(header)
        body(&self)
        let length = UInt32(bytes.count - start)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: start, as: UInt32.self) }
    }

    /// Appends an attribute with a value of four bytes, which needs no padding.
    private mutating func append(attribute: rtattr_type_t, _ value: UInt32) {
        append(rtattr(rta_len: 8, rta_type: UInt16(attribute.rawValue)))
        append(value)
    }

    private mutating func append<Value: BitwiseCopyable>(_ value: Value) {
        withUnsafeBytes(of: value) { bytes += $0 }
    }
}
