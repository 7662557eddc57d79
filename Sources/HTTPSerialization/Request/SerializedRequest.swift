public import CheckResults

/// A request ready to be sent.
///
/// The header may contain credentials: neither the description nor the mirror shows it.
public struct SerializedRequest: Sendable {
    /// The method.
    public let method: String
    /// The URL.
    public let url: HTTPURL
    /// All fields in order, Host first, except Connection, which the connection adds.
    public let headers: [HeaderField]
    /// The body.
    public let body: RequestBody
    /// The timeout of the whole check; nil for the default.
    public let timeoutInterval: Duration?
    /// `true` if the check may leave through a cellular interface.
    public let allowsCellularAccess: Bool
    /// The field names, in lower case, whose values are secrets whatever the names.
    let secretFields: Set<String>

    /// Returns the exact bytes of an HTTP/1.1 head, including the empty line and any credentials.
    ///
    /// - Parameter fields: Fields that the connection appends, such as `Connection: close`.
    public func httpOneHead(adding fields: [HeaderField] = []) -> [UInt8] {
        var text = "\(method) \(url.requestTarget) HTTP/1.1\r\n"
        for field in headers + fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Passes the exact bytes of an HTTP/1.1 request to a closure, piece by piece, without sending anything.
    ///
    /// - Parameters:
    ///   - fields: Fields that the connection appends to the header.
    ///   - bodyLimit: The maximum number of body bytes; nil for all of them.
    ///   - output: Receives the head, then pieces of the body.
    /// - Returns: `true` if the body was complete.
    /// - Throws: ``RequestError`` when the body cannot be read, and the errors of `output`.
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
    /// Method and URL.
    public var description: String { "\(method) \(url)" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Method and URL alone.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url]) }
}

extension SerializedRequest {
    /// Returns the request that follows a redirect (RFC 9110, section 15.4).
    ///
    /// After 303 the method becomes GET unless it is HEAD, after 301 and 302 POST becomes GET, without content. All other
    /// requests keep their method and content.
    /// Credentials, cookies, other fields with the names of secrets or with values from files for secrets, and a custom
    /// Host field are not sent to another origin. The caller decides whether to follow the redirect.
    public func redirected(to url: HTTPURL, status: Int) -> SerializedRequest {
        let becomesGet =
            switch status {
            case 303: method != "GET" && method != "HEAD"
            case 301, 302: method == "POST"
            default: false
            }
        let isSameOrigin = url.origin == self.url.origin
        let kept = headers.filter { field in
            switch field.name.lowercased() {
            case "host", "authorization", "proxy-authorization", "cookie", "cookie2": isSameOrigin
            case let name where field.isSecret || secretFields.contains(name): isSameOrigin
            case let name: !becomesGet || !name.hasPrefix("content-")
            }
        }
        let host = isSameOrigin ? [] : [HeaderField(name: "Host", value: url.authority)]
        return SerializedRequest(
            method: becomesGet ? "GET" : method,
            url: url,
            headers: host + kept,
            body: becomesGet ? .none : body,
            timeoutInterval: timeoutInterval,
            allowsCellularAccess: allowsCellularAccess,
            secretFields: secretFields
        )
    }
}

extension SerializedRequest {
    /// Returns a request of another method for the same URL, without content.
    ///
    /// - Parameter fields: Fields to add, or to send in place of those with the same name.
    package func variant(method: String, fields: [HeaderField] = []) -> SerializedRequest {
        let kept = headers.filter { field in
            !field.name.lowercased().hasPrefix("content-") && !fields.contains { $0.isNamed(field.name) }
        }
        return SerializedRequest(
            method: method,
            url: url,
            headers: kept + fields,
            body: .none,
            timeoutInterval: timeoutInterval,
            allowsCellularAccess: allowsCellularAccess,
            secretFields: secretFields
        )
    }
}
