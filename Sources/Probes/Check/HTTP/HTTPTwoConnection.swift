internal import CheckResults
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// An HTTP/2 connection, which carries one exchange of a check, or several concurrent exchanges of a transfer.
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
    /// - Parameter window: The number of unread bytes that the server may send; nil for the protocol's default.
    init(on channel: any Channel, limits: ProbeLimits, window: Int? = nil) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: min(limits.headerBytes, Int(Int32.max))),
        ]
        // The library refuses a head that announces content and ends the stream, even with status 204, which has none.
        // Its error may also come before the head to which it applies: ``HTTPTwoStream`` validates the length.
        connection.contentLengthValidation = .disabled
        var stream = NIOHTTP2Handler.StreamConfiguration()
        if let window {
            (connection.targetWindowSize, stream.targetWindowSize) = (window, window)
            // An upload is sent in pieces of 64 KiB.
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

    /// `true` once the server has announced the end of the connection, after which it accepts no further stream.
    var isEnding: Bool { exchanges.goAway != nil }

    /// The number of streams that the server allows at a time; the library holds requests on further ones back.
    var maximumStreams: Int { exchanges.maximumStreams }

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
        switch unwrapInboundIn(data).payload {
        case .goAway(_, let code, _): exchanges.goAway(with: UInt32(clamping: code.networkCode))
        case .settings(.settings(let settings)):
            for setting in settings where setting.parameter == .maxConcurrentStreams {
                exchanges.maximumStreams = setting.value
            }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A request that waited for the connection until after the GOAWAY fails alone, in ``HTTPTwoStream``.
        guard !(error is NIOHTTP2Errors.CreatedStreamAfterGoaway) else { return }
        exchanges.fail { HTTPFailure.finding(error, in: $0) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        exchanges.fail { HTTPFailure.end(of: $0) }
    }
}

/// The exchanges of one HTTP/2 connection, all of which are notified when the connection ends.
private final class HTTPTwoExchanges {
    private var exchanges: [HTTPExchange] = []
    /// The error code of the received GOAWAY frame.
    private(set) var goAway: UInt32?
    /// The number of streams that the server allows at a time: any number until it states one.
    var maximumStreams = Int.max

    /// Adds an exchange, and drops finished ones.
    func add(_ exchange: HTTPExchange) {
        exchanges.removeAll { $0.isOver }
        exchange.goAway = goAway
        exchanges.append(exchange)
    }

    /// Records the error code of an RST_STREAM frame, which only the exchange of the ended stream reads.
    func reset(with code: UInt32) {
        for exchange in exchanges { exchange.serverReset = code }
    }

    /// Records the error code of a GOAWAY frame.
    func goAway(with code: UInt32) {
        goAway = code
        for exchange in exchanges { exchange.goAway = code }
    }

    /// Fails all exchanges that have not finished.
    func fail(_ finding: (HTTPExchange) -> Finding) {
        for exchange in exchanges where !exchange.isOver { exchange.fail(finding(exchange)) }
    }
}

/// Reads the headers of the server's frames (RFC 9113, section 4.1) on their way to the HTTP/2 library.
///
/// The library closes a stream in the same way for a reset by the server and for a protocol error; only the frames tell
/// the two apart.
private final class HTTPTwoWire: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let headerBytes = 9
    private static let resetStream: UInt8 = 3

    private let exchanges: HTTPTwoExchanges
    private var header: [UInt8] = []
    private var payload: [UInt8] = []
    private var payloadLeft = 0

    init(_ exchanges: HTTPTwoExchanges) { self.exchanges = exchanges }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
    }

    private func take(_ bytes: ByteBufferView) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if payloadLeft > 0 {
                let piece = rest.prefix(payloadLeft)
                if isReset { payload += piece }
                payloadLeft -= piece.count
                rest = rest.dropFirst(piece.count)
            } else {
                let piece = rest.prefix(Self.headerBytes - header.count)
                header += piece
                rest = rest.dropFirst(piece.count)
                guard header.count == Self.headerBytes else { return }
                payloadLeft = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            }
            if payloadLeft == 0 { endFrame() }
        }
    }

    /// `true` for an RST_STREAM frame of the mandatory size; the library rejects others.
    private var isReset: Bool { header[3] == Self.resetStream && header[..<3].elementsEqual([0, 0, 4]) }

    private func endFrame() {
        if isReset, payload.count == 4 { exchanges.reset(with: payload.reduce(0) { $0 << 8 | UInt32($1) }) }
        header.removeAll(keepingCapacity: true)
        payload.removeAll(keepingCapacity: true)
    }
}
