internal import CLibNL
internal import Glibc

/// A NETLINK_ROUTE socket, which uses libnl for everything but receiving.
///
/// libnl's receive path peeks, allocates and copies, and reports a full buffer (ENOBUFS) as "out of memory"; so
/// datagrams are read directly from the descriptor, into one reused buffer. The kernel assigns the port id, so several
/// sockets of one process never collide. Not thread-safe: one thread at a time.
final class NetlinkSocket {
    /// The result of one attempt to read a datagram.
    enum Received {
        /// A datagram from the kernel; valid until the next call.
        case datagram(UnsafeRawBufferPointer)
        /// No datagram is available.
        case drained
        /// The kernel had to drop messages because the buffer was full (ENOBUFS).
        case overrun
        /// A datagram was longer than the buffer, which has grown since.
        case truncated
        /// A datagram from another process, which is ignored: only the kernel may send here.
        case foreign
    }

    private static let initialCapacity = 64 << 10
    private static let largestCapacity = 4 << 20

    /// libnl's handle.
    let handle: OpaquePointer
    let descriptor: Int32
    private var buffer: UnsafeMutableRawBufferPointer

    init() throws(NetlinkError) {
        let descriptor = clibnl_open_route_socket()
        guard descriptor >= 0 else { throw NetlinkError(operation: "open a netlink socket", cause: .errno(errno)) }
        guard let handle = nl_socket_alloc() else {
            close(descriptor)
            throw NetlinkError(operation: "open a netlink socket", cause: .library("libnl is out of memory"))
        }
        let result = nl_socket_set_fd(handle, NETLINK_ROUTE, descriptor)
        guard result >= 0 else {
            nl_socket_free(handle)
            close(descriptor)
            throw NetlinkError.library("open a netlink socket", result)
        }
        self.handle = handle
        self.descriptor = descriptor
        buffer = .allocate(byteCount: Self.initialCapacity, alignment: 16)
        // Both only improve answers; kernels before 4.12 and 4.20 lack them.
        setOption(NETLINK_EXT_ACK, 1)
        setOption(NETLINK_GET_STRICT_CHK, 1)
    }

    deinit {
        nl_socket_free(handle)
        buffer.deallocate()
    }

    private func setOption(_ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, SOL_NETLINK, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Enlarges the receive buffer: to the requested size with CAP_NET_ADMIN, else up to `net.core.rmem_max`.
    func enlargeReceiveBuffer(to bytes: Int32) {
        var size = bytes
        let length = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 else { return }
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
    }

    /// Joins a multicast group (`RTNLGRP_…`).
    func join(_ group: rtnetlink_groups) throws(NetlinkError) {
        let result = nl_socket_add_membership(handle, Int32(group.rawValue))
        guard result >= 0 else { throw NetlinkError.library("join netlink group \(group.rawValue)", result) }
    }

    /// Leaves a multicast group.
    func leave(_ group: rtnetlink_groups) throws(NetlinkError) {
        let result = nl_socket_drop_membership(handle, Int32(group.rawValue))
        guard result >= 0 else { throw NetlinkError.library("leave netlink group \(group.rawValue)", result) }
    }

    /// The number of datagrams that the kernel dropped on this socket; 0 if unknown.
    var drops: UInt32 {
        var drops: UInt32 = 0
        return clibnl_drops(descriptor, &drops) ? drops : 0
    }

    /// Reads one datagram if available.
    ///
    /// - Throws: ``NetlinkError`` for any failure except an overrun and an empty queue.
    func receive() throws(NetlinkError) -> Received {
        let result = clibnl_receive(descriptor, buffer.baseAddress, buffer.count)
        guard result.length >= 0 else {
            switch result.error {
            case EAGAIN: return .drained
            case ENOBUFS: return .overrun
            default: throw NetlinkError(operation: "read from the netlink socket", cause: .errno(result.error))
            }
        }
        guard result.sender_is_netlink, result.sender_port == 0 else { return .foreign }
        if result.truncated {
            grow()
            return .truncated
        }
        return .datagram(UnsafeRawBufferPointer(rebasing: buffer[..<Int(result.length)]))
    }

    private func grow() {
        guard buffer.count < Self.largestCapacity else { return }
        let larger = buffer.count * 4
        buffer.deallocate()
        buffer = .allocate(byteCount: larger, alignment: 16)
    }

    /// Waits until the socket is readable.
    func waitUntilReadable(milliseconds: Int32) throws(NetlinkError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&entry, 1, milliseconds)
        if ready < 0, errno != EINTR {
            throw NetlinkError(operation: "wait for the kernel's answer", cause: .errno(errno))
        }
        if ready == 0 { throw NetlinkError(operation: "wait for the kernel's answer", cause: .timedOut) }
    }
}
