internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What is set on a socket before it connects.
enum SocketBinding {
    /// The socket could not be bound to an interface.
    struct Failure: Error {
        let interface: String
        let errnoCode: CInt
    }

    /// Binds a socket to an interface with SO_BINDTODEVICE, as socket(7) describes it.
    static func bind(_ channel: any Channel, to interface: String?) -> EventLoopFuture<Void> {
        guard let interface else { return channel.eventLoop.makeSucceededVoidFuture() }
        guard let name = InterfaceName(interface) else {
            return channel.eventLoop.makeFailedFuture(Failure(interface: interface, errnoCode: ENODEV))
        }
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(Failure(interface: interface, errnoCode: EOPNOTSUPP))
        }
        return provider.unsafeSetSocketOption(
            level: .socket,
            name: .init(rawValue: SO_BINDTODEVICE),
            value: name
        ).flatMapErrorThrowing { error in
            throw Failure(interface: interface, errnoCode: (error as? IOError)?.errnoCode ?? EINVAL)
        }
    }
}

extension WireEndpoint {
    /// A resolved address and a port.
    init(_ address: HostAddress, port: UInt16) {
        bytes = address.bytes
        zone = address.scope == 0 ? nil : String(address.scope)
        self.port = port
    }
}

/// An interface's name as the kernel takes it: 15 bytes at most, and a zero (IFNAMSIZ).
///
/// The value's own bytes are what setsockopt(2) gets, so there is nothing else in it.
struct InterfaceName: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...15).contains(bytes.count), !bytes.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }
}
