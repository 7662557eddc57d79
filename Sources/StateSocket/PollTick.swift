internal import EventLoopExecutor
internal import Glibc
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix

/// Calls a closure after the event loop has polled its sockets once.
///
/// No task can do that: NIO runs tasks until none is due, including those added meanwhile, and only then polls. A
/// descriptor that is readable (eventfd(2)) is found by the next poll. Used only on the event loop.
final class PollTick: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Called on the event loop.
    var whenPolled: (() -> Void)?

    private let wakeup: Wakeup
    private var isRequested = false

    /// Creates a tick that does not work yet.
    init() throws(SystemError) { wakeup = try Wakeup() }

    /// Returns a descriptor for the event loop, which closes it.
    func duplicate() throws(SystemError) -> CInt {
        let copy = fcntl(wakeup.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError(errno: errno) }
        return copy
    }

    /// Calls the closure after the next poll; several requests before it are one.
    func request() {
        guard !isRequested else { return }
        isRequested = true
        wakeup.signal()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isRequested = false
        whenPolled?()
    }

    /// Adds a tick to an event loop; must not be called on the loop.
    ///
    /// - Throws: ``SystemError`` if no descriptor or watch of epoll(7) is left; NIO itself would end the process.
    static func open(on gate: LoopGate) throws -> NIOLoopBound<PollTick> {
        _ = try EpollReserve(watches: 1)
        let (tick, descriptor) = try gate.eventLoop.submit {
            let tick = try PollTick()
            return (NIOLoopBound(tick, eventLoop: gate.eventLoop), try tick.duplicate())
        }.wait()
        _ = try NIOPipeBootstrap(group: gate.eventLoop)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(tick.value) }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .wait()
        return tick
    }
}
