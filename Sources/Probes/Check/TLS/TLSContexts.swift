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

    /// Returns the context for some options.
    ///
    /// - Throws: The TLS library's error, for example when the client's key does not match its certificate.
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
        // The library's own list has neither P-521 nor Ed25519; servers with such keys must get a verdict, not an
        // alert.
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
