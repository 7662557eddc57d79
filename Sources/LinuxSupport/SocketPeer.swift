internal import CLinux

/// The other end of a connection.
package enum SocketPeer {
    /// The user of the process at the other end of a TCP connection within this machine; `nil` when the kernel's table of
    /// sockets does not have it any more.
    ///
    /// Needs no privilege, and does not block.
    package static func user(ofTCP descriptor: Int32) -> UInt32? {
        let user = clinux_tcp_peer_user(descriptor)
        return user < 0 ? nil : UInt32(exactly: user)
    }
}
