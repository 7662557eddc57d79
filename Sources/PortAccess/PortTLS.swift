internal import Crypto
internal import NIOCore
package import NIOSSL

/// The TLS of a port: the server's certificate, and the authorities of the clients' certificates.
///
/// Equal when made of the same bytes. Its descriptions show nothing of the key.
public struct PortTLS: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The maximum size of each file, in bytes.
    public static let maximumBytes = 1 << 20

    /// `true` if a client needs a certificate.
    public let checksClients: Bool
    /// The end of the server's certificate, in seconds since 1970.
    public let expires: Int
    /// The library's context, which all connections share.
    package let context: NIOSSLContext
    private let digest: [UInt8]

    /// Makes the TLS of a port of files in PEM.
    ///
    /// - Parameters:
    ///   - certificate: The server's certificate and its intermediates.
    ///   - key: The private key of the first one.
    ///   - clientAuthorities: The certificates that may have issued a client's; `nil` for clients without one.
    public init(
        certificate: [UInt8],
        key: [UInt8],
        clientAuthorities: [UInt8]? = nil
    ) throws(PortAccessError) {
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificate), let own = chain.first else {
            throw .certificate("holds no certificate in PEM form")
        }
        guard let privateKey = try? NIOSSLPrivateKey(bytes: key, format: .pem) else {
            throw .key("holds no unencrypted private key in PEM form")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // A client that goes without a word is not waited for.
        configuration.shutdownTimeout = .seconds(1)
        if let clientAuthorities {
            guard let roots = try? NIOSSLCertificate.fromPEMBytes(clientAuthorities), !roots.isEmpty else {
                throw .clientAuthorities("holds no certificate in PEM form")
            }
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification = .noHostnameVerification
            configuration.sendCANameList = true
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .key("does not belong to the certificate, or is of a kind that TLS does not have")
        }
        checksClients = clientAuthorities != nil
        expires = Int(own.notValidAfter)
        var hash = SHA256()
        for part in [certificate, key, clientAuthorities ?? []] {
            withUnsafeBytes(of: part.count) { hash.update(bufferPointer: $0) }
            hash.update(data: part)
        }
        digest = Array(hash.finalize())
    }

    /// Compares the files.
    public static func == (one: PortTLS, other: PortTLS) -> Bool {
        one.digest == other.digest && one.checksClients == other.checksClients
    }

    /// Hashes the files.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// A sentence without the key.
    public var description: String { checksClients ? "TLS with clients' certificates" : "TLS" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
