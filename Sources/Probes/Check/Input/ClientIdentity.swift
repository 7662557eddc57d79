internal import FoundationEssentials
internal import NIOSSL

/// A client's certificate chain and private key, for servers that ask who connects.
///
/// It is read once and kept in memory. No description of it holds anything of the key.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Why a client's certificate or key cannot be used.
    public enum LoadError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file cannot be read; the reason is the system's.
        case unreadable(path: String, reason: String)
        /// The file is larger than a certificate chain or a key can be.
        case tooLarge(path: String)
        /// The source holds no certificate in PEM form.
        case noCertificate(source: String)
        /// The source holds no private key in PEM form, or an encrypted one.
        case noPrivateKey(source: String)

        /// What is wrong, with the file's name.
        public var description: String {
            switch self {
            case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
            case .tooLarge(let path): "\(path) is too large: at most \(ClientIdentity.largestFile) bytes are read"
            case .noCertificate(let source): "\(source) holds no certificate in PEM form"
            case .noPrivateKey(let source): "\(source) holds no unencrypted private key in PEM form"
            }
        }
    }

    static let largestFile = 1024 * 1024

    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads the chain, the client's own certificate first, and the key from two PEM files.
    ///
    /// - Throws: ``LoadError``, which names the file and never its content.
    public init(certificateFile: String, keyFile: String) throws(LoadError) {
        try self.init(
            certificatePEM: Self.read(certificateFile),
            keyPEM: Self.read(keyFile),
            certificateSource: certificateFile,
            keySource: keyFile
        )
    }

    /// Takes the chain, the client's own certificate first, and the key in PEM form.
    ///
    /// - Parameters:
    ///   - certificateSource: What an error calls the certificates' origin.
    ///   - keySource: What an error calls the key's origin.
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
        self.chain = chain
        self.key = key
    }

    /// The number of certificates, and nothing of the key.
    public var description: String { "client identity of \(chain.count) certificates" }
    /// The same as the description.
    public var debugDescription: String { description }

    private static func read(_ path: String) throws(LoadError) -> [UInt8] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch let error as CocoaError {
            throw .unreadable(path: path, reason: error.code == .fileReadNoSuchFile ? "no such file" : "not readable")
        } catch {
            throw .unreadable(path: path, reason: String(describing: error))
        }
        guard data.count <= largestFile else { throw .tooLarge(path: path) }
        return [UInt8](data)
    }
}
