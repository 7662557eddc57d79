internal import CheckResults
internal import NIOCore
internal import NIOHTTP1

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
            headers: head.headers.map { HeaderField(name: $0.name, value: $0.value) }
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
