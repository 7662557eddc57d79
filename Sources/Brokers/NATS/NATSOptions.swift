internal import AgentEvents
internal import CNATS
internal import CheckResults
internal import Glibc
internal import Sinks

/// The options of libnats for one server.
///
/// All files are read when the options are created. They belong to one thread.
final class NATSOptions {
    /// The system's authorities, in the order in which the ServerTrust module also searches for them.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The options.
    let pointer: OpaquePointer
    /// True if the server's nonce is signed with a key.
    private let isSigning: Bool
    /// The secrets that the server learns.
    private(set) var secrets = BrokerSecrets()

    deinit { natsOptions_Destroy(pointer) }

    /// Creates options without reconnection and without a timeout, which are up to the engine and to ``NATSAttempt``.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - server: The server.
    ///   - isEncrypted: True to require TLS, and to trust the system's authorities if the sink has none of its own.
    /// - Throws: ``TransportFailure``.
    init(
        _ settings: SinkSettings,
        for server: BrokerAddress.Server,
        isEncrypted: Bool
    ) throws(TransportFailure) {
        OpenSSL.prepare()
        var options: OpaquePointer?
        guard natsOptions_Create(&options) == NATS_OK, let options else {
            throw TransportFailure(code: "broker_unreachable", detail: "libnats has no memory left")
        }
        pointer = options
        isSigning = settings.credentials.hasKeys
        // A single server, whose name the certificate must have: libnats has only one expected name for all servers.
        try Self.check(natsOptions_SetURL(options, "nats://\(server.authority)"), "the address")
        try Self.check(
            natsOptions_SetName(options, Self.escaped("reachagent-\(settings.device)-\(settings.name)")),
            "the name"
        )
        natsOptions_SetAllowReconnect(options, false)
        natsOptions_SetIgnoreDiscoveredServers(options, true)
        // An hour, which no attempt lasts.
        natsOptions_SetTimeout(options, 3_600_000)
        // Without the library's writer thread and without its timer that closes connections from another thread: the
        // kernel's keep-alive (``NATSWire``) finds dead connections without waking a thread.
        natsOptions_SetSendAsap(options, true)
        natsOptions_SetPingInterval(options, 0)
        // Errors are read from the connection; without a handler they would be written to standard error.
        natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil)
        try encrypt(settings, for: server, isEncrypted: isEncrypted)
        try authenticate(settings.credentials)
    }

    /// Connects, and repeats an attempt once that may have been denied for want of a signature.
    ///
    /// libnats 3.4, of Debian 12, sends none if its first byte is zero, which is 1 of 256; for the next nonce it has
    /// another.
    func connect(_ attempt: () -> natsStatus) -> natsStatus {
        let status = attempt()
        return status == NATS_CONNECTION_AUTH_FAILED && isSigning ? attempt() : status
    }

    private func encrypt(
        _ settings: SinkSettings,
        for server: BrokerAddress.Server,
        isEncrypted: Bool
    ) throws(TransportFailure) {
        let name = server.identity.description
        try Self.check(natsOptions_SetExpectedHostname(pointer, name), "the server's name")
        if let path = settings.authorities {
            try CredentialFile.check(path)
            try Self.check(natsOptions_LoadCATrustedCertificates(pointer, path), path)
        } else if isEncrypted {
            guard let path = Self.bundles.first(where: { access($0, R_OK) == 0 }) else {
                throw TransportFailure(
                    code: "credentials_unreadable",
                    detail: "the system has no bundle of authorities: install ca-certificates, or set 'ca_file'"
                )
            }
            try Self.check(natsOptions_LoadCATrustedCertificates(pointer, path), path)
        }
        let credentials = settings.credentials
        if let certificate = credentials.clientCertificate, let key = credentials.clientKey {
            try CredentialFile.check(certificate)
            try CredentialFile.check(key)
            try Self.check(natsOptions_LoadCertificatesChain(pointer, certificate, key), certificate)
        }
        if isEncrypted { try Self.check(natsOptions_SetSecure(pointer, true), "TLS") }
    }

    private func authenticate(_ credentials: SinkSettings.Credentials) throws(TransportFailure) {
        if let path = credentials.credentialsFile {
            secrets.texts += try CredentialFile.secrets(of: path)
            try Self.check(natsOptions_SetUserCredentialsFromFiles(pointer, path, nil), path)
        }
        if let path = credentials.nkeyFile {
            guard let key = NKey.publicKey(ofSeed: try CredentialFile.firstLine(of: path)) else {
                throw CredentialFile.failure(path, "the first line is not the seed of a user ('SU…')")
            }
            try Self.check(natsOptions_SetNKeyFromSeed(pointer, key, path), path)
        }
        if let path = credentials.tokenFile {
            let token = try CredentialFile.firstLine(of: path)
            secrets.texts.append(token)
            try Self.check(natsOptions_SetToken(pointer, Self.escaped(token)), path)
        }
        if let user = credentials.user {
            let password = try credentials.passwordFile.map { (path) throws(TransportFailure) in
                try CredentialFile.firstLine(of: path)
            }
            if let password { secrets.texts.append(password) }
            let status = natsOptions_SetUserInfo(pointer, Self.escaped(user), password.map(Self.escaped) ?? "")
            try Self.check(status, "the user's name and password")
        }
    }

    /// Escapes text for the JSON of libnats' first message, which contains it verbatim.
    static func escaped(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    private static func check(_ status: natsStatus, _ subject: String) throws(TransportFailure) {
        guard status != NATS_OK else { return }
        throw TransportFailure(
            code: "credentials_unreadable",
            detail: "libnats cannot use \(subject): \(NATSFailure.lastError(status, BrokerSecrets()))"
        )
    }
}

extension SinkSettings.Credentials {
    /// True if they include a key of NATS.
    var hasKeys: Bool { credentialsFile != nil || nkeyFile != nil }
}

/// The public key of a user's seed (<https://docs.nats.io/using-nats/developer/connecting/nkey>): libnats signs with
/// the seed, but needs the key as well.
enum NKey {
    /// The relevant kinds of key, in the upper five bits of a byte.
    private static let seed: UInt8 = 18 << 3
    private static let user: UInt8 = 20 << 3
    private static let keyBytes = 32

    /// Returns the public key (`U…`) of a user's seed (`SU…`); `nil` if the text is not one.
    static func publicKey(ofSeed text: String) -> String? {
        guard let bytes = decoded(text), bytes.count == 2 + keyBytes + 2, encoded(bytes) == text else { return nil }
        let (content, sum) = (bytes.dropLast(2), bytes.suffix(2))
        guard sum.elementsEqual(checksum(content)), bytes[0] & 0xF8 == seed,
            (bytes[0] & 0x07) << 5 | (bytes[1] & 0xF8) >> 3 == user,
            let key = publicKey(ofPrivate: Array(content.dropFirst(2)))
        else { return nil }
        let named = [user] + key
        return encoded(named + checksum(named[...]))
    }

    private static func publicKey(ofPrivate bytes: [UInt8]) -> [UInt8]? {
        OpenSSL.prepare()
        guard let key = EVP_PKEY_new_raw_private_key(NID_ED25519, nil, bytes, bytes.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        var result = [UInt8](repeating: 0, count: keyBytes)
        var count = result.count
        guard EVP_PKEY_get_raw_public_key(key, &result, &count) == 1, count == keyBytes else { return nil }
        return result
    }

    /// Returns the CRC-16 (XMODEM), with the low byte first.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        }
        return [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Decodes Base32 without padding.
    private static func decoded(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 128 else { return nil }
        var bytes: [UInt8] = []
        var (value, bits): (UInt32, Int) = (0, 0)
        for digit in text.utf8 {
            guard let index = alphabet.firstIndex(of: digit) else { return nil }
            value = value << 5 | UInt32(index)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> bits))
            value &= (1 << bits) - 1
        }
        return bytes
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (value, bits): (UInt32, Int) = (0, 0)
        for byte in bytes {
            value = value << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(value >> bits & 31)])
            }
            value &= (1 << bits) - 1
        }
        if bits > 0 { text.append(alphabet[Int(value << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
