public import struct Probes.HeaderField

/// A request as a ``ScriptedServer`` received it, after TLS.
public struct RecordedRequest: Sendable, Hashable {
    /// The index of the server's connection, from 0 in the order of acceptance.
    public let connection: Int
    /// The protocol's version: `1.0`, `1.1`, `2`.
    public let version: String
    /// The method.
    public let method: String
    /// The request target, not decoded: `/path?query`.
    public let target: String
    /// The header fields in the order of arrival; with HTTP/2 including pseudo fields.
    public let headers: [HeaderField]
    /// The head's bytes up to and including its empty line; empty with HTTP/2.
    public let head: [UInt8]
    /// The body's bytes as sent, including chunked framing.
    public let body: [UInt8]

    /// Returns the first value of a header field, ignoring the case of its name.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension RecordedRequest {
    /// Parses an HTTP/1 head leniently: invalid parts are empty, because the bytes can be compared.
    init(connection: Int, head: [UInt8], body: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        self.init(
            connection: connection,
            version: words.last.map { $0.hasPrefix("HTTP/") ? String($0.dropFirst(5)) : "" } ?? "",
            method: words.first ?? "",
            target: words.count > 2 ? words[1] : "",
            headers: lines.dropFirst().map(Self.field),
            head: head,
            body: body
        )
    }

    private static func field(_ line: String) -> HeaderField {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].drop { $0 == " " || $0 == "\t" } : ""
        return HeaderField(name: String(parts.first ?? ""), value: String(value))
    }
}

/// Finds the end of an HTTP/1 request in the bytes received so far.
struct RequestFraming {
    private var searched = 0
    private var headEnd: Int?
    private var chunkStart: Int?

    /// Returns the ends of the head and of the whole request; nil while it is incomplete.
    ///
    /// - Parameter bytes: All bytes since the request's first one; the same bytes, or more, at each call.
    mutating func end(in bytes: [UInt8]) -> (head: Int, body: Int)? {
        if headEnd == nil {
            headEnd = Self.find([13, 10, 13, 10], in: bytes, from: max(0, searched - 3))
            searched = bytes.count
        }
        guard let headEnd else { return nil }
        let request = RecordedRequest(connection: 0, head: Array(bytes.prefix(headEnd)), body: [])
        if request.header("Transfer-Encoding")?.lowercased() == "chunked" {
            return chunksEnd(in: bytes, from: headEnd).map { (headEnd, $0) }
        }
        let length = max(0, request.header("Content-Length").flatMap(Int.init) ?? 0)
        return bytes.count - headEnd >= length ? (headEnd, headEnd + length) : nil
    }

    /// Returns the end of the last chunk; bytes that are not chunks count as the end, because the test sees them
    /// anyway.
    private mutating func chunksEnd(in bytes: [UInt8], from start: Int) -> Int? {
        var position = chunkStart ?? start
        while let lineEnd = Self.find([13, 10], in: bytes, from: position) {
            let digits = String(decoding: bytes[position..<lineEnd].prefix { $0 != 59 && $0 != 13 }, as: UTF8.self)
            guard let size = Int(digits, radix: 16), size >= 0, size <= 1 << 30 else { return bytes.count }
            if size == 0 {
                // Trailer lines may follow; an empty line ends them.
                return Self.find([13, 10, 13, 10], in: bytes, from: lineEnd - 2)
            }
            position = lineEnd + size + 2
            chunkStart = position
        }
        return nil
    }

    /// Returns the position after the first occurrence of `pattern`.
    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard start >= 0, bytes.count >= pattern.count, start <= bytes.count - pattern.count else { return nil }
        for position in start...(bytes.count - pattern.count)
        where bytes[position..<position + pattern.count].elementsEqual(pattern) {
            return position + pattern.count
        }
        return nil
    }
}
