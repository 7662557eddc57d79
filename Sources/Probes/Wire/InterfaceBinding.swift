internal import CheckResults
internal import Glibc
internal import NIOCore

/// Binds sockets to an interface before they connect (SO_BINDTODEVICE, socket(7)).
enum InterfaceBinding {
    /// Binds a channel's socket.
    static func apply(_ interface: String?, to channel: any Channel) -> EventLoopFuture<Void> {
        guard let interface else { return channel.eventLoop.makeSucceededVoidFuture() }
        guard let name = InterfaceName(interface), let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(WireFailure(finding: SystemFinding.interface(ENODEV, interface)))
        }
        return options.unsafeSetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_BINDTODEVICE),
            value: name
        ).flatMapErrorThrowing { error in
            guard let error = error as? IOError else { throw error }
            throw WireFailure(finding: SystemFinding.interface(error.errnoCode, interface))
        }
    }

    /// Binds a socket to an interface.
    static func apply(_ interface: String, toSocket descriptor: CInt) throws(WireFailure) {
        guard var name = InterfaceName(interface) else {
            throw WireFailure(finding: SystemFinding.interface(ENODEV, interface))
        }
        let size = socklen_t(MemoryLayout<InterfaceName>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, &name, size) == 0 else {
            throw WireFailure(finding: SystemFinding.interface(errno, interface))
        }
    }
}

/// An interface name in the kernel's format: at most 15 bytes, and a zero (IFNAMSIZ).
///
/// setsockopt(2) gets the value's own bytes, so it has no other members.
private struct InterfaceName: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...15).contains(bytes.count), !bytes.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }
}
