internal import NIOCore
internal import NIOSSL

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
