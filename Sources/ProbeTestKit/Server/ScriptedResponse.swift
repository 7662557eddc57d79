public import struct Probes.HeaderField

/// A well-formed response of a ``ScriptedServer`` over both HTTP/1 and HTTP/2.
public struct ScriptedResponse: Sendable, Hashable {
    /// The framing of the body in HTTP/1.
    public enum Framing: Sendable, Hashable {
        /// A Content-Length field.
        case length
        /// Chunks up to a maximum size in bytes (RFC 9112, section 7.1).
        case chunks(of: Int)
        /// The end of the connection.
        case close
    }

    /// The status code.
    public var status: Int
    /// The header fields, without those for the framing, which are added.
    public var headers: [HeaderField]
    /// The body's bytes as sent: already compressed if there is a Content-Encoding field.
    public var body: [UInt8]
    /// The framing of the body in HTTP/1.
    public var framing = Framing.length
    /// The version in HTTP/1's status line: `1.0`, `1.1`.
    public var version = "1.1"

    /// Creates a response with a Content-Length field.
    public init(_ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers.map { HeaderField(name: $0.0, value: $0.1) }
        self.body = body
    }

    /// Returns a response of plain text.
    public static func text(_ text: String, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    /// Returns a response of JSON.
    public static func json(_ text: String, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }

    /// Returns a redirect.
    public static func redirect(to location: String, status: Int = 302) -> ScriptedResponse {
        ScriptedResponse(status, headers: [("Location", location)])
    }

    /// Returns a response of text with a gzip-encoded body.
    public static func gzip(_ text: String) -> ScriptedResponse {
        let headers = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]
        return ScriptedResponse(200, headers: headers, body: Gzip.stored(Array(text.utf8)))
    }

    /// Returns a response whose small body decompresses to this many bytes; see ``Gzip/bomb(of:)``.
    public static func gzipBomb(of size: Int) -> ScriptedResponse {
        let headers = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]
        return ScriptedResponse(200, headers: headers, body: Gzip.bomb(of: size))
    }

    /// The bytes of the head for HTTP/1, with its empty line.
    public var head: [UInt8] {
        var lines = "HTTP/\(version) \(status) \(Self.reason(status))\r\n"
        for field in headers { lines += "\(field.name): \(field.value)\r\n" }
        switch framing {
        case .length: if mayHaveBody { lines += "Content-Length: \(body.count)\r\n" }
        case .chunks: lines += "Transfer-Encoding: chunked\r\n"
        case .close: lines += "Connection: close\r\n"
        }
        return Array((lines + "\r\n").utf8)
    }

    /// The bytes of the body for HTTP/1, with its framing.
    public var framedBody: [UInt8] {
        guard case .chunks(let size) = framing else { return mayHaveBody ? body : [] }
        var bytes: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(max(1, size))
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
            rest = rest.dropFirst(chunk.count)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    /// All bytes for HTTP/1.
    public var bytes: [UInt8] { head + framedBody }

    var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 404: "Not Found"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Scripted"
        }
    }
}
