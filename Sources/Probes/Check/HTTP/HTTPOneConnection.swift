internal import CheckResults
internal import NIOCore
internal import NIOHTTP1

/// The handlers of an HTTP/1 connection that carries one exchange, or several one after another.
struct HTTPOneConnection {
    private let wire: HTTPOneWire
    private let intake: ResponseIntake
    private let collector: ResponseCollector

    /// Sends the next request, after the previous response is complete.
    func next(_ exchange: HTTPExchange) {
        wire.renew(exchange)
        intake.renew(exchange)
        collector.renew(exchange)
    }

    /// Adds the handlers, which send the request.
    ///
    /// - Parameter isKept: `true` if further requests may follow.
    @discardableResult
    static func begin(
        _ exchange: HTTPExchange,
        on channel: any Channel,
        isKept: Bool = false
    ) throws -> HTTPOneConnection {
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
        let connection = HTTPOneConnection(
            wire: HTTPOneWire(exchange, isKept: isKept),
            intake: ResponseIntake(exchange),
            collector: ResponseCollector(exchange)
        )
        try pipeline.addHandler(connection.wire)
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(connection.intake)
        try pipeline.addHandler(connection.collector)
        return connection
    }
}

/// Writes the serialized request byte for byte, and detects the first byte of the response.
private final class HTTPOneWire: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private var exchange: HTTPExchange
    private let isKept: Bool
    private var headBytes = 0
    private var unfolder = HeaderUnfolder()
    /// `nil` unless the response has begun, and its body is chunked.
    private var chunks: ChunkFilter?

    init(_ exchange: HTTPExchange, isKept: Bool) {
        self.exchange = exchange
        self.isKept = isKept
    }

    func renew(_ exchange: HTTPExchange) {
        self.exchange = exchange
        (headBytes, unfolder, chunks) = (0, HeaderUnfolder(), nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        exchange.receivedFirstByte()
        guard !exchange.isOver else { return }
        let bytes = unwrapInboundIn(data)
        guard exchange.response == nil else { return passBody(bytes, context) }
        passHead(bytes, context)
        guard exchange.response == nil else { return }
        // The decoder limits the fields, but not the bytes in front of them.
        headBytes += bytes.readableBytes
        if headBytes > exchange.limits.headerBytes {
            exchange.fail(.httpHeaderTooLarge, "more than the allowed \(exchange.limits.headerBytes) bytes")
        }
    }

    /// Passes the heads of informational responses and of the final one to the decoder, and then the rest.
    private func passHead(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var rest = bytes
        while rest.readableBytes > 0, !exchange.isOver {
            if exchange.response != nil { return passBody(rest, context) }
            let head = unfolder.head(from: &rest)
            if head.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(head)) }
            if let response = exchange.response { chunks = ChunkFilter(response.headers) }
        }
    }

    private func passBody(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let body = chunks?.filter(bytes) ?? bytes
        if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(body)) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            let closing = isKept ? [] : [HeaderField(name: "Connection", value: "close")]
            let head = exchange.request.httpOneHead(adding: closing)
            context.write(wrapOutboundOut(ByteBuffer(bytes: head)), promise: promise)
        case .body(.byteBuffer(let piece)): context.write(wrapOutboundOut(piece), promise: promise)
        case .body(.fileRegion): promise?.fail(ChannelError.operationUnsupported)
        case .end: context.write(wrapOutboundOut(ByteBuffer()), promise: promise)
        }
    }
}
