/// Why a text is not the target of a check.
public enum ProbeTargetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no `scheme://` in front.
    case missingScheme(String)
    /// The scheme is none of `http`, `https`, `tcp`, `icmp` and `dns`.
    case unknownScheme(String)
    /// The URL of an `http` or `https` target is wrong; the reason says where.
    case invalidURL(String, reason: String)
    /// The host is missing, or neither a name nor an address.
    case invalidHost(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)
    /// A `tcp` target names no port.
    case missingPort(String)
    /// The target holds something that its scheme does not have: a user, a path, a query.
    case unexpectedPart(String, of: String)
    /// A `dns` target names nothing to ask for, or something that is not a domain name.
    case invalidName(String)
    /// The record type of a `dns` target is not made of letters and digits.
    case invalidRecordType(String)

    /// What is wrong, and what is needed.
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
