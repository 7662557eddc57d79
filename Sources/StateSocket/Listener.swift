internal import Glibc
internal import NIOCore
internal import NIOPosix

/// A listening socket on the event loop.
enum Listener {
    /// The maximum number of connections accepted before the existing clients have a turn.
    private static let maximumAcceptedAtOnce: UInt = 64
    /// The size of a read: clients write little; a longer request is read in pieces.
    private static let readSize = 4096

    /// Accepts connections from now on, or once it is told to read.
    static func open(
        _ name: SocketName,
        _ file: SocketFile,
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup
    ) throws -> any Channel {
        let channel = try bootstrap(name, isTCP: false, accepting: accepting, hub: hub, on: group)
            .withBoundSocket(file.descriptor)
            .wait()
        // NIO shortens the queue when it adopts a socket.
        listen(file.descriptor, SocketFile.backlog)
        return channel
    }

    /// Accepts connections at a TCP port of this machine from now on, or once it is told to read.
    static func open(
        _ port: HTTPPort,
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup
    ) throws(StateSocketError) -> any Channel {
        do {
            return try bootstrap(.http, isTCP: true, accepting: accepting, hub: hub, on: group)
                .serverChannelOption(.backlog, value: SocketFile.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(to: SocketAddress(ipAddress: port.address, port: Int(port.port)))
                .wait()
        } catch let error as IOError {
            throw StateSocketError(operation: "listen on", path: "\(port)", cause: .errno(error.errnoCode))
        } catch {
            throw StateSocketError(operation: "listen on", path: "\(port)", cause: .eventLoop("\(error)"))
        }
    }

    private static func bootstrap(
        _ name: SocketName,
        isTCP: Bool,
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.maxMessagesPerRead, value: maximumAcceptedAtOnce)
            .serverChannelOption(.autoRead, value: accepting)
            // Without free descriptors accepting pauses for a second, instead of an endless loop of failures.
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
                    let connection = Connection(name, isTCP: isTCP, in: hub.value)
                    let pipeline = channel.pipeline.syncOperations
                    if name == .http { try HTTPRequestReader.add(to: pipeline, of: connection) }
                    try pipeline.addHandler(connection)
                }
            }
    }
}
