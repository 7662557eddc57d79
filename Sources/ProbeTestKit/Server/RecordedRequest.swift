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
