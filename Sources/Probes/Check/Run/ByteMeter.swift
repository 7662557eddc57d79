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

    init(_ meter: ByteMeter) { self.meter = meter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        meter.count(received: unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = unwrapOutboundIn(data).readableBytes
        // What the socket never takes is not sent.
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenSuccess { [meter] in meter.count(sent: count) }
        context.write(data, promise: written)
    }
}
