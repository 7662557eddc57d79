internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// Caches the TLS library's contexts, one per set of options; creating one costs more than a handshake.
final class TLSContexts: Sendable {
    /// The maximum number of cached contexts.
    static let capacity = 32

    private struct State {
        var contexts: [TLSOptions: NIOSSLContext] = [:]
        /// The options from the least to the most recently used.
        var order: [TLSOptions] = []
    }

    private let state = Mutex(State())
    /// The keys of the pending handshakes.
    let secrets = HandshakeSecrets()

    /// Returns the context for the options.
    ///
    /// - Throws: The TLS library's error.
    func context(for options: TLSOptions) throws -> NIOSSLContext {
        let known = state.withLock { state -> NIOSSLContext? in
            guard let context = state.contexts[options] else { return nil }
            if state.order.last != options, let index = state.order.firstIndex(of: options) {
                state.order.append(state.order.remove(at: index))
            }
            return context
        }
        if let known { return known }
        var configuration = Self.configuration(for: options)
        configuration.keyLogCallback = { [secrets] in secrets.read($0) }
        let context = try NIOSSLContext(configuration: configuration)
        state.withLock { state in
            if state.contexts.updateValue(context, forKey: options) == nil { state.order.append(options) }
            if state.order.count > Self.capacity { state.contexts[state.order.removeFirst()] = nil }
        }
        return context
    }

    private static func configuration(for options: TLSOptions) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        switch options.minimumVersion {
        case .tls12: configuration.minimumTLSVersion = .tlsv12
        case .tls13: configuration.minimumTLSVersion = .tlsv13
        }
        // The verification callback decides. With `.none` its rejection would be ignored, and with
        // `.fullVerification` the library would verify the host name again, whatever the policy says.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        // The library's own lists have neither P-521 nor Ed25519; servers with such keys must get a verdict, not an
        // alert. In TLS 1.2 the groups of the key exchange are those of the certificates, too (RFC 8422, section 5.1).
        configuration.curves = [.x25519_MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1]
        configuration.verifySignatureAlgorithms = [
            .ecdsaSecp256R1Sha256, .ed25519, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384,
            .rsaPssRsaeSha384, .rsaPkcs1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
        ]
        configuration.applicationProtocols = options.applicationProtocols.filter(isUsable)
        if let identity = options.clientIdentity {
            configuration.certificateChain = identity.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(identity.key)
        }
        return configuration
    }

    /// Returns whether ALPN can carry the name (RFC 7301, section 3.1); the TLS library traps on others.
    private static func isUsable(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { $0 < 0x80 }
    }
}

/// The keys of pending handshakes, which decrypt the certificates that the TLS library rejects before handing them
/// over.
///
/// The library reports secrets as lines of the `SSLKEYLOGFILE` format. Only the server's handshake traffic secret is
/// kept, only for connections that expect it, and only until the handshake ends; keys that protect data never are.
final class HandshakeSecrets: Sendable {
    private static let label = Array("SERVER_HANDSHAKE_TRAFFIC_SECRET".utf8)

    /// The secrets by client random, which identifies a connection; empty until the library reports the secret.
    private let secrets = Mutex<[[UInt8]: [UInt8]]>([:])

    /// Keeps the secret of a connection when the library reports it.
    func expect(_ random: [UInt8]) { secrets.withLock { $0[random] = [] } }

    /// Removes a connection, and returns its secret if there is one.
    @discardableResult
    func take(_ random: [UInt8]) -> [UInt8]? {
        secrets.withLock { $0.removeValue(forKey: random) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The number of connections that expect a secret.
    var count: Int { secrets.withLock { $0.count } }

    /// Handles a line of the library's key log.
    func read(_ line: ByteBuffer) {
        let words = line.readableBytesView.split { $0 == 0x20 || $0 == 0x0A }
        guard words.count == 3, words[0].elementsEqual(Self.label), let random = Self.bytes(words[1]),
            let secret = Self.bytes(words[2])
        else { return }
        secrets.withLock { secrets in
            if secrets[random] != nil { secrets[random] = secret }
        }
    }

    private static func bytes(_ digits: ByteBufferView) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2), digits.count <= 256 else { return nil }
        var bytes: [UInt8] = []
        var high: Int?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(UInt8(first << 4 | value))
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
