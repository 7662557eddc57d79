internal import CheckResults
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// An HTTP/2 connection: a check's carries one exchange on one stream, a transfer's several beside each other.
struct HTTPTwoConnection {
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    private let exchanges: HTTPTwoExchanges
    private let channel: any Channel

    /// Adds the handlers and opens the stream, which sends the request.
    static func begin(_ exchange: HTTPExchange, on channel: any Channel) throws {
        _ = try HTTPTwoConnection(on: channel, limits: exchange.limits).send(exchange)
    }

    /// Adds the handlers.
    ///
    /// - Parameter window: The bytes that the server may send ahead of what was read; nil for the protocol's default.
    init(on channel: any Channel, limits: ProbeLimits, window: Int? = nil) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: min(limits.headerBytes, Int(Int32.max))),
        ]
        var stream = NIOHTTP2Handler.StreamConfiguration()
        if let window {
            (connection.targetWindowSize, stream.targetWindowSize) = (window, window)
            // Pieces of an upload have 64 KiB.
            (stream.outboundBufferSizeHighWatermark, stream.outboundBufferSizeLowWatermark) = (128 << 10, 64 << 10)
        }
        let handler = NIOHTTP2Handler(
            mode: .client,
            eventLoop: channel.eventLoop,
            connectionConfiguration: connection,
            streamConfiguration: stream,
            inboundStreamInitializer: { stream in stream.close() }
        )
        let exchanges = HTTPTwoExchanges()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTPTwoWire(exchanges))
        try pipeline.addHandler(handler)
        try pipeline.addHandler(HTTPTwoRoot(exchanges))
        multiplexer = try handler.syncMultiplexer()
        (self.exchanges, self.channel) = (exchanges, channel)
    }

    /// Opens a stream, which sends the request; closing the returned stream resets it.
    func send(_ exchange: HTTPExchange) -> EventLoopFuture<any Channel> {
        exchanges.add(exchange)
        let opened = channel.eventLoop.makePromise(of: (any Channel).self)
        opened.futureResult.whenFailure { error in
            if !exchange.isOver { exchange.fail(HTTPFailure.finding(error, in: exchange)) }
        }
        multiplexer.createStreamChannel(promise: opened) { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTPTwoStream(exchange))
                try pipeline.addHandler(ResponseIntake(exchange))
                try pipeline.addHandler(ResponseCollector(exchange))
            }
        }
        return opened.futureResult
    }
}

/// Handles the events of the whole connection.
private final class HTTPTwoRoot: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let exchanges: HTTPTwoExchanges

    init(_ exchanges: HTTPTwoExchanges) { self.exchanges = exchanges }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .goAway(_, let code, _) = unwrapInboundIn(data).payload {
            exchanges.goAway(with: UInt32(clamping: code.networkCode))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        exchanges.fail { HTTPFailure.finding(error, in: $0) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        exchanges.fail { HTTPFailure.end(of: $0) }
    }
}
