internal import NIOCore
internal import NIOSSL

/// A handshake that waits for the verdict on its certificates; it is answered exactly once.
///
/// Only used on the event loop of the connection.
final class PendingVerification {
    private var promise: EventLoopPromise<NIOSSLVerificationResult>?
    private let loop: any EventLoop

    init(_ promise: EventLoopPromise<NIOSSLVerificationResult>, on loop: any EventLoop) {
        self.promise = promise
        self.loop = loop
    }

    /// Lets the handshake go on or fail.
    func answer(_ isAccepted: Bool) {
        promise?.succeed(isAccepted ? .certificateVerified : .failed)
        promise = nil
    }

    /// Lets the handshake fail, once those who ask for it have closed the connection.
    func cancel() {
        guard let promise else { return }
        self.promise = nil
        loop.execute { promise.succeed(.failed) }
    }
}
