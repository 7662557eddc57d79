internal import NIOCore

/// Limits the rate at which connections of other hosts are accepted.
///
/// A TLS handshake costs about a millisecond of the thread that serves all other clients too: a flood of them may take a
/// tenth of it. Those that are not accepted yet wait in the kernel's queue of the port.
final class AcceptPacer: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    /// The number of connections that are accepted at once after a pause.
    private static let burst = 64.0
    private static let perSecond = 100.0
    /// The maximum number that one read accepts.
    static let atOnce: UInt = 8

    private var tokens = burst
    private var counted = NIODeadline.now()
    private var isDelayed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tokens -= 1
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        tokens = min(Self.burst, tokens + Double((now - counted).nanoseconds) / 1e9 * Self.perSecond)
        counted = now
        let missing = Double(Self.atOnce) - tokens
        guard missing > 0 else { return context.read() }
        guard !isDelayed else { return }
        isDelayed = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(Int64(missing / Self.perSecond * 1000) + 1)) {
            let (pacer, context) = bound.value
            pacer.isDelayed = false
            pacer.read(context: context)
        }
    }
}
