public import CheckResults

/// An absolute `http` or `https` URL in normal form (RFC 3986; RFC 9110, section 4.2).
///
/// The host is in lower case, the port is a number, the path begins with `/` and has no dot segments, and characters
/// that RFC 3986 does not allow in a path or a query are percent-encoded. It never contains a user name, a password or
/// a fragment, so it may be shown and logged. Two values are equal when their requests are equal.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// The supported schemes.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Without TLS.
        case http
        /// Over TLS.
        case https

        /// The default port.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// The maximum size of a URL in bytes of UTF-8, both as parsed and in normal form.
    public static let maximumLength = 8 * 1024

    /// The scheme.
    public let scheme: Scheme
    /// The host: a name in lower case, or an address.
    public let host: ServerIdentity
    /// The port, 1 to 65535.
    public let port: Int
    /// The percent-encoded path; at least `/`.
    public let path: String
    /// The percent-encoded query without its question mark; nil when there is no question mark.
    public let query: String?

    /// Creates a URL from five parts, which the caller has checked, except for the length.
    init(scheme: Scheme, host: ServerIdentity, port: Int, path: String, query: String?) throws(HTTPURLError) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        guard description.utf8.count <= Self.maximumLength else { throw .tooLong }
    }

    /// Returns the same URL with another query; nil removes the question mark.
    ///
    /// - Throws: ``HTTPURLError`` when the query contains control characters or the URL becomes too long.
    public func replacingQuery(_ query: String?) throws(HTTPURLError) -> HTTPURL {
        if let query { try Self.refuseControlCharacters(query) }
        return try HTTPURL(
            scheme: scheme,
            host: host,
            port: port,
            path: path,
            query: query.map { PercentEncoding.normalized($0, allowing: .query) }
        )
    }

    /// The request target: the path and the query.
    public var requestTarget: String { query.map { "\(path)?\($0)" } ?? path }

    /// The host, and the port unless it is the default: the value of the Host field.
    public var authority: String { port == scheme.defaultPort ? hostText : "\(hostText):\(port)" }

    /// Scheme, host and port, to which credentials are bound.
    public var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// The URL in normal form.
    public var description: String { origin + requestTarget }

    /// The host as in a URL: IPv6 in brackets.
    private var hostText: String {
        guard case .address(let bytes) = host, bytes.count == 16 else { return host.description }
        return "[\(host)]"
    }
}
