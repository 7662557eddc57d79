/// The address of a broker: `nats://host:4222`, or several of one cluster, separated by commas.
public struct BrokerAddress: Sendable, Hashable {
    /// The protocol.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// NATS in the clear, or encrypted where the server demands it.
        case nats
        /// NATS over TLS.
        case tls
        /// MQTT in the clear.
        case mqtt
        /// MQTT over TLS.
        case mqtts

        /// `true` for NATS.
        public var isNATS: Bool { self == .nats || self == .tls }
        /// `true` when everything is encrypted.
        public var isEncrypted: Bool { self == .tls || self == .mqtts }
        /// The usual port.
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

        /// A server.
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

    /// The URLs of the servers, with their ports: for a client library.
    public var urls: [String] { servers.map { "\(scheme.rawValue)://\($0.authority)" } }
}
