internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression

/// Counts what comes of a response before its content encoding is undone, and puts the inflating handler in its way.
final class ResponseIntake: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let exchange: HTTPExchange
    /// The head of a compressed response until its body begins: without one there is nothing to inflate.
    private var heldHead: HTTPResponseHead?
    private var isInformational = false

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !exchange.isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): take(head, context)
        case .body(let piece):
            guard exchange.receivedBody(bytes: piece.readableBytes) else { return }
            if let head = heldHead {
                heldHead = nil
                guard inflate(head, context) else { return }
            }
            context.fireChannelRead(data)
        case .end:
            guard !isInformational else { return }
            context.fireChannelRead(data)
        }
    }

    private func take(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
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
        case .compressed(let name):
            // The inflating handler only has to see which of its algorithms it is.
            heldHead = HTTPResponseHead(
                version: head.version,
                status: head.status,
                headers: ["content-encoding": name]
            )
        }
    }

    private func inflate(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) -> Bool {
        let inflating = NIOHTTPResponseDecompressor(limit: .size(exchange.limits.inflatedBodyBytes))
        do {
            try context.pipeline.syncOperations.addHandler(inflating, position: .after(self))
        } catch {
            exchange.fail(.httpContentEncoding, String(describing: error))
            return false
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        return true
    }
}
