internal import NIOCore
package import NIOSSL
internal import Nettle

/// The access rules for clients of a port that other machines can reach.
public struct PortAccess: Sendable, Hashable {
    /// The TLS configuration, including client authentication by certificate; `nil` for no encryption.
    public let tls: PortTLS?
    /// The users and their passwords; `nil` if no password is required.
    public let passwords: PasswordFile?
    /// `true` if the administrator accepts missing encryption or missing client authentication.
    public let isInsecure: Bool

    /// Creates access rules.
    public init(tls: PortTLS? = nil, passwords: PasswordFile? = nil, isInsecure: Bool = false) {
        self.tls = tls
        self.passwords = passwords
        self.isInsecure = isInsecure
    }

    /// `true` if clients are authenticated: by a certificate, by a password, or by both.
    public var checksClients: Bool { tls?.checksClients == true || passwords != nil }

    /// `true` if connections are encrypted, and clients authenticated.
    public var isSecure: Bool { tls != nil && checksClients }

    /// `true` if clients may be served: encrypted and authenticated, or as the administrator explicitly accepts.
    public var isUsable: Bool { isInsecure || isSecure }
}

/// The reason that a file cannot be used; never contains the file's content.
public enum PortAccessError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server certificate.
    case certificate(String)
    /// The private key of the server certificate.
    case key(String)
    /// The certificate authorities for client certificates.
    case clientAuthorities(String)
    /// A line of the password file; 0 for the whole file.
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

/// The TLS configuration of a port: the server certificate, and the authorities for client certificates.
///
/// Two configurations are equal if they were created from the same bytes. The descriptions never contain the key.
public struct PortTLS: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The maximum size of each file, in bytes.
    public static let maximumBytes = 1 << 20

    /// `true` if clients need a certificate.
    public let checksClients: Bool
    /// The expiry date of the server certificate, in seconds since 1970.
    public let expires: Int
    /// The TLS library's context, which all connections share.
    package let context: NIOSSLContext
    private let digest: [UInt8]

    /// Creates the TLS configuration of a port from PEM files.
    ///
    /// - Parameters:
    ///   - certificate: The server certificate and its intermediates.
    ///   - key: The private key of the server certificate.
    ///   - clientAuthorities: The authorities that may issue client certificates; `nil` if clients need no certificate.
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
        // A client that disappears without a closure alert is not waited for.
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
        digest = SHA2.sha256.hash(each: [certificate, key, clientAuthorities ?? []])
    }

    /// Compares the files.
    public static func == (one: PortTLS, other: PortTLS) -> Bool {
        one.digest == other.digest && one.checksClients == other.checksClients
    }

    /// Hashes the files.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// A description without the key.
    public var description: String { checksClients ? "TLS with clients' certificates" : "TLS" }
    /// An empty mirror, which hides the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
