internal import CMosquitto
internal import ForeignText
internal import Glibc
internal import Sinks

/// The TLS settings of one connection: OpenSSL's context, whose verify callback delegates to ``BrokerTrust``.
///
/// OpenSSL encrypts, but does not judge certificates. The callbacks run inside libmosquitto's calls, on the transport's
/// thread, and find the object through the context; it must outlive the connection.
final class MQTTEncryption {
    /// OpenSSL's `SSL_CTX`.
    let context: OpaquePointer
    /// The reason that the broker's certificate was rejected.
    private(set) var refusal: TransportFailure?
    /// The alert with which the broker ended the handshake, such as `bad certificate`.
    private(set) var alert: String?

    /// True if the broker has requested a client certificate, but there is none.
    private(set) var lacksCertificate = false

    private let trust: BrokerTrust

    /// Creates the settings for a sink.
    ///
    /// - Throws: ``TransportFailure`` with the code `credentials_unreadable`, or `broker_tls` if OpenSSL fails.
    init(_ settings: SinkSettings, trust: BrokerTrust) throws(TransportFailure) {
        OpenSSL.prepare()
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw TransportFailure(code: "broker_tls", detail: "OpenSSL cannot start: \(Self.lastError)")
        }
        self.context = context
        self.trust = trust
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // An idle connection needs no buffers.
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let own = Unmanaged.passUnretained(self).toOpaque()
        SSL_CTX_set_cert_verify_callback(context, Self.verify, own)
        SSL_CTX_set_ex_data(context, 0, own)
        SSL_CTX_set_info_callback(context, Self.inform)
        // Without this, OpenSSL would prompt for the passphrase of a key on a terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
        // Called only if no certificate is set.
        SSL_CTX_set_client_cert_cb(context) { connection, _, _ in
            MQTTEncryption.of(connection)?.lacksCertificate = true
            return 0
        }
        try present(settings.credentials)
    }

    deinit { SSL_CTX_free(context) }

    /// Presents the client certificate, if there is one.
    private func present(_ credentials: SinkSettings.Credentials) throws(TransportFailure) {
        guard let certificate = credentials.clientCertificate else { return }
        // A file may hold both.
        let key = credentials.clientKey ?? certificate
        try CredentialFile.check(certificate)
        try CredentialFile.check(key)
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw CredentialFile.failure(certificate, Self.lastError)
        }
        guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw CredentialFile.failure(key, Self.lastError) }
    }

    /// The reason of the first error in OpenSSL's queue, which is cleared.
    private static var lastError: String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return "OpenSSL gives no reason" }
        return ForeignText.shown(String(cString: reason))
    }

    private static let verify: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, argument in
        guard let store, let argument else { return 0 }
        let encryption = Unmanaged<MQTTEncryption>.fromOpaque(argument).takeUnretainedValue()
        let refusal = encryption.trust.refusal(of: presented(in: store))
        encryption.refusal = refusal
        // Determines only the alert that the broker receives.
        X509_STORE_CTX_set_error(store, refusal == nil ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
        return refusal == nil ? 1 : 0
    }

    /// Returns the certificates as the broker has sent them, its own first.
    private static func presented(in store: OpaquePointer) -> [[UInt8]] {
        // The list also contains the broker's own certificate; OpenSSL limits it to 100 KB (SSL_CTX_set_max_cert_list).
        if let list = X509_STORE_CTX_get0_untrusted(store), OPENSSL_sk_num(list) > 0 {
            return (0..<OPENSSL_sk_num(list)).map { der(OPENSSL_sk_value(list, $0).map { OpaquePointer($0) }) }
        }
        return X509_STORE_CTX_get0_cert(store).map { [der($0)] } ?? []
    }

    private static func der(_ certificate: OpaquePointer?) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &bytes)
        guard count > 0, let bytes else { return [] }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    private static let inform: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = { connection, place, value in
        guard let encryption = of(connection) else { return }
        if place & SSL_CB_HANDSHAKE_START != 0 {
            // libmosquitto is given an address, and uses it as the server's name.
            encryption.name(connection)
        } else if place & SSL_CB_READ_ALERT == SSL_CB_READ_ALERT, value >> 8 == SSL3_AL_FATAL {
            encryption.alert = text(ofAlert: value)
        }
    }

    private static func of(_ connection: OpaquePointer?) -> MQTTEncryption? {
        SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0)
            .map { Unmanaged<MQTTEncryption>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func text(ofAlert value: Int32) -> String? {
        // OpenSSL 3.0 has no text for this TLS 1.3 alert.
        if value & 0xFF == TLS13_AD_CERTIFICATE_REQUIRED { return "certificate required" }
        return SSL_alert_desc_string_long(value).map { String(cString: $0) }
    }

    private func name(_ connection: OpaquePointer?) {
        guard let serverName = trust.serverName else {
            SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), nil)
            return
        }
        serverName.withCString {
            // OpenSSL copies the name.
            _ = SSL_ctrl(
                connection,
                SSL_CTRL_SET_TLSEXT_HOSTNAME,
                Int(TLSEXT_NAMETYPE_host_name),
                UnsafeMutableRawPointer(mutating: $0)
            )
        }
    }
}
