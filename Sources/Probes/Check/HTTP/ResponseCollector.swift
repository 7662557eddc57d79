internal import CheckResults
internal import HTTPSerialization
internal import NIOCore
internal import NIOHTTP1

/// The last handler of an exchange: sends the request, and collects the response or the error.
final class ResponseCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The number of bytes of a request's body that are read at once.
    private static let pieceLength = 64 * 1024
    /// The maximum number of upload pieces that wait for the kernel at the same time: the current one, and the next.
    ///
    /// More pieces would be encrypted into a single buffer that exceeds the processor caches.
    private static let maximumUnsentPieces = 2

    private var exchange: HTTPExchange
    private var context: ChannelHandlerContext?
    private var hasBegun = false
    private var isHeadFlushed = false
    /// The pieces of an upload that the kernel has not accepted yet.
    private var unsentPieces = 0
    private var isSending = false

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    /// Sends the next request on the same connection.
    func renew(_ exchange: HTTPExchange) {
        self.exchange = exchange
        (hasBegun, isHeadFlushed) = (false, false)
        if let context { begin(context) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) { begin(context) }

    func channelWritabilityChanged(context: ChannelHandlerContext) { sendBody(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: break
        case .body(var piece): exchange.collect(&piece)
        case .end: exchange.complete()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !exchange.isOver { exchange.fail(HTTPFailure.finding(error, in: exchange)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The reason may still be pending: HTTP/2 closes a stream before it reports the connection's error.
        context.eventLoop.execute { [exchange] in
            if !exchange.isOver { exchange.fail(HTTPFailure.end(of: exchange)) }
        }
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard !hasBegun, !exchange.isOver else { return }
        hasBegun = true
        let head = HTTPRequestHead(
            version: .http1_1,
            method: HTTPMethod(rawValue: exchange.request.method),
            uri: exchange.request.url.requestTarget
        )
        // The body flushes it: nothing is sent if a file cannot be read. But a server may respond before.
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if exchange.contentLength == 0 { end(context) } else { sendBody(context) }
    }

    /// Sends as much of the body as the connection accepts now, and continues when it accepts more.
    private func sendBody(_ context: ChannelHandlerContext) {
        // Writing and flushing can change the writability, which calls this again.
        guard !isSending, hasBegun else { return }
        isSending = true
        defer { isSending = false }
        if let upload = exchange.upload { return send(upload, context) }
        // A large head alone can make the channel unwritable.
        while !exchange.isOver, let feed = exchange.feed, !feed.isReading,
            context.channel.isWritable || !isHeadFlushed
        {
            feed.read(upTo: Self.pieceLength) { [self] piece in send(piece, of: feed) }
        }
    }

    /// Sends a piece of the body, and continues when it was read on another thread.
    private func send(_ piece: Result<[UInt8], RequestError>, of feed: RequestBodyFeed) {
        // Meanwhile the exchange may have ended, and another one have begun.
        guard let context, exchange.feed === feed, !exchange.isOver else { return }
        switch piece {
        case .success(let bytes):
            isHeadFlushed = true
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
            guard feed.isAtEnd else { return sendBody(context) }
            exchange.feed = nil
            end(context)
        case .failure(let error):
            exchange.feed = nil
            exchange.fail(.requestInvalid, error.description)
        }
    }

    private func send(_ upload: UploadContent, _ context: ChannelHandlerContext) {
        guard !upload.isAtEnd else { return }
        while context.channel.isWritable, unsentPieces < Self.maximumUnsentPieces, !exchange.isOver {
            guard let piece = upload.next(upTo: Self.pieceLength) else { return end(context) }
            // Writability alone is no limit during a read: HTTP/2 flushes nothing before its end, and TLS buffers
            // everything.
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenSuccess { [self] in
                unsentPieces -= 1
                if let context = self.context { sendBody(context) }
            }
            unsentPieces += 1
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece))), promise: written)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenSuccess { [exchange] in exchange.sentRequest() }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }
}

/// Counts a response's bytes before its content encoding is decoded, and decodes it.
final class ResponseIntake: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var exchange: HTTPExchange
    /// The compression of the body, if any.
    private var format: Inflater.Format?
    /// Created when the body starts: an empty body has nothing to inflate.
    private var inflater: Inflater?
    private var isInformational = false

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    /// Prepares for the next response on the same connection.
    func renew(_ exchange: HTTPExchange) {
        self.exchange = exchange
        (format, inflater, isInformational) = (nil, nil, false)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !exchange.isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): take(head)
        case .body(let piece):
            guard exchange.receivedBody(bytes: piece.readableBytes) else { return }
            guard let format else { return context.fireChannelRead(data) }
            inflate(piece, format, context)
        case .end:
            guard !isInformational else { return }
            if let inflater, !inflater.isComplete { return refuse("it ends in the middle") }
            context.fireChannelRead(data)
        }
    }

    private func take(_ head: HTTPResponseHead) {
        exchange.receivedFirstByte()
        let kind = exchange.received(
            version: head.version.major >= 2 ? "\(head.version.major)" : "\(head.version.major).\(head.version.minor)",
            status: Int(clamping: head.status.code),
            // The HTTP library keeps whitespace after a value, which is not part of it (RFC 9112, section 5.1).
            headers: head.headers.map {
                HeaderField(name: $0.name, value: String(Snippet.trimmingSpaces($0.value[...])))
            }
        )
        isInformational = false
        switch kind {
        case .informational: isInformational = true
        case .plain, .refused: break
        case .compressed(let format): self.format = format
        }
    }

    private func inflate(_ piece: ByteBuffer, _ format: Inflater.Format, _ context: ChannelHandlerContext) {
        do throws(Inflater.Failure) {
            let inflater: Inflater
            if let begun = self.inflater { inflater = begun } else { inflater = try Inflater(format) }
            self.inflater = inflater
            try inflater.inflate(Array(piece.readableBytesView)) { chunk in
                context.fireChannelRead(wrapInboundOut(.body(ByteBuffer(bytes: chunk))))
                return !exchange.isOver
            }
        } catch {
            refuse(error.description)
        }
    }

    private func refuse(_ reason: String) {
        exchange.fail(.httpContentEncoding, "the body cannot be inflated: \(reason)")
    }
}
