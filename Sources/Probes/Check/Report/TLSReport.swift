/// What a TLS handshake came to.
public struct TLSReport: Sendable, Hashable {
    /// The protocol version: `TLSv1.3`; nil when the handshake did not end.
    public var version: String?
    /// The cipher suite, where the TLS library tells it.
    public var cipher: String?
    /// The protocol that ALPN chose: `h2`, `http/1.1`; nil when the server chose none.
    public var applicationProtocol: String?
    /// The name that was sent in the server name extension; nil for an address.
    public var serverName: String?
    /// What the security policy says of the server's certificates; nil when none came.
    public var trust: TrustVerdict?

    /// Creates a report of a handshake of which nothing is known yet.
    public init(serverName: String? = nil) { self.serverName = serverName }
}
