internal import Glibc
internal import NIOCore
internal import NIOPosix

/// A listening socket on the event loop.
enum Listener {
    /// How many connections are accepted before the clients that are there have their turn.
    private static let mostAcceptedAtOnce: UInt = 64
    /// Nobody writes much to us; a request that is longer is read in pieces.
    private static let readSize = 4096

    /// Accepts connections from now on, or when it is told to read.
    static func open(
        _ name: SocketName,
        _ file: SocketFile,
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup
    ) throws -> any Channel {
        let channel = try ServerBootstrap(group: group)
            .serverChannelOption(.maxMessagesPerRead, value: mostAcceptedAtOnce)
            .serverChannelOption(.autoRead, value: accepting)
            // Without free descriptors nothing is accepted for a second, instead of trying again at once and for ever.
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(name, in: hub.value))
                }
            }
            .withBoundSocket(file.descriptor)
            .wait()
        // NIO makes the queue shorter when it takes a socket over.
        listen(file.descriptor, SocketFile.backlog)
        return channel
    }
}
