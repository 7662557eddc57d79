internal import Glibc
internal import NIOCore
internal import NIOTLS

/// An abrupt end of a connection below TLS, sent down the pipeline as an outbound event.
enum AbruptEnd: Sendable {
    /// FIN without a closure alert.
    case drop
    /// RST, by SO_LINGER with a time of 0 (socket(7)).
    case reset
}

/// Executes an ``AbruptEnd``; it precedes the TLS handler, which would insist on an orderly end.
final class AbruptEndHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let end = event as? AbruptEnd else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if end == .reset, let options = context.channel as? any SocketOptionProvider {
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).cascadeFailure(to: promise)
        }
        context.close(mode: .all, promise: promise)
    }
}

/// Passes a connection's input to its script, and reports the end of the handshake.
final class ConnectionInbox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The inputs that a script waits for.
    enum Arrival: Sendable {
        case secured(applicationProtocol: String?)
        case bytes([UInt8])
    }

    private let arrivals: AsyncStream<Arrival>.Continuation
    private let onActive: () -> Void
    private let onSecured: (String?) -> Void
    private let onError: (any Error) -> Void
    /// Set when HTTP/2 handlers precede this one: then the input is frames, which the script ignores.
    var isBypassed = false

    init(
        arrivals: AsyncStream<Arrival>.Continuation,
        onActive: @escaping () -> Void,
        onSecured: @escaping (String?) -> Void,
        onError: @escaping (any Error) -> Void
    ) {
        self.arrivals = arrivals
        self.onActive = onActive
        self.onSecured = onSecured
        self.onError = onError
    }

    func channelActive(context: ChannelHandlerContext) { onActive() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBypassed else { return }
        arrivals.yield(.bytes(Array(unwrapInboundIn(data).readableBytesView)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let chosen) = event as? TLSUserEvent {
            onSecured(chosen)
            arrivals.yield(.secured(applicationProtocol: chosen))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        onError(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { arrivals.finish() }
}
