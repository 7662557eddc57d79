/// The reason a string is not a valid target.
public enum ProbeTargetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The string has no `scheme://` prefix.
    case missingScheme(String)
    /// The scheme is none of `http`, `https`, `tcp`, `icmp` and `dns`.
    case unknownScheme(String)
    /// The URL of an `http` or `https` target is invalid; the reason names the place.
    case invalidURL(String, reason: String)
    /// The host is missing, or neither a name nor an address.
    case invalidHost(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)
    /// A `tcp` target names no port.
    case missingPort(String)
    /// The target has a part that its scheme does not support: a user, a path, a query.
    case unexpectedPart(String, of: String)
    /// A `dns` target has no name to query, or an invalid one.
    case invalidName(String)
    /// The record type of a `dns` target does not consist of letters and digits.
    case invalidRecordType(String)

    /// The error, and the expected form.
    public var description: String {
        switch self {
        case .missingScheme(let text):
            "'\(text)' has no scheme: http://, https://, tcp://, icmp:// or dns:// is needed"
        case .unknownScheme(let scheme):
            "scheme '\(scheme)' cannot be probed: http, https, tcp, icmp and dns can"
        case .invalidURL(let text, let reason): "'\(text)' is not a usable URL: \(reason)"
        case .invalidHost(let host): "'\(host)' is neither a host name nor an address"
        case .invalidPort(let port): "port '\(port)' is not a number from 1 to 65535"
        case .missingPort(let text): "'\(text)' names no port: tcp://HOST:PORT is needed"
        case .unexpectedPart(let part, let scheme): "'\(part)' has no meaning in a target with the scheme \(scheme)"
        case .invalidName(let name): "'\(name)' is not a domain name to ask for: dns://RESOLVER/NAME is needed"
        case .invalidRecordType(let type): "'\(type)' is not a DNS record type"
        }
    }
}
