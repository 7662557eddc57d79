internal import Glibc
internal import NIOCore

/// Counts the bytes that a check's sockets carry.
///
/// Sendable by hand: only used on the check's event loop.
package final class ByteMeter: @unchecked Sendable {
    private(set) var sent = 0
    private(set) var received = 0

    package init() {}

    func count(sent bytes: Int) { sent = Self.sum(sent, bytes) }

    func count(received bytes: Int) { received = Self.sum(received, bytes) }

    private static func sum(_ total: Int, _ bytes: Int) -> Int {
        let (sum, isTooLarge) = total.addingReportingOverflow(bytes)
        return isTooLarge ? .max : sum
    }
}

/// Counts what goes over one connection; the first handler of its pipeline, so that TLS records count as they are sent.
final class ByteCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let meter: ByteMeter
    private var hasFailed = false

    init(_ meter: ByteMeter) { self.meter = meter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        meter.count(received: unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = unwrapOutboundIn(data).readableBytes
        // What the socket never takes is not sent.
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success: meter.count(sent: count)
            case .failure(let error): tell(error, context)
            }
        }
        context.write(data, promise: written)
    }

    /// Tells of an error that a write met, as reading would have done.
    ///
    /// The kernel tells of a connection's error once (SO_ERROR in socket(7)): when a write gets it, reading finds nothing
    /// but the end, and a reset would look like an orderly one. EPIPE says only that the end was there before.
    private func tell(_ error: any Error, _ context: ChannelHandlerContext) {
        guard !hasFailed, let error = error as? IOError, error.errnoCode != EPIPE else { return }
        hasFailed = true
        context.fireErrorCaught(error)
    }
}
