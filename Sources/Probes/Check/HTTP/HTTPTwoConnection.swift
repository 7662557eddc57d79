internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// The handlers of an HTTP/2 connection that carries one exchange on one stream.
enum HTTPTwoConnection {
    /// Adds the handlers and opens the stream, which sends the request.
    static func begin(_ exchange: HTTPExchange, on channel: any Channel) throws {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: min(exchange.limits.headerBytes, Int(Int32.max))),
        ]
        let handler = NIOHTTP2Handler(
            mode: .client,
            eventLoop: channel.eventLoop,
            connectionConfiguration: configuration,
            inboundStreamInitializer: { stream in stream.close() }
        )
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTPTwoWire(exchange))
        try pipeline.addHandler(handler)
        try pipeline.addHandler(HTTPTwoRoot(exchange))
        let opened = channel.eventLoop.makePromise(of: (any Channel).self)
        opened.futureResult.whenFailure { error in
            if !exchange.isOver { exchange.fail(HTTPFailure.finding(error, in: exchange)) }
        }
        try handler.syncMultiplexer().createStreamChannel(promise: opened) { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTPTwoStream(exchange))
                try pipeline.addHandler(ResponseIntake(exchange))
                try pipeline.addHandler(ResponseCollector(exchange))
            }
        }
    }
}

/// Handles the events of the whole connection.
private final class HTTPTwoRoot: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let exchange: HTTPExchange

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .goAway(_, let code, _) = unwrapInboundIn(data).payload {
            exchange.goAway = UInt32(clamping: code.networkCode)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !exchange.isOver { exchange.fail(HTTPFailure.finding(error, in: exchange)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        if !exchange.isOver { exchange.fail(HTTPFailure.end(of: exchange)) }
    }
}
