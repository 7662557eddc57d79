internal import CheckResults
internal import NIOCore
internal import NIOHTTP1

/// The handlers of an HTTP/1 connection that carries one exchange.
enum HTTPOneConnection {
    /// Adds the handlers, which send the request.
    static func begin(_ exchange: HTTPExchange, on channel: any Channel) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = exchange.limits.headerBytes
        limits.maxHeaderListSize = exchange.limits.headerBytes
        limits.maxHeaderFieldCount = exchange.limits.headerCount
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes,
            informationalResponseStrategy: .forward,
            limitConfiguration: limits
        )
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTPOneWire(exchange))
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(ResponseIntake(exchange))
        try pipeline.addHandler(ResponseCollector(exchange))
    }
}

/// Writes the serialized request byte for byte, and detects the first byte of the response.
private final class HTTPOneWire: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private let exchange: HTTPExchange
    private var headBytes = 0

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        exchange.receivedFirstByte()
        guard !exchange.isOver else { return }
        let isInHead = exchange.response == nil
        context.fireChannelRead(data)
        guard isInHead, exchange.response == nil else { return }
        // The decoder bounds the fields, but not the bytes in front of them.
        headBytes += unwrapInboundIn(data).readableBytes
        if headBytes > exchange.limits.headerBytes {
            exchange.fail(.httpHeaderTooLarge, "more than the allowed \(exchange.limits.headerBytes) bytes")
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            let head = exchange.request.httpOneHead(adding: [HeaderField(name: "Connection", value: "close")])
            context.write(wrapOutboundOut(ByteBuffer(bytes: head)), promise: promise)
        case .body(.byteBuffer(let piece)): context.write(wrapOutboundOut(piece), promise: promise)
        case .body(.fileRegion): promise?.fail(ChannelError.operationUnsupported)
        case .end: context.write(wrapOutboundOut(ByteBuffer()), promise: promise)
        }
    }
}
