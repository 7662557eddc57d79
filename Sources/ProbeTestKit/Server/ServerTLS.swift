internal import NIOCore
internal import NIOSSL

/// The TLS configuration of a ``ScriptedServer``.
public struct ServerTLS: Sendable {
    /// A TLS version, including the forbidden old ones.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.0 (RFC 2246), which RFC 8996 forbids.
        case tls10 = "TLSv1"
        /// TLS 1.1 (RFC 4346), which RFC 8996 forbids.
        case tls11 = "TLSv1.1"
        /// TLS 1.2 (RFC 5246).
        case tls12 = "TLSv1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "TLSv1.3"
    }

    /// The policy for client certificates.
    public enum ClientCertificate: Sendable, Hashable {
        /// The server does not request one.
        case notAsked
        /// The server requests one, and accepts any or none.
        case optional
        /// The server requires one, and accepts any.
        case required
        /// The server requires one issued by one of these DER certificates.
        case issued(by: [[UInt8]])
    }

    /// The certificates that the server sends, in this order, in DER; its own first.
    public var chain: [[UInt8]]
    /// The first certificate's private key as PEM (PKCS#8).
    public var key: String
    /// The minimum version.
    public var minimumVersion = Version.tls12
    /// The maximum version.
    public var maximumVersion = Version.tls13
    /// The protocols that the server accepts (ALPN), in order of preference: `h2`, `http/1.1`.
    public var applicationProtocols: [String] = []
    /// The groups of the key exchange, by their numbers (RFC 8446, section 4.2.7); nil for the TLS library's own list.
    public var groups: [UInt16]?
    /// The policy for client certificates.
    public var clientCertificate = ClientCertificate.notAsked

    /// Creates a configuration with TLS 1.2 and 1.3 and without application protocols.
    public init(chain: [[UInt8]], key: String) {
        self.chain = chain
        self.key = key
    }

    /// Creates a configuration with a certificate of this kit, followed by those that lead to its root.
    public init(_ certificate: IssuedCertificate, intermediates: [IssuedCertificate] = []) {
        self.init(chain: ([certificate] + intermediates).map(\.der), key: certificate.key.pkcs8PEM)
    }

    func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = minimumVersion.libraryVersion
        configuration.maximumTLSVersion = maximumVersion.libraryVersion
        configuration.applicationProtocols = applicationProtocols
        configuration.curves = groups?.map { NIOTLSCurve(rawValue: $0) }
        switch clientCertificate {
        case .notAsked: configuration.certificateVerification = .none
        case .optional: configuration.certificateVerification = .optionalVerification
        case .required: configuration.certificateVerification = .noHostnameVerification
        case .issued(let roots):
            configuration.certificateVerification = .noHostnameVerification
            let roots = try roots.map { try NIOSSLCertificate(bytes: $0, format: .der) }
            configuration.trustRoots = .certificates(roots)
            configuration.sendCANameList = true
        }
        return try NIOSSLContext(configuration: configuration)
    }

    func makeHandler(_ context: NIOSSLContext) -> NIOSSLServerHandler {
        switch clientCertificate {
        case .notAsked, .issued: NIOSSLServerHandler(context: context)
        case .optional, .required:
            NIOSSLServerHandler(context: context) { _, promise in promise.succeed(.certificateVerified) }
        }
    }
}

extension ServerTLS.Version {
    var libraryVersion: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
