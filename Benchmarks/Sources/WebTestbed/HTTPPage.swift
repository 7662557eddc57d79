/// A complete response over HTTP/1.1.
package struct HTTPPage {
    package let status: Int
    package let body: [UInt8]

    /// Reads what has come so far; `nil` while it is incomplete.
    package init?(_ bytes: [UInt8]) {
        guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self).lowercased()
        let rest = bytes[blank.upperBound...]
        if let field = head.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }) {
            guard let length = Int(field.drop { $0 != " " }.dropFirst()), rest.count >= length else { return nil }
            body = Array(rest)
        } else {
            guard let joined = Self.joinChunks(rest) else { return nil }
            body = joined
        }
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// The lines of the body.
    package var lines: [Substring] { String(decoding: body, as: UTF8.self).split(separator: "\n") }

    /// The body of a chunked response (RFC 9112 section 7.1); nil while it is incomplete.
    private static func joinChunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = bytes
        var body: [UInt8] = []
        while let end = rest.firstIndex(of: 0x0D) {
            guard let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) else { return nil }
            let chunk = rest.dropFirst(end - rest.startIndex + 2)
            guard size >= 0, chunk.count >= size + 2 else { return nil }
            if size == 0 { return body }
            body += chunk.prefix(size)
            rest = chunk.dropFirst(size + 2)
        }
        return nil
    }
}
