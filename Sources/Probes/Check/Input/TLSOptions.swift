internal import Glibc
internal import HTTPSerialization
internal import NIOSSL

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

/// A client's certificate chain and private key, for servers that request them.
///
/// It is read once and kept in memory. Its descriptions never contain the key.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The reason a client certificate or key cannot be used.
    public enum LoadError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file is not a regular file, cannot be read, or is a key that others can read; the reason is a predicate.
        case unreadable(path: String, reason: String)
        /// The file is larger than a certificate chain or a key can be.
        case tooLarge(path: String)
        /// The source holds no certificate in PEM form.
        case noCertificate(source: String)
        /// The source holds no private key in PEM form, or an encrypted one.
        case noPrivateKey(source: String)
        /// The private key is not that of the first certificate, or of a kind that TLS does not have.
        case otherKey(source: String)

        /// The error with the name of the file.
        public var description: String {
            switch self {
            case .unreadable(let path, let reason): "\(path) \(reason)"
            case .tooLarge(let path): "\(path) is too large: at most \(ClientIdentity.largestFile) bytes are read"
            case .noCertificate(let source): "\(source) holds no certificate in PEM form"
            case .noPrivateKey(let source): "\(source) holds no unencrypted private key in PEM form"
            case .otherKey(let source):
                "\(source) does not belong to the certificate, or is of a kind that TLS does not have"
            }
        }
    }

    fileprivate static let largestFile = 1024 * 1024

    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads the chain, the client's own certificate first, and the key from two PEM files.
    ///
    /// Both must be regular files; the key must be neither readable nor writable by others.
    /// - Throws: ``LoadError``, which names the file and never shows its content.
    public init(certificateFile: String, keyFile: String) throws(LoadError) {
        try self.init(
            certificatePEM: Self.read(certificateFile, isSecret: false),
            keyPEM: Self.read(keyFile, isSecret: true),
            certificateSource: certificateFile,
            keySource: keyFile
        )
    }

    /// Creates an identity from the chain, the client's own certificate first, and the key in PEM form.
    ///
    /// - Parameters:
    ///   - certificatePEM: The certificates.
    ///   - keyPEM: The private key of the first one.
    ///   - certificateSource: The name of the certificates' origin in errors.
    ///   - keySource: The name of the key's origin in errors.
    /// - Throws: ``LoadError``.
    public init(
        certificatePEM: [UInt8],
        keyPEM: [UInt8],
        certificateSource: String = "the client certificate",
        keySource: String = "the client key"
    ) throws(LoadError) {
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificatePEM), !chain.isEmpty else {
            throw .noCertificate(source: certificateSource)
        }
        guard let key = try? NIOSSLPrivateKey(bytes: keyPEM, format: .pem) else {
            throw .noPrivateKey(source: keySource)
        }
        // The TLS library compares the two only in a context; that of a server loads no authorities.
        let pair = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        do {
            _ = try NIOSSLContext(configuration: pair)
        } catch {
            throw .otherKey(source: keySource)
        }
        self.chain = chain
        self.key = key
    }

    /// The number of certificates, never the key.
    public var description: String { "client identity of \(chain.count) certificates" }
    /// The same as the description.
    public var debugDescription: String { description }

    /// Checks and reads a file through one descriptor, so that it cannot be replaced in between.
    private static func read(_ path: String, isSecret: Bool) throws(LoadError) -> [UInt8] {
        do throws(RequestError) {
            let file = try OpenFile(path: path)
            if isSecret, file.mode & mode_t(0o006) != 0 {
                throw .file(path: path, reason: "can be read or written by others: use chmod o-rw")
            }
            if file.length <= largestFile { return try file.read(at: 0, upTo: file.length) }
        } catch {
            switch error {
            case .file(_, let reason), .shortage(_, let reason): throw .unreadable(path: path, reason: reason)
            default: throw .unreadable(path: path, reason: error.description)
            }
        }
        throw .tooLarge(path: path)
    }
}
