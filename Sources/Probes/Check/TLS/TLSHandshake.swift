internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Reports the result of a connection's handshake; follows the TLS handler, and is passive afterwards.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Receives the protocol selected by ALPN, or the error; nil for a connection that was simply closed.
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

/// A handshake that waits for the verdict on its certificates; it is completed exactly once.
///
/// Used only on the event loop of the connection.
final class PendingVerification {
    private var promise: EventLoopPromise<NIOSSLVerificationResult>?
    private let loop: any EventLoop

    init(_ promise: EventLoopPromise<NIOSSLVerificationResult>, on loop: any EventLoop) {
        self.promise = promise
        self.loop = loop
    }

    /// Accepts or rejects the certificates.
    func answer(_ isAccepted: Bool) {
        promise?.succeed(isAccepted ? .certificateVerified : .failed)
        promise = nil
    }

    /// Fails the handshake, after the callers have closed the connection.
    func cancel() {
        guard let promise else { return }
        self.promise = nil
        loop.execute { promise.succeed(.failed) }
    }
}
