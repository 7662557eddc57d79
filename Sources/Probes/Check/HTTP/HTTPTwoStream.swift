internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

/// Turns the frames of one stream into the parts of a response, and the parts of a request into frames.
///
/// NIOHTTP2's own translation adds fields that the server did not send, and that a report must not contain.
final class HTTPTwoStream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Fields that belong to an HTTP/1 connection and must not be sent (RFC 9113, section 8.2.2).
    private static let connectionFields: Set<String> = [
        "connection", "host", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private let exchange: HTTPExchange
    private var hasFinalHead = false
    /// The number of bytes that Content-Length announces and that have not arrived; `nil` without an announcement.
    private var missingBytes: Int?

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !exchange.isOver else { return }
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            exchange.receivedFirstByte()
            if hasFinalHead {
                // Trailers are ignored.
                if frame.endStream { end(context) }
                return
            }
            guard let head = responseHead(frame.headers) else {
                return exchange.fail(.httpMalformed, "the response's header has no usable ':status'")
            }
            let status = Int(clamping: head.status.code)
            hasFinalHead = !(100..<200).contains(status)
            // A response without content may announce that of another one (RFC 9113, section 8.1.1).
            if hasFinalHead, !exchange.isBodyless(status: status), !readLength(in: frame.headers) {
                return exchange.fail(.httpProtocol, "the server broke HTTP/2: Content-Length is not one number")
            }
            context.fireChannelRead(wrapInboundOut(.head(head)))
            if frame.endStream { end(context) }
        case .data(let frame):
            guard case .byteBuffer(let piece) = frame.data else { return }
            if piece.readableBytes > 0, let status = exchange.response?.status, exchange.isBodyless(status: status) {
                return exchange.fail(HTTPFailure.extraneousContent(in: exchange))
            }
            if let missingBytes {
                guard piece.readableBytes <= missingBytes else {
                    return exchange.fail(HTTPFailure.wrongLength(of: exchange))
                }
                self.missingBytes = missingBytes - piece.readableBytes
            }
            if piece.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(piece))) }
            if frame.endStream { end(context) }
        default: break
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        guard hasFinalHead else {
            return exchange.fail(.httpMalformed, "the stream ended with an informational response")
        }
        guard missingBytes ?? 0 == 0 else { return exchange.fail(HTTPFailure.wrongLength(of: exchange)) }
        context.fireChannelRead(wrapInboundOut(.end(nil)))
    }

    /// Reads the announced length, of which all values must agree; returns false if it is not one number.
    private func readLength(in headers: HPACKHeaders) -> Bool {
        let values = headers[canonicalForm: "content-length"]
        guard let first = values.first else { return true }
        guard !first.utf8.isEmpty, first.utf8.allSatisfy({ Self.digits.contains($0) }),
            values.allSatisfy({ $0.utf8.elementsEqual(first.utf8) })
        else { return false }
        // More than any number of bytes is still a length.
        missingBytes = Int(first) ?? .max
        return true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is NIOHTTP2Errors.StreamClosed else { return context.fireErrorCaught(error) }
        // The connection's error is more precise than the stream's, and arrives after it.
        context.eventLoop.execute { [exchange] in
            if !exchange.isOver { exchange.fail(HTTPFailure.finding(error, in: exchange)) }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            let isWhole = exchange.contentLength == 0
            let frame = HTTP2Frame.FramePayload.Headers(headers: requestHeaders, endStream: isWhole)
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenFailure { [exchange] error in
                // All other errors are those of the stream or of the connection, which report them.
                guard error is NIOHTTP2Errors.CreatedStreamAfterGoaway, !exchange.isOver else { return }
                exchange.fail(HTTPFailure.finding(error, in: exchange))
            }
            sent.futureResult.cascade(to: promise)
            context.write(wrapOutboundOut(.headers(frame)), promise: sent)
        case .body(let piece):
            context.write(wrapOutboundOut(.data(.init(data: piece))), promise: promise)
        case .end:
            guard exchange.contentLength > 0 else {
                context.flush()
                promise?.succeed()
                return
            }
            let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
            context.write(wrapOutboundOut(.data(frame)), promise: promise)
        }
    }

    private func responseHead(_ fields: HPACKHeaders) -> HTTPResponseHead? {
        // Three digits (RFC 9110, section 15), to which an integer's sign does not belong.
        guard let text = fields.first(name: ":status"), text.utf8.count == 3,
            text.utf8.allSatisfy({ Self.digits.contains($0) }), let status = Int(text), status >= 100
        else { return nil }
        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count)
        for field in fields where field.name.utf8.first != UInt8(ascii: ":") {
            headers.add(name: field.name, value: field.value)
        }
        return HTTPResponseHead(version: .http2, status: HTTPResponseStatus(statusCode: status), headers: headers)
    }

    private var requestHeaders: HPACKHeaders {
        let request = exchange.request
        var headers = HPACKHeaders([
            (":method", request.method), (":scheme", request.url.scheme.rawValue), (":authority", authority),
            (":path", request.url.requestTarget),
        ])
        for field in request.headers {
            let name = field.name.lowercased()
            if !Self.connectionFields.contains(name) { headers.add(name: name, value: field.value) }
        }
        return headers
    }

    /// The value of the Host field, which the caller may have set to something other than the address.
    private var authority: String {
        exchange.request.headers.first { $0.isNamed("host") }?.value
            ?? exchange.request.url.authority
    }
}
