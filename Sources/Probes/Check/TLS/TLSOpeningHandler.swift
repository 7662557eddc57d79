internal import NIOCore

/// Reads the server's bytes on their way to the TLS library, until the certificates are known.
final class TLSOpeningHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var opening = TLSOpening()
    private var flight: ServerFlight? = ServerFlight()
    private let secrets: HandshakeSecrets
    /// The client random, which identifies the connection.
    private var random: [UInt8]?

    init(secrets: HandshakeSecrets) { self.secrets = secrets }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A record header, a message header and a version precede it (RFC 8446, sections 4.1.2 and 5.1).
        let bytes = unwrapOutboundIn(data)
        if random == nil, flight != nil, let random = bytes.getBytes(at: bytes.readerIndex + 11, length: 32) {
            self.random = random
            secrets.expect(random)
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        opening.take(bytes)
        flight?.append(bytes)
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    /// Drops the bytes unread: the library has handed the certificates over.
    func forget() {
        if let random { secrets.take(random) }
        (flight, random) = (nil, nil)
    }

    /// Returns the server's certificates, its own first; later calls return none.
    func certificates() -> [[UInt8]] {
        defer { (flight, random) = (nil, nil) }
        return flight?.certificates(secret: random.flatMap { secrets.take($0) }) ?? []
    }
}
