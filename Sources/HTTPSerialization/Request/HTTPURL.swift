public import CheckResults
internal import ForeignText

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
    /// The host: a name in lower case, with its trailing dot if it has one, or an address.
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

extension HTTPURL {
    /// Parses a host: an IPv6 address in brackets, an IPv4 address in four decimal parts, or a name.
    ///
    /// An IPv4-mapped address in brackets is the IPv4 address to which the system connects.
    /// Other forms of addresses (`127.1`, `0x7f000001`) are rejected: resolvers interpret them as addresses, but a
    /// policy that compares names does not.
    package static func host(_ text: String) throws(HTTPURLError) -> ServerIdentity {
        guard !text.isEmpty else { throw .emptyHost }
        if text.utf8.first == UInt8(ascii: "[") { return try addressInBrackets(text) }
        if let bytes = IPAddressText.bytes(of: text), bytes.count == 4 { return .address(bytes) }
        return .name(try name(text))
    }

    private static func addressInBrackets(_ text: String) throws(HTTPURLError) -> ServerIdentity {
        let inner = String(Substring(text.utf8.dropFirst().dropLast()))
        guard !inner.utf8.contains(UInt8(ascii: "%")) else { throw .zone(inner) }
        guard let bytes = IPAddressText.bytes(of: inner), bytes.count == 16 else {
            throw .invalidHost(text, reason: "is not an IPv6 address in brackets")
        }
        return .address(IPAddressText.unmapped(bytes))
    }

    /// Returns the name in lower case; a trailing dot stays, because it excludes the search domains.
    private static func name(_ text: String) throws(HTTPURLError) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .internationalizedHost(text) }
        let lowered = text.lowercased()
        let name = lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
        guard !name.isEmpty, name.utf8.count <= 253 else {
            throw .invalidHost(text, reason: "is not 1 to 253 characters long")
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.utf8.count) else {
                throw .invalidHost(text, reason: "has a label that is not 1 to 63 characters long")
            }
            guard label.utf8.allSatisfy(isNameByte) else {
                throw .invalidHost(text, reason: "holds characters that names of hosts do not have")
            }
            guard !label.hasPrefix("-"), !label.hasSuffix("-") else {
                throw .invalidHost(text, reason: "has a label that begins or ends with a hyphen")
            }
        }
        if let last = labels.last, isNumber(last) {
            throw .invalidHost(text, reason: "ends in a number and is not an IPv4 address in four decimal parts")
        }
        return lowered
    }

    /// Returns whether a byte is a letter in lower case, a digit, a hyphen, or an underscore, which many names have in
    /// spite of RFC 952.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    /// Returns whether inet_aton(3) would parse the label as a number.
    private static func isNumber(_ label: Substring) -> Bool {
        if label.hasPrefix("0x") {
            return label.dropFirst(2).allSatisfy { $0.isHexDigit }
        }
        return label.allSatisfy { $0.isNumber }
    }
}

/// The reason a string is not a valid URL for a check.
///
/// No case contains the part of the string that may be a password.
public enum HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The string, or its normal form, is longer than ``HTTPURL/maximumLength``.
    case tooLong
    /// The string contains a control character; the value is its code point.
    case controlCharacter(UInt32)
    /// The string does not begin with a scheme and `://`.
    case notAbsolute
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The string contains a user name or a password, or an `@` after an invalid host or port, which may be a password's
    /// beginning.
    case userInformation
    /// The URL has no host.
    case emptyHost
    /// The host is neither a usable name nor an address; the second value is the reason.
    case invalidHost(String, reason: String)
    /// The name has letters beyond ASCII.
    case internationalizedHost(String)
    /// The IPv6 address has a zone.
    case zone(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)

    /// The error, as a clause without a full stop.
    public var description: String {
        switch self {
        case .tooLong: "the URL is longer than \(HTTPURL.maximumLength) bytes"
        case .controlCharacter(let value):
            "the URL holds the control character U+\(value < 16 ? "000" : "00")\(String(value, radix: 16, uppercase: true))"
        case .notAbsolute: "the URL does not begin with 'http://' or 'https://'"
        case .unsupportedScheme(let scheme):
            "the URL's scheme is '\(ForeignText.shown(scheme))'; 'http' and 'https' are supported"
        case .userInformation:
            "the URL holds a user name or a password, which others can see: give them with --basic-auth-file"
        case .emptyHost: "the URL has no host"
        case .invalidHost(let host, let reason): "the URL's host '\(ForeignText.shown(host))' \(reason)"
        case .internationalizedHost(let host):
            "the URL's host '\(ForeignText.shown(host))' is not in ASCII: give the A-label form of each label ('xn--…')"
        case .zone(let address):
            "the URL's host '[\(ForeignText.shown(address))]' has a zone: leave it out and give the interface with --interface"
        case .invalidPort(let port): "the URL's port '\(ForeignText.shown(port))' is not a number from 1 to 65535"
        }
    }
}
