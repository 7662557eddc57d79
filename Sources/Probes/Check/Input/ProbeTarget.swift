public import CheckResults
public import HTTPSerialization

/// The target of a check.
public enum ProbeTarget: Sendable, Hashable, CustomStringConvertible {
    /// An HTTP request, with TLS or without: `https://host.test/path`.
    case http(HTTPURL)
    /// A TCP connection: `tcp://host.test:22`, `tcp://[2001:db8::1]:22`.
    case tcp(host: ServerIdentity, port: UInt16)
    /// An ICMP echo request: `icmp://host.test`, `icmp://2001:db8::1`.
    case icmp(host: ServerIdentity)
    /// A DNS query to one name server: `dns://192.0.2.53/host.test?type=AAAA`; the port is 53 and the type A unless given.
    case dns(resolver: ServerIdentity, port: UInt16, name: String, type: String)

    /// Parses a target.
    ///
    /// - Throws: ``ProbeTargetError``, which never shows a password or a secret parameter.
    public init(parsing text: String) throws(ProbeTargetError) {
        let marker = "://"
        guard let separator = Self.range(of: marker, in: text) else { throw .missingScheme(Self.shown(text)) }
        let rest = text[separator.upperBound...]
        let scheme = text[..<separator.lowerBound].lowercased()
        do throws(ProbeTargetError) {
            switch scheme {
            case "http", "https":
                do throws(HTTPURLError) {
                    self = .http(try HTTPURL(parsing: text))
                } catch {
                    throw .invalidURL(Self.shown(text), reason: error.description)
                }
            case "tcp":
                let (host, port) = try Self.authority(Self.withoutSlash(rest, scheme: scheme))
                guard let port else { throw .missingPort(text) }
                self = .tcp(host: host, port: port)
            case "icmp":
                let (host, port) = try Self.authority(Self.withoutSlash(rest, scheme: scheme))
                if let port { throw .unexpectedPart(":\(port)", of: scheme) }
                self = .icmp(host: host)
            case "dns": self = try Self.query(rest)
            default: throw .unknownScheme(Self.shown(scheme))
            }
        } catch {
            throw text.utf8.contains(UInt8(ascii: "@")) ? Self.hidingPassword(error, in: text, scheme: scheme) : error
        }
    }

    /// The target in its normal form, which parses to the same target.
    public var description: String {
        switch self {
        case .http(let url): url.description
        case .tcp(let host, let port): "tcp://\(Self.bracketed(host)):\(port)"
        case .icmp(let host): "icmp://\(Self.bracketed(host))"
        case .dns(let resolver, let port, let name, let type):
            "dns://\(Self.bracketed(resolver))\(port == 53 ? "" : ":\(port)")/\(name)?type=\(type)"
        }
    }

    /// The URL of an HTTP check.
    package var url: HTTPURL? {
        guard case .http(let url) = self else { return nil }
        return url
    }

    /// The target for display: without the values of secret parameters.
    package var shown: String { SecretName.hidingQuery(of: description) }

    /// The target for display without the path: the whole address of a webhook is a secret.
    package var shownOrigin: String {
        guard case .http(let url) = self, url.requestTarget != "/" else { return description }
        return "\(url.origin)/\(SecretName.placeholder)"
    }
}

extension ProbeTarget {
    private static func range(of marker: String, in text: String) -> Range<String.Index>? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: marker.utf8) else {
            return nil
        }
        return colon..<bytes.index(colon, offsetBy: marker.utf8.count)
    }

    /// Returns the text without the part before an `@`, which may be a password, and without secret parameters.
    private static func shown(_ text: String) -> String {
        // By bytes: with a combining mark after it, it is another character.
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return SecretName.hidingQuery(of: text) }
        // An `@` in a query has other parameters after it.
        return "…" + String(Substring(text.utf8[at...].prefix { !"?#&".utf8.contains($0) }))
    }

    /// Returns the error for a text with an `@` without the parts of the text that may be a password's.
    ///
    /// A slash, `?` or `#` in a password ends the authority before the `@`, so that any part may be.
    private static func hidingPassword(
        _ error: ProbeTargetError,
        in text: String,
        scheme: String
    ) -> ProbeTargetError {
        switch error {
        case .invalidURL, .missingScheme: error
        case .unknownScheme where scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) }): error
        case .unknownScheme: .missingScheme(shown(text))
        case .invalidHost, .invalidPort, .missingPort, .unexpectedPart, .invalidName, .invalidRecordType:
            .unexpectedPart("@", of: scheme)
        }
    }

    private static func bracketed(_ host: ServerIdentity) -> String {
        if case .address(let bytes) = host, bytes.count == 16 { return "[\(host)]" }
        return host.description
    }

    private static func withoutSlash(_ rest: Substring, scheme: String) throws(ProbeTargetError) -> Substring {
        guard let end = rest.firstIndex(where: { "/?#".contains($0) }) else { return rest }
        guard rest[end...] == "/" else { throw .unexpectedPart(shown(String(rest[end...])), of: scheme) }
        return rest[..<end]
    }

    /// Parses a host and an optional port; an IPv6 address needs brackets when a port follows.
    private static func authority(_ text: Substring) throws(ProbeTargetError) -> (ServerIdentity, UInt16?) {
        if let bytes = IPAddressText.bytes(of: String(text)), bytes.count == 16 {
            return (.address(IPAddressText.unmapped(bytes)), nil)
        }
        let hostEnd: Substring.Index
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { throw .invalidHost(shown(String(text))) }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        let host: ServerIdentity
        do {
            host = try HTTPURL.host(String(text[..<hostEnd]))
        } catch {
            throw .invalidHost(shown(String(text[..<hostEnd])))
        }
        guard hostEnd < text.endIndex else { return (host, nil) }
        let digits = text[text.index(after: hostEnd)...]
        guard text[hostEnd] == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else { throw .invalidPort(shown(String(text[hostEnd...].drop { $0 == ":" }))) }
        return (host, port)
    }

    private static func query(_ rest: Substring) throws(ProbeTargetError) -> ProbeTarget {
        let form = "dns://RESOLVER/NAME is needed"
        guard let slash = rest.firstIndex(of: "/") else { throw .invalidName("", reason: form) }
        let (resolver, port) = try authority(rest[..<slash])
        let path = rest[rest.index(after: slash)...]
        let mark = path.firstIndex(of: "?")
        let name = path[..<(mark ?? path.endIndex)]
        // A root query has an empty name on the wire; it is written as a dot here, as in dig.
        guard !name.isEmpty, name.utf8.count <= 254, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2F })
        else { throw .invalidName(String(name), reason: form) }
        do throws(DNSName.ParsingError) {
            _ = try DNSName(parsing: String(name))
        } catch {
            throw .invalidName(String(name), reason: error.description)
        }
        var type = "A"
        if let mark {
            let parameter = path[path.index(after: mark)...]
            guard parameter.hasPrefix("type="), !parameter.utf8.contains(UInt8(ascii: "&")) else {
                throw .unexpectedPart(shown("?" + parameter), of: "dns")
            }
            type = parameter.dropFirst("type=".count).uppercased()
        }
        guard type.utf8.count <= 16, DNSRecordType(name: type) != nil else { throw .invalidRecordType(type) }
        return .dns(resolver: resolver, port: port ?? 53, name: String(name), type: type)
    }
}

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
    /// A `dns` target has no name to query, or an invalid one; the reason names the fault, or the form of a target.
    case invalidName(String, reason: String)
    /// The record type of a `dns` target is neither a known name nor `TYPE` and a number up to 65535.
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
        case .invalidName(let name, let reason): "'\(name)' is not a domain name to ask for: \(reason)"
        case .invalidRecordType(let type):
            "'\(type)' is not a record type; accepted are \(DNSRecordType.named.map(\.name).joined(separator: ", ")) "
                + "and TYPE followed by a number"
        }
    }
}
