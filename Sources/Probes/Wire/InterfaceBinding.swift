internal import CheckResults
internal import Glibc
internal import NIOCore

/// Carries a finding through a future.
struct WireFailure: Error {
    let finding: Finding
}

/// Binds a channel's socket to an interface before it connects (SO_BINDTODEVICE, socket(7)).
enum InterfaceBinding {
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
}
