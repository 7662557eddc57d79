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
