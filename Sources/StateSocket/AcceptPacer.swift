internal import Glibc
internal import NIOCore

/// Admits the accepted connections of other hosts in turn between hosts, and at a limited rate.
///
/// All connections are accepted at once, because the kernel's queue of a port does not distinguish hosts: one that fills
/// it would keep out all others. Those that wait count against the limits of their host and of all hosts, and those
/// beyond the limits are reset before anything is spent on them.
final class AcceptPacer: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// The maximum number of connections that one read accepts, and so the maximum number of handshakes that begin
    /// before the existing clients have a turn.
    static let atOnce: UInt = 8

    private let connections: ConnectionRegistry
    private var queue = AdmissionQueue<(channel: any Channel, origin: ClientOrigin)>()
    private var isScheduled = false

    /// Creates a handler for a listener.
    init(_ connections: ConnectionRegistry) { self.connections = connections }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        // A connection that its host has reset already has no address any more.
        guard let host = RemoteHost(channel.remoteAddress), connections.hold(.host(host)) else {
            return Self.reset(channel)
        }
        queue.add((channel, .host(host)), of: host)
        admit(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        while let (channel, origin) = queue.removeNext() {
            connections.release(origin)
            channel.close(promise: nil)
        }
        context.fireChannelInactive()
    }

    private func admit(_ context: ChannelHandlerContext) {
        while let (channel, origin) = queue.next(at: context.eventLoop.now) {
            // It is counted again as soon as it is active.
            connections.release(origin)
            context.fireChannelRead(wrapInboundOut(channel))
        }
        guard !isScheduled, let time = queue.nextTime else { return }
        isScheduled = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: time) {
            let (pacer, context) = bound.value
            pacer.isScheduled = false
            pacer.admit(context)
        }
    }

    /// Closes a connection without an orderly end, which the kernel would remember for a minute (TIME_WAIT).
    private static func reset(_ channel: any Channel) {
        _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        channel.close(promise: nil)
    }
}
