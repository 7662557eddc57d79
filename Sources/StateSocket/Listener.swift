internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PortAccess

/// A listening socket on the event loop.
enum Listener {
    /// The maximum number of connections accepted before the existing clients have a turn.
    private static let maximumAcceptedAtOnce: UInt = 64
    /// The maximum number of connections of other hosts that wait to be accepted; the kernel limits it by
    /// `net.core.somaxconn`.
    ///
    /// All of them are accepted within a fraction of a second, and the client of one that does not fit retries only
    /// after a second.
    private static let remoteBacklog: CInt = 4096
    /// The size of a read, which is small because clients send little; a longer request is read in pieces.
    private static let readSize = 4096

    /// Accepts connections immediately, or once reading starts.
    static func open(
        _ name: SocketName,
        _ file: SocketFile,
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup
    ) throws -> any Channel {
        let channel = try bootstrap(name, isRemote: false, accepting: accepting, hub: hub, on: group) { .unix }
            .withBoundSocket(file.descriptor)
            .wait()
        // Restores the length of the queue, which NIO shortens when it adopts a socket.
        listen(file.descriptor, SocketFile.backlog)
        return channel
    }

    /// Binds a TCP port, on which connections are accepted once reading starts.
    static func bind(
        _ port: HTTPPort,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup
    ) -> EventLoopFuture<any Channel> {
        let address: SocketAddress
        do {
            address = try SocketAddress(ipAddress: port.address, port: Int(port.port))
        } catch {
            return group.next().makeFailedFuture(error)
        }
        var bootstrap = Self.bootstrap(.http, isRemote: !port.isLoopback, accepting: false, hub: hub, on: group) {
            port.isLoopback ? .local : hub.value.access.flatMap { $0.isUsable ? .remote($0) : nil }
        }
        .serverChannelOption(.backlog, value: port.isLoopback ? SocketFile.backlog : remoteBacklog)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        // A reader that has vanished would keep its place until an event is sent to it. The kernels answer each other,
        // and no thread wakes up.
        .childChannelOption(.socketOption(.so_keepalive), value: 1)
        .childChannelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), value: 60)
        .childChannelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL)), value: 20)
        .childChannelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPCNT)), value: 3)
        if address.protocol == .inet6 {
            // `[::]` leaves IPv4 to a port of its own.
            let option = ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only)
            bootstrap = bootstrap.serverChannelOption(option, value: 1)
        }
        return bootstrap.bind(to: address)
    }

    /// Returns the reason that a port could not be bound.
    static func error(_ failure: any Error, at port: HTTPPort) -> StateSocketError {
        let place = "\(port), an address of 'listen' in [http]"
        guard let failure = failure as? IOError else {
            return StateSocketError(operation: "listen on", path: place, cause: .eventLoop("\(failure)"))
        }
        return StateSocketError(operation: "listen on", path: place, cause: .errno(failure.errnoCode))
    }

    private static func bootstrap(
        _ name: SocketName,
        isRemote: Bool,
        accepting: Bool,
        hub: NIOLoopBound<StreamHub>,
        on group: MultiThreadedEventLoopGroup,
        transport: @escaping @Sendable () -> Connection.Transport?
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.maxMessagesPerRead, value: isRemote ? AcceptPacer.atOnce : maximumAcceptedAtOnce)
            .serverChannelOption(.autoRead, value: accepting)
            // If no descriptor is free, accepting pauses for a second instead of failing in an endless loop.
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
                    guard isRemote else { return }
                    try channel.pipeline.syncOperations.addHandler(AcceptPacer(hub.value.connections))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let transport = transport() else { throw ChannelError.operationUnsupported }
                    let connection = Connection(name, over: transport, in: hub.value)
                    let pipeline = channel.pipeline.syncOperations
                    if case .remote(let access) = transport, let tls = access.tls {
                        // With TLS, the end of one direction ends the connection.
                        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
                        try pipeline.addHandler(NIOSSLServerHandler(context: tls.context))
                    }
                    if name == .http { try HTTPRequestReader.add(to: pipeline, of: connection) }
                    try pipeline.addHandler(connection)
                }
            }
    }
}
