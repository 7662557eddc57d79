internal import NIOCore
internal import NIOHTTP1

/// Passes the requests of a connection to its exchange.
///
/// The decoder between the two handlers has limits of its own, but none for the whole head, so the bytes are counted
/// before they reach the decoder.
enum HTTPRequestReader {
    /// Adds the handlers to the pipeline of a new connection.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations, of connection: Connection) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = HTTPExchange.maximumHeadBytes
        limits.maxHeaderListSize = HTTPExchange.maximumHeadBytes
        limits.maxHeaderFieldCount = HTTPExchange.maximumFields
        let decoder = HTTPDecoder<HTTPServerRequestPart, HTTPServerResponsePart>(
            leftOverBytesStrategy: .dropBytes,
            limitConfiguration: limits
        )
        try pipeline.addHandler(ByteLimit(connection))
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(PartReader(connection))
    }

    private final class ByteLimit: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        private let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let exchange = connection.exchange, exchange.accepts(unwrapInboundIn(data)) else { return }
            context.fireChannelRead(data)
        }
    }

    private final class PartReader: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        private let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            connection.exchange?.receive(unwrapInboundIn(data))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
            connection.exchange?.receive(
                error == .headerOverflow
                    ? HTTPExchange.tooLarge : HTTPRefusal(.badRequest, "this is not a request of HTTP/1")
            )
        }
    }
}
