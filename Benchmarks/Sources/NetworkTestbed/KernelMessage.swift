internal import CTestbed

/// The edges in the kernel's own messages.
package enum KernelMessage {
    /// Returns the multicast groups, as a mask, in which the kernel reports an edge.
    package static func group(for edge: Edge) -> UInt32 {
        switch edge {
        case .carrier: UInt32(RTMGRP_LINK)
        case .defaultRoute: UInt32(RTMGRP_IPV4_ROUTE)
        }
    }

    /// Returns the direction of the edge that a datagram reports, `true` for up; `nil` if it reports something else.
    package static func isUp(_ message: UnsafeRawBufferPointer, after edge: Edge) -> Bool? {
        switch edge {
        case .carrier: link(message)
        case .defaultRoute: defaultRoute(message)
        }
    }

    private static func link(_ message: UnsafeRawBufferPointer) -> Bool? {
        let headerSize = MemoryLayout<nlmsghdr>.size
        guard message.count >= headerSize + MemoryLayout<ifinfomsg>.size, type(of: message) == RTM_NEWLINK else {
            return nil
        }
        let link = message.loadUnaligned(fromByteOffset: headerSize, as: ifinfomsg.self)
        return link.ifi_index == Int32(Testbed.interfaceIndex) ? link.ifi_flags & lowerUp != 0 : nil
    }

    private static func defaultRoute(_ message: UnsafeRawBufferPointer) -> Bool? {
        let headerSize = MemoryLayout<nlmsghdr>.size
        guard message.count >= headerSize + MemoryLayout<rtmsg>.size else { return nil }
        let route = message.loadUnaligned(fromByteOffset: headerSize, as: rtmsg.self)
        guard route.rtm_dst_len == 0 else { return nil }
        switch type(of: message) {
        case RTM_NEWROUTE: return true
        case RTM_DELROUTE: return false
        default: return nil
        }
    }

    /// IFF_LOWER_UP, which only the kernel's header has; it cannot be included beside glibc's.
    private static let lowerUp: UInt32 = 1 << 16

    private static func type(of message: UnsafeRawBufferPointer) -> Int {
        Int(message.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    }
}
