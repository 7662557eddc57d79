internal import NIOCore

/// Hands datagrams to an exchange.
final class DNSDatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let exchange: DNSExchange

    init(exchange: DNSExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).data.readableBytesView)
        exchange.received(bytes, from: context.channel, by: .udp)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { exchange.failed(error) }
}

/// Hands the first message of a stream to an exchange; each has its length before it (RFC 1035 section 4.2.2).
final class DNSStreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let exchange: DNSExchange
    private var received = ByteBuffer()

    init(exchange: DNSExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // At most a message and what one read brings more: the exchange closes after its first message.
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard let length: UInt16 = received.getInteger(at: received.readerIndex),
            let message = received.getBytes(at: received.readerIndex + 2, length: Int(length))
        else { return }
        exchange.received(message, from: context.channel, by: .tcp)
    }

    func channelInactive(context: ChannelHandlerContext) { exchange.closed(by: .tcp) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { exchange.failed(error) }
}
