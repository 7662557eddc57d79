/// How a check's TLS handshakes are made; what a server must prove is the trust evaluator's subject.
public struct TLSOptions: Sendable, Hashable {
    /// The protocol versions that can be asked for as the oldest one.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "1.3"
    }

    /// The oldest protocol version that is spoken.
    public var minimumVersion: Version
    /// What the client proves its own identity with; nil when it does not.
    public var clientIdentity: ClientIdentity?
    /// The protocols that ALPN offers, the preferred one first; `h2` and `http/1.1` can be spoken.
    ///
    /// Others, and an empty list, are for servers that insist; the check then speaks HTTP/1.1.
    public var applicationProtocols: [String]

    /// Creates options.
    public init(
        minimumVersion: Version = .tls12,
        clientIdentity: ClientIdentity? = nil,
        applicationProtocols: [String] = ["h2", "http/1.1"]
    ) {
        self.minimumVersion = minimumVersion
        self.clientIdentity = clientIdentity
        self.applicationProtocols = applicationProtocols
    }
}
