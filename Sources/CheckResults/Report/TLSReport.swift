/// The result of a TLS handshake.
public struct TLSReport: Sendable, Hashable {
    /// The protocol version: `TLSv1.3`; nil when the handshake did not complete.
    public var version: String?
    /// The cipher suite, if the TLS library reports it.
    public var cipher: String?
    /// The protocol selected by ALPN: `h2`, `http/1.1`; nil when the server selected none.
    public var applicationProtocol: String?
    /// The name sent in the server name extension; nil for an address.
    public var serverName: String?
    /// The security policy's verdict on the server's certificates; nil when none were received.
    public var trust: TrustVerdict?

    /// Creates an empty report.
    public init(serverName: String? = nil) { self.serverName = serverName }
}
