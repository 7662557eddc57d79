internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Tells how a connection's handshake ends; stands behind the TLS handler, and is silent afterwards.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What came out: the protocol that ALPN chose, or the error; nil for a connection that simply ended.
    typealias Completion = (Result<String?, any Error>) -> Void

    /// The peer closed the connection.
    struct Closed: Error {}

    private var completion: Completion?

    init(completion: @escaping Completion) { self.completion = completion }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let chosen)? = event as? TLSUserEvent {
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            finish(.success(chosen))
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { finish(.failure(error)) }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(Closed()))
        context.fireChannelInactive()
    }

    private func finish(_ result: Result<String?, any Error>) {
        guard let completion else { return }
        self.completion = nil
        completion(result)
    }
}
