/// A request as it goes out.
///
/// The header may hold credentials: neither a description nor a mirror shows it.
public struct SerializedRequest: Sendable {
    /// The method.
    public let method: String
    /// Where it goes.
    public let url: HTTPURL
    /// Every field in order, Host first; Connection is the connection's to add.
    public let headers: [HeaderField]
    /// What follows the head.
    public let body: RequestBody
    /// How long the whole check may take; nil when nobody said.
    public let timeoutInterval: Duration?
    /// Whether the check may leave through a cellular interface.
    public let allowsCellularAccess: Bool

    /// The exact bytes of an HTTP/1.1 head, the empty line included, with the credentials that it has.
    ///
    /// - Parameter fields: What the connection adds at the end, such as `Connection: close`.
    public func httpOneHead(adding fields: [HeaderField] = []) -> [UInt8] {
        var text = "\(method) \(url.requestTarget) HTTP/1.1\r\n"
        for field in headers + fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Hands the exact bytes of an HTTP/1.1 request to a closure, piece by piece, without sending anything.
    ///
    /// - Parameters:
    ///   - fields: What the connection adds to the header.
    ///   - bodyLimit: How many bytes of the body to show; nil for all of them.
    ///   - output: Takes the head first, then pieces of the body.
    /// - Returns: Whether the body was shown to its end.
    /// - Throws: ``RequestError`` when the body cannot be read, and what `output` throws.
    @discardableResult
    public func write(
        adding fields: [HeaderField] = [],
        bodyLimit: Int? = nil,
        to output: ([UInt8]) throws -> Void
    ) throws -> Bool {
        var reader = try body.makeReader()
        try output(httpOneHead(adding: fields))
        let shown = min(max(bodyLimit ?? Int.max, 0), body.length)
        var rest = shown
        while rest > 0 {
            let piece = try reader.read(upTo: min(rest, 64 * 1024))
            guard !piece.isEmpty else { break }
            try output(piece)
            rest -= piece.count
        }
        return shown == body.length
    }
}

extension SerializedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and address.
    public var description: String { "\(method) \(url)" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Method and address alone.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url]) }
}
