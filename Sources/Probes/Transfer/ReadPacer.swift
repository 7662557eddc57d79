internal import NIOCore

/// Spaces the reads of a download, so that a fast link wakes the event loop a thousand times a second rather than for
/// each packet.
///
/// Without segmentation offload, 900 Mbit/s is 75,000 packets a second: with a wake-up, a read and a pass through the
/// pipeline for each of them, the processors are the bottleneck, and delay the small requests. A read that fills its
/// buffer is followed by the next one at once.
final class ReadPacer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The minimum time between two reads.
    private static let interval = TimeAmount.milliseconds(1)
    /// The maximum size of one read, a few of which fit into a processor cache.
    static let readBytes = 128 << 10

    /// `true` while reads are spaced.
    var isPacing = false { didSet { if !isPacing { release() } } }

    /// The bytes since the last read was passed on, and the time of that read.
    private var bytes = 0
    private var last = NIODeadline.uptimeNanoseconds(0)
    private var context: ChannelHandlerContext?
    private var held: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        held?.cancel()
        (held, self.context) = (nil, nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard held == nil else { return }
        guard isPacing, bytes < Self.readBytes else { return pass(context) }
        let now = NIODeadline.now()
        guard now - last < Self.interval else { return pass(context) }
        held = context.eventLoop.assumeIsolated().scheduleTask(deadline: last + Self.interval) { [self] in
            release()
        }
    }

    private func pass(_ context: ChannelHandlerContext) {
        bytes = 0
        if isPacing { last = .now() }
        context.read()
    }

    private func release() {
        guard let held, let context else { return }
        held.cancel()
        self.held = nil
        pass(context)
    }
}
