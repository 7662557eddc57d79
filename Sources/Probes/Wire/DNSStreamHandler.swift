internal import CheckResults
internal import NIOCore

/// Passes the first message of a stream to an exchange; each follows its length (RFC 1035, section 4.2.2).
final class DNSStreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let exchange: DNSExchange
    private var received = ByteBuffer()

    init(exchange: DNSExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // At most a message and one more read: the exchange closes the channel after its first message.
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard let length: UInt16 = received.getInteger(at: received.readerIndex),
            let message = received.getBytes(at: received.readerIndex + 2, length: Int(length))
        else { return }
        let local = context.channel.localAddress.flatMap { address in
            HostAddress(address).map { WireEndpoint($0, port: UInt16(clamping: address.port ?? 0)) }
        }
        exchange.received(message, at: local, by: .tcp)
    }

    func channelInactive(context: ChannelHandlerContext) { exchange.closedStream() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { exchange.failed(error) }
}
