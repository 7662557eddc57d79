internal import Crypto
internal import NIOCore
package import NIOSSL

/// The rules for clients of a port that other machines can reach.
public struct PortAccess: Sendable, Hashable {
    /// The encryption, and the certificates that clients need; `nil` for none.
    public let tls: PortTLS?
    /// The users and their passwords; `nil` when no password is asked for.
    public let passwords: PasswordFile?
    /// `true` if the administrator accepts that encryption or any check of the clients is missing.
    public let isInsecure: Bool

    /// Creates rules.
    public init(tls: PortTLS? = nil, passwords: PasswordFile? = nil, isInsecure: Bool = false) {
        self.tls = tls
        self.passwords = passwords
        self.isInsecure = isInsecure
    }

    /// `true` if clients are checked: by a certificate, by a password, or by both.
    public var checksClients: Bool { tls?.checksClients == true || passwords != nil }

    /// `true` if clients may be served: encrypted and checked, or because the administrator said so.
    public var isUsable: Bool { isInsecure || tls != nil && checksClients }
}

/// The reason that a file cannot be used; none shows the file's content.
public enum PortAccessError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The certificate of the server.
    case certificate(String)
    /// The private key of the server.
    case key(String)
    /// The authorities of the clients' certificates.
    case clientAuthorities(String)
    /// A line of the file of passwords; 0 for the whole file.
    case passwords(line: Int, String)

    /// The reason as a predicate, for a sentence about the file.
    public var description: String {
        switch self {
        case .certificate(let reason), .key(let reason), .clientAuthorities(let reason), .passwords(0, let reason):
            reason
        case .passwords(let line, let reason): "has an error in line \(line): \(reason)"
        }
    }
}

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
