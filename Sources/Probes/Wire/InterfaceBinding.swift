internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A finding on its way through a future.
struct WireFailure: Error {
    let finding: Finding
}

/// Binds a channel's socket to an interface before it connects (SO_BINDTODEVICE, socket(7)).
enum InterfaceBinding {
    /// The option's value: a name of at most 15 bytes and its final zero, IFNAMSIZ in all.
    private struct Name: Sendable {
        var low: UInt64 = 0
        var high: UInt64 = 0
    }

    static func apply(_ interface: String?, to channel: any Channel) -> EventLoopFuture<Void> {
        guard let interface else { return channel.eventLoop.makeSucceededVoidFuture() }
        let bytes = Array(interface.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout<Name>.size, !bytes.contains(0),
            let options = channel as? any SocketOptionProvider
        else {
            return channel.eventLoop.makeFailedFuture(WireFailure(finding: SystemFinding.interface(ENODEV, interface)))
        }
        var name = Name()
        withUnsafeMutableBytes(of: &name) { $0.copyBytes(from: bytes) }
        return options.unsafeSetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_BINDTODEVICE),
            value: name
        ).flatMapErrorThrowing { error in
            guard let error = error as? IOError else { throw error }
            throw WireFailure(finding: SystemFinding.interface(error.errnoCode, interface))
        }
    }
}
