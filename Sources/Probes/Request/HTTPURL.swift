/// An absolute `http` or `https` address in normal form, as RFC 3986 and RFC 9110 section 4.2 define it.
///
/// The host is in lower case, the port is a number, the path begins with `/` and has no dot segments, and what RFC 3986
/// does not allow in a path or a query is percent-encoded. There is never a user, a password or a fragment in it, so it
/// may be shown and logged. Two values are equal when a request for one would be a request for the other.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// The schemes that a check speaks.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Without TLS.
        case http
        /// Over TLS.
        case https

        /// The port that is meant when none is given.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// The longest text that is read, in bytes of UTF-8; the normal form may not be longer either.
    public static let maximumLength = 8 * 1024

    /// Whether TLS is used.
    public let scheme: Scheme
    /// The host: a name in lower case, or an address.
    public let host: ServerIdentity
    /// The port, 1 to 65535.
    public let port: Int
    /// The percent-encoded path; at least `/`.
    public let path: String
    /// The percent-encoded query without its question mark; nil when there is no question mark.
    public let query: String?

    /// All five parts, which the caller has checked, except for the length.
    init(scheme: Scheme, host: ServerIdentity, port: Int, path: String, query: String?) throws(HTTPURLError) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        guard description.utf8.count <= Self.maximumLength else { throw .tooLong }
    }

    /// The same address with another query; nil leaves the question mark out.
    ///
    /// - Throws: ``HTTPURLError`` when the query holds control characters or the address becomes too long.
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

    /// What follows the method in a request: the path and the query.
    public var requestTarget: String { query.map { "\(path)?\($0)" } ?? path }

    /// The host, and the port unless it is the scheme's: what the Host field holds.
    public var authority: String { port == scheme.defaultPort ? hostText : "\(hostText):\(port)" }

    /// Scheme, host and port: what credentials are bound to.
    public var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// The whole address in normal form.
    public var description: String { origin + requestTarget }

    /// The host as an address shows it: IPv6 in brackets.
    private var hostText: String {
        guard case .address(let bytes) = host, bytes.count == 16 else { return host.description }
        return "[\(host)]"
    }
}
