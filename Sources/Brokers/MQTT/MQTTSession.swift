internal import CMosquitto
internal import Glibc
internal import Sinks

/// One libmosquitto connection, from its first packet to its last: created for one address, and never reused.
///
/// It never blocks: the address needs no name server, and the transport drives the loop. Results of the library's
/// callbacks are collected for ``takeAnswers()``, because a connection must not be used within its own callbacks.
final class MQTTSession {
    /// An answer of the broker.
    enum Answer: Hashable {
        /// The answer to the connection (CONNACK): 0 for success, and the keep-alive interval if the broker overrides
        /// it.
        case greeted(code: Int32, keepAlive: UInt16?)
        /// The answer to a message (PUBACK); the number is the packet's.
        case answered(packet: Int32, reason: Int32)
        /// The broker ends the connection, with a reason (MQTT 5).
        case ended(reason: Int32)
    }

    /// The error of a call, with the corresponding system error.
    struct CallFailure: Error {
        /// libmosquitto's number.
        let code: Int32
        /// errno(3) at the time of the error.
        let errno: Int32
    }

    /// The size of the socket's receive buffer (`SO_RCVBUF`): a broker's answers are short.
    private static let receiveBuffer: Int32 = 1 << 14

    /// True after the library has been initialized, which happens once.
    private static let isLibraryReady: Bool = {
        // The library writes to sockets with write(2): a broker that has disconnected would otherwise terminate the
        // program.
        signal(SIGPIPE, SIG_IGN)
        OpenSSL.prepare()
        return mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue
    }()

    private let handle: OpaquePointer
    /// The encryption; `nil` in the clear.
    let encryption: MQTTEncryption?
    private let isFive: Bool
    private var exposed: ExposedSocket?
    private var answers: [Answer] = []
    /// The last error that the library has logged, which is the only source of OpenSSL's errors.
    private(set) var loggedError: String?
    /// The bytes on the link at the last ``measure()``.
    private(set) var bytes: UInt64 = 0
    /// The bytes that the broker had sent by then.
    private(set) var received: UInt64 = 0
    /// The bytes that this end had written by then.
    private(set) var written: UInt64 = 0

    /// Creates a session that is not connected yet.
    ///
    /// - Throws: ``TransportFailure`` if there is no memory, or if the name or password cannot be sent.
    init(
        _ settings: SinkSettings,
        client: String,
        password: String?,
        will: RetainedMessage?,
        encryption: MQTTEncryption?
    ) throws(TransportFailure) {
        guard Self.isLibraryReady, let handle = mosquitto_new(client, true, nil) else {
            throw TransportFailure(code: "broker_protocol", detail: "libmosquitto cannot start")
        }
        self.handle = handle
        self.encryption = encryption
        isFive = settings.mqtt?.version != .three
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        try configure(settings, password: password, will: will)
        mosquitto_connect_v5_callback_set(handle) { _, own, code, _, properties in
            var interval: UInt16 = 0
            let found = mosquitto_property_read_int16(
                properties,
                Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue),
                &interval,
                false
            )
            MQTTSession.of(own)?.answers.append(.greeted(code: code, keepAlive: found == nil ? nil : interval))
        }
        mosquitto_publish_v5_callback_set(handle) { _, own, packet, reason, _ in
            MQTTSession.of(own)?.answers.append(.answered(packet: packet, reason: reason))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, own, reason, _ in
            // Lower numbers are the library's own errors, which its calls also return.
            if reason >= 0x80 { MQTTSession.of(own)?.answers.append(.ended(reason: reason)) }
        }
        mosquitto_log_callback_set(handle) { _, own, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MQTTSession.of(own)?.loggedError = String(cString: text)
        }
    }

    /// Closes the connection without a disconnect; the broker then publishes the will.
    deinit {
        // Callbacks must not reach an object that is being deallocated.
        mosquitto_user_data_set(handle, nil)
        mosquitto_destroy(handle)
    }

    private static func of(_ own: UnsafeMutableRawPointer?) -> MQTTSession? {
        own.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func configure(
        _ settings: SinkSettings,
        password: String?,
        will: RetainedMessage?
    ) throws(TransportFailure) {
        var results = [
            mosquitto_int_option(
                handle,
                MOSQ_OPT_PROTOCOL_VERSION,
                isFive ? Int32(MQTT_PROTOCOL_V5) : Int32(MQTT_PROTOCOL_V311)
            ),
            // The engine limits the window; MQTT 5 allows the broker to request a smaller one.
            mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, Int32(UInt16.max)),
        ]
        if settings.credentials.user != nil || password != nil {
            // MQTT 3.1.1 does not allow a password without a name.
            results.append(mosquitto_username_pw_set(handle, settings.credentials.user ?? "", password))
        }
        if let will {
            results.append(
                mosquitto_will_set(handle, will.topic, Int32(clamping: will.payload.count), will.payload, 1, true)
            )
        }
        if let encryption {
            results.append(mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
            results.append(
                mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(encryption.context))
            )
        }
        guard let failed = results.first(where: { $0 != MOSQ_ERR_SUCCESS.rawValue }) else { return }
        let reason = String(cString: mosquitto_strerror(failed))
        throw TransportFailure(code: "broker_protocol", detail: "libmosquitto refuses the settings: \(reason)")
    }

    // MARK: - The loop

    /// The socket; `nil` if there is none.
    var descriptor: Int32? {
        let descriptor = mosquitto_socket(handle)
        return descriptor >= 0 ? descriptor : nil
    }

    /// True while TLS is not established.
    var isShakingHands: Bool { connection.map { SSL_is_init_finished($0) == 0 } ?? false }

    /// True to wait until the socket is also writable.
    var wantsToWrite: Bool {
        // libmosquitto wants to write during the whole handshake, although a socket is nearly always writable.
        if let connection, SSL_is_init_finished(connection) == 0 { return SSL_want(connection) == SSL_WRITING }
        return mosquitto_want_write(handle)
    }

    private var connection: OpaquePointer? { mosquitto_ssl_get(handle).map { OpaquePointer($0) } }

    /// Starts to connect to an address that needs no name server.
    func connect(to address: String, port: UInt16, keepAlive: Int32) throws(CallFailure) {
        try check(mosquitto_connect_bind_async(handle, address, Int32(port), keepAlive, nil))
        // libmosquitto reads for as long as data arrives, up to 256 MB for one packet. With a small buffer, a broker
        // beyond a network is cut off after each pause; one on this machine may fill that packet.
        var bytes = Self.receiveBuffer
        if let descriptor {
            exposed = ExposedSocket(descriptor)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// The result of ``connect(to:port:keepAlive:)``: 0, or the number of the error; `nil` until it is known.
    var connectionResult: Int32? {
        guard let descriptor else { return ECONNABORTED }
        guard readiness & (POLLOUT | POLLERR | POLLHUP) != 0 else { return nil }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
        // Only an established connection can be reset.
        return error == ECONNRESET ? 0 : error
    }

    /// The events of poll(2) that the socket is ready for.
    var readiness: Int32 {
        var entry = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN | POLLOUT), revents: 0)
        return poll(&entry, 1, 0) > 0 ? Int32(entry.revents) : 0
    }

    /// Continues the TLS handshake.
    func shakeHands() throws(CallFailure) {
        // libmosquitto treats the end of the connection within the handshake as a reason to wait.
        var byte: UInt8 = 0
        let peeked = recv(descriptor ?? -1, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if peeked == 0 { throw CallFailure(code: MOSQ_ERR_CONN_LOST.rawValue, errno: 0) }
        if peeked < 0, errno != EAGAIN, errno != EINTR {
            throw CallFailure(code: MOSQ_ERR_CONN_LOST.rawValue, errno: errno)
        }
        try read()
    }

    /// Queries the kernel for ``bytes``, ``received`` and ``written``.
    func measure() {
        guard let descriptor, let count = ConnectionBytes(of: descriptor) else { return }
        (bytes, received, written) = (count.total, count.received, count.written)
    }

    /// Reads what has arrived, after continuing the handshake.
    func read() throws(CallFailure) { try check(mosquitto_loop_read(handle, 1)) }

    /// Writes buffered data.
    func write() throws(CallFailure) { try check(mosquitto_loop_write(handle, 1)) }

    /// Sends a keep-alive if it is due.
    func keepAlive() throws(CallFailure) { try check(mosquitto_loop_misc(handle)) }

    /// Returns the answers since the last call.
    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    // MARK: - Messages

    /// Sends an event, and returns the number of its packet, which the answer repeats.
    func publish(_ message: SinkMessage) throws(CallFailure) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if isFive {
            // The MQTT binding of CloudEvents, section 3.2: structured mode.
            try check(
                mosquitto_property_add_string(
                    &properties,
                    Int32(MQTT_PROP_CONTENT_TYPE.rawValue),
                    "application/cloudevents+json"
                )
            )
            let key = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
            try check(mosquitto_property_add_string_pair(&properties, key, "id", message.id))
        }
        return try publish(message.subject, message.payload, quality: 1, isRetained: false, properties)
    }

    /// Sends a retained message, and returns the number of its packet, which the answer repeats unless `quality` is 0.
    func publish(_ message: RetainedMessage, quality: Int32 = 1) throws(CallFailure) -> Int32 {
        try publish(message.topic, message.payload, quality: quality, isRetained: true, nil)
    }

    private func publish(
        _ topic: String,
        _ payload: [UInt8],
        quality: Int32,
        isRetained: Bool,
        _ properties: OpaquePointer?
    ) throws(CallFailure) -> Int32 {
        var packet: Int32 = 0
        let count = Int32(clamping: payload.count)
        // A zero byte would end the topic for a C library.
        guard !topic.utf8.contains(0) else { throw CallFailure(code: MOSQ_ERR_INVAL.rawValue, errno: 0) }
        try check(mosquitto_publish_v5(handle, &packet, topic, count, payload, quality, isRetained, properties))
        return packet
    }

    /// Ends the connection in order without waiting: data that does not fit the socket is lost, and the broker
    /// publishes the will anyway.
    ///
    /// - Parameter farewell: The message to publish instead of the will.
    func close(_ farewell: RetainedMessage?) {
        // A socket that is closed with unread data is reset, and the broker loses the last message.
        try? read()
        if isFive, farewell != nil {
            // Makes the broker publish the will, which is the farewell.
            _ = mosquitto_disconnect_v5(handle, Int32(MQTT_RC_DISCONNECT_WITH_WILL_MSG.rawValue), nil)
        } else {
            if let farewell { _ = try? publish(farewell, quality: 0) }
            _ = mosquitto_disconnect(handle)
        }
        if mosquitto_want_write(handle) { _ = mosquitto_loop_write(handle, 1) }
    }

    private func check(_ result: Int32) throws(CallFailure) {
        let number = errno
        // A negative result means that connecting is in progress.
        if result > 0 { throw CallFailure(code: result, errno: number) }
    }
}
