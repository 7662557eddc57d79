/// The options of a check's TLS handshakes; the trust evaluator decides about certificates.
public struct TLSOptions: Sendable, Hashable {
    /// The protocol versions that can be set as the minimum.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "1.3"
    }

    /// The minimum protocol version.
    public var minimumVersion: Version
    /// The client certificate and key; nil to send none.
    public var clientIdentity: ClientIdentity?
    /// The protocols offered by ALPN, in order of preference; `h2` and `http/1.1` are supported.
    ///
    /// Other protocols, and an empty list, are for servers that insist; the check then uses HTTP/1.1.
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
