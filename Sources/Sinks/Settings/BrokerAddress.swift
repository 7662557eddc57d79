internal import ForeignText

/// The address of a broker: `nats://host:4222`, or several of one cluster, separated by commas.
public struct BrokerAddress: Sendable, Hashable {
    /// The protocol.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// NATS in the clear, or encrypted if the server requires it.
        case nats
        /// NATS over TLS.
        case tls
        /// MQTT in the clear.
        case mqtt
        /// MQTT over TLS.
        case mqtts

        /// `true` for NATS.
        public var isNATS: Bool { self == .nats || self == .tls }
        /// `true` if all traffic is encrypted.
        public var isEncrypted: Bool { self == .tls || self == .mqtts }
        /// The default port.
        public var port: UInt16 {
            switch self {
            case .nats, .tls: 4222
            case .mqtt: 1883
            case .mqtts: 8883
            }
        }
    }

    /// One server.
    public struct Server: Sendable, Hashable {
        /// A name, or an address without brackets.
        public var host: String
        /// The port.
        public var port: UInt16

        /// Creates a server.
        public init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// `host:port`, with brackets around an IPv6 address.
        public var authority: String { "\(bracketedHost):\(port)" }

        var bracketedHost: String { host.contains(":" as Character) ? "[\(host)]" : host }
    }

    /// The maximum number of servers of a cluster.
    public static let maximumServers = 16
    /// The maximum number of bytes of an address as text.
    public static let maximumBytes = 4096

    /// The protocol of all servers.
    public let scheme: Scheme
    /// The servers, at least one; MQTT has one.
    public let servers: [Server]

    init(scheme: Scheme, servers: [Server]) {
        self.scheme = scheme
        self.servers = servers
    }
}

extension BrokerAddress: CustomStringConvertible {
    /// Parses an address: URLs separated by commas, of which those after the first may omit the scheme.
    ///
    /// - Throws: ``SinkSettingError`` with a sentence for the operator, which repeats neither credentials in the URL nor
    ///   anything after its port.
    public init(_ text: String) throws(SinkSettingError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw SinkSettingError("expected at most \(Self.maximumBytes) bytes, got \(text.utf8.count)")
        }
        // Comes first, because every other sentence repeats the text.
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw SinkSettingError(
                """
                a URL must not contain credentials; write the name to 'user' and the path of the password's file to \
                'password_file'
                """
            )
        }
        let urls = text.split(separator: ",", omittingEmptySubsequences: false)
        guard urls.count <= Self.maximumServers else {
            throw SinkSettingError("expected at most \(Self.maximumServers) servers, got \(urls.count)")
        }
        var scheme: Scheme?
        var servers: [Server] = []
        for url in urls {
            let (own, rest) = try Self.scheme(of: url.trimmingBlanks, after: scheme)
            if let scheme, scheme != own {
                throw SinkSettingError(
                    "all servers need the same scheme, got '\(scheme.rawValue)' and '\(own.rawValue)'"
                )
            }
            scheme = own
            let server = try Server(rest, port: own.port, scheme: own)
            guard !servers.contains(server) else { throw SinkSettingError("\(server.authority) is listed twice") }
            servers.append(server)
        }
        guard let scheme else { throw SinkSettingError("expected a URL such as 'nats://broker.example:4222'") }
        guard scheme.isNATS || servers.count == 1 else {
            throw SinkSettingError("MQTT has one server, got \(servers.count)")
        }
        self.init(scheme: scheme, servers: servers)
    }

    /// The URLs separated by commas, without default ports.
    public var description: String {
        servers.map { server in
            "\(scheme.rawValue)://\(server.port == scheme.port ? server.bracketedHost : server.authority)"
        }.joined(separator: ",")
    }

    private static func scheme(
        of url: Substring,
        after earlier: Scheme?
    ) throws(SinkSettingError) -> (Scheme, Substring) {
        guard let mark = url.firstRange(of: "://") else {
            if let earlier { return (earlier, url) }
            throw SinkSettingError(
                "expected a URL such as 'nats://broker.example:4222', got '\(shown(url))'"
            )
        }
        let word = url[..<mark.lowerBound]
        guard let scheme = Scheme(rawValue: word.lowercased()) else {
            let known = Scheme.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw SinkSettingError("expected one of the schemes \(known), got '\(shown(word))'")
        }
        return (scheme, url[mark.upperBound...])
    }

    /// Returns the text for a sentence, with an ellipsis for a path, a query or a fragment, which may have a password.
    fileprivate static func shown(_ text: Substring) -> String {
        guard let end = text.utf8.firstIndex(where: { "/?#".utf8.contains($0) }) else {
            return ForeignText.shown(String(text))
        }
        return ForeignText.shown(String(text[...end])) + "…"
    }
}

extension BrokerAddress.Server {
    /// Parses `host`, `host:port`, `[address]` or `[address]:port`.
    fileprivate init(_ text: Substring, port usual: UInt16, scheme: BrokerAddress.Scheme) throws(SinkSettingError) {
        var text = text
        if text.last == "/" { text = text.dropLast() }
        guard !text.utf8.contains(where: { "/?#".utf8.contains($0) }) else {
            throw SinkSettingError("expected nothing after the port, got '\(BrokerAddress.shown(text))'")
        }
        let host: Substring
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else {
                throw SinkSettingError("'\(ForeignText.shown(String(text)))' has a '[' without a ']'")
            }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard Self.isAddress(host) else {
                throw SinkSettingError("expected an IPv6 address in brackets, got '\(ForeignText.shown(String(host)))'")
            }
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            guard text[colon...].count(where: { $0 == ":" }) <= 1 else {
                throw SinkSettingError(
                    """
                    expected brackets around an IPv6 address, such as '\(scheme.rawValue)://[2001:db8::1]', \
                    got '\(ForeignText.shown(String(text)))'
                    """
                )
            }
            host = text[..<colon]
            rest = text[colon...]
            try Self.check(name: host)
        }
        self.init(host: host.lowercased(), port: rest.isEmpty ? usual : try Self.port(rest))
    }

    private static func port(_ text: Substring) throws(SinkSettingError) -> UInt16 {
        let digits = text.dropFirst()
        guard text.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else {
            throw SinkSettingError("expected a port from 1 to 65535, got '\(ForeignText.shown(String(digits)))'")
        }
        return port
    }

    private static func check(name: Substring) throws(SinkSettingError) {
        guard !name.isEmpty else {
            throw SinkSettingError("expected the name or the address of a host before the port")
        }
        guard name.utf8.count <= 253 else {
            throw SinkSettingError("expected a host name of at most 253 bytes, got \(name.utf8.count)")
        }
        guard name.utf8.allSatisfy(\.isOfHostName), name.first != ".", name.first != "-",
            name.firstRange(of: "..") == nil
        else {
            throw SinkSettingError(
                """
                '\(ForeignText.shown(String(name)))' is not a host name: expected ASCII letters, digits, '-', '_' and \
                single dots
                """
            )
        }
    }

    /// Returns true for the characters of an IPv6 address, which the resolver validates, with an interface after a
    /// percent sign.
    private static func isAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, (2...45).contains(address.utf8.count), address.contains(":" as Character),
            address.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || $0.isHexadecimal })
        else { return false }
        guard parts.count == 2 else { return true }
        return (1...15).contains(parts[1].utf8.count) && parts[1].utf8.allSatisfy(\.isOfHostName)
    }
}

extension BrokerAddress: Codable {
    /// Reads the address from a string.
    ///
    /// - Throws: `DecodingError` with the sentence of ``SinkSettingError``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as SinkSettingError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(lowercasedASCII) }

    /// True for ASCII letters, digits, dots, hyphens and underscores.
    fileprivate var isOfHostName: Bool {
        (0x30...0x39).contains(self) || (0x61...0x7A).contains(lowercasedASCII) || [0x2D, 0x2E, 0x5F].contains(self)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = self
        while text.first == " " { text = text.dropFirst() }
        while text.last == " " { text = text.dropLast() }
        return text
    }
}
