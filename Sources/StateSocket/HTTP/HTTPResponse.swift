internal import ForeignText
internal import NIOCore
internal import NIOHTTP1

/// The bytes of responses over HTTP/1.1.
enum HTTPResponse {
    /// The headers of every response, which prohibit caching, content sniffing, framing and reading by other origins; a
    /// document without its own policy may load nothing.
    private static let always = """
        Cache-Control: no-store\r
        X-Content-Type-Options: nosniff\r
        Cross-Origin-Resource-Policy: same-origin\r
        Referrer-Policy: no-referrer\r

        """
    private static let strictPolicy = "default-src 'none'; frame-ancestors 'none'"

    /// Returns the head of a response.
    ///
    /// - Parameters:
    ///   - length: The length of the body; `nil` for a body that ends with the connection.
    ///   - policy: The document's Content-Security-Policy; `nil` for one that allows nothing.
    static func head(
        _ status: HTTPResponseStatus,
        contentType: String,
        length: Int?,
        policy: String? = nil,
        keepsConnection: Bool
    ) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: 512 + (length ?? 0))
        buffer.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\nContent-Type: \(contentType)\r\n")
        if let length { buffer.writeString("Content-Length: \(length)\r\n") }
        switch status {
        case .methodNotAllowed: buffer.writeString("Allow: GET, HEAD\r\n")
        case .unauthorized: buffer.writeString("WWW-Authenticate: Basic realm=\"reachagent\", charset=\"UTF-8\"\r\n")
        case .tooManyRequests: buffer.writeString("Retry-After: 5\r\n")
        default: break
        }
        buffer.writeString(always)
        buffer.writeString("Content-Security-Policy: \(policy ?? strictPolicy)\r\n")
        buffer.writeString("Connection: \(keepsConnection ? "keep-alive" : "close")\r\n\r\n")
        return buffer
    }

    /// Returns a whole response.
    static func whole(
        _ status: HTTPResponseStatus,
        _ document: AgentDocument,
        isHead: Bool,
        keepsConnection: Bool
    ) -> ByteBuffer {
        var buffer = head(
            status,
            contentType: document.contentType,
            length: document.body.count,
            policy: document.contentSecurityPolicy,
            keepsConnection: keepsConnection
        )
        if !isHead { buffer.writeBytes(document.body) }
        return buffer
    }

    /// Returns the response to a connection that is not admitted.
    static func refusal(_ line: ByteBuffer) -> ByteBuffer {
        let document = AgentDocument(contentType: "application/json", body: Array(line.readableBytesView))
        return whole(.serviceUnavailable, document, isHead: false, keepsConnection: false)
    }
}

extension AgentDocument {
    /// Returns a plain-text document of a few lines, which may repeat a part of the request: clients often print it on a
    /// terminal.
    static func text(_ text: String) -> AgentDocument {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let body = lines.map { "\(ForeignText.shown($0, limit: 2048))\n" }.joined()
        return AgentDocument(contentType: "text/plain; charset=utf-8", body: Array(body.utf8))
    }
}
