internal import CMosquitto
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import Sinks

/// MQTT's failures, as codes and sentences.
struct MQTTFailure {
    /// The broker, for people.
    let broker: String
    /// The client's name in the connection.
    let client: String
    /// The version of the protocol.
    let version: MQTTSettings.Version

    /// A negative answer to a message.
    enum Refusal: Hashable {
        /// The broker rejects this message permanently.
        case message(TransportFailure)
        /// The broker has a problem of its own; the connection is to end.
        case connection(TransportFailure)
    }

    /// Returns the reason for a connection that the broker has rejected (CONNACK).
    func connection(_ code: Int32) -> TransportFailure {
        switch UInt32(bitPattern: code) {
        case 1, MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue:
            failure("broker_protocol", "does not speak MQTT \(version.rawValue)")
        case 2, MQTT_RC_CLIENTID_NOT_VALID.rawValue:
            failure("broker_denied", "refuses the client id '\(ForeignText.shown(client))'")
        case 3, MQTT_RC_SERVER_UNAVAILABLE.rawValue, MQTT_RC_SERVER_BUSY.rawValue,
            MQTT_RC_CONNECTION_RATE_EXCEEDED.rawValue, MQTT_RC_QUOTA_EXCEEDED.rawValue:
            failure("broker_unreachable", "takes no connection at the moment (\(Self.text(code)))")
        case 4, MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue:
            failure("broker_denied", "refuses the user name or the password")
        case 5, MQTT_RC_NOT_AUTHORIZED.rawValue, MQTT_RC_BANNED.rawValue:
            failure(
                "broker_denied",
                "does not let this client in: the user name, the password, or the client's certificate "
                    + "is wrong or missing"
            )
        case MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue: noRetain
        case MQTT_RC_QOS_NOT_SUPPORTED.rawValue: noAcknowledgement
        default: failure("broker_protocol", "refuses the connection (\(Self.text(code)))")
        }
    }

    /// Returns the reason for a message that the broker has rejected (PUBACK), or that cannot be sent.
    func refusal(_ reason: Int32, topic: String) -> Refusal {
        let topic = ForeignText.shown(topic)
        switch UInt32(bitPattern: reason) {
        case MQTT_RC_NOT_AUTHORIZED.rawValue:
            return .message(failure("broker_denied", "does not allow this client to publish to '\(topic)'"))
        case MQTT_RC_QUOTA_EXCEEDED.rawValue:
            return .message(failure("broker_full", "has no room for more messages (quota exceeded)"))
        case MQTT_RC_PACKET_TOO_LARGE.rawValue:
            return .message(tooLarge)
        case MQTT_RC_TOPIC_NAME_INVALID.rawValue, MQTT_RC_PAYLOAD_FORMAT_INVALID.rawValue:
            return .message(
                failure("broker_protocol", "does not take the event for '\(topic)' (\(Self.text(reason)))")
            )
        default:
            return .connection(failure("broker_protocol", "does not store an event (\(Self.text(reason)))"))
        }
    }

    /// Returns the reason that libmosquitto has not accepted a message; `nil` if the connection is lost.
    func refusal(_ error: MQTTSession.CallFailure, topic: String) -> Refusal? {
        switch error.code {
        case MOSQ_ERR_OVERSIZE_PACKET.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue:
            .message(tooLarge)
        case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue:
            .message(
                TransportFailure(
                    code: "broker_protocol",
                    detail: "'\(ForeignText.shown(topic))' cannot be a topic of MQTT"
                )
            )
        case MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue:
            .connection(noRetain)
        case MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue:
            .connection(noAcknowledgement)
        default: nil
        }
    }

    /// Returns the reason that the broker does not take a retained message.
    func unretained(_ topic: String, _ refusal: Refusal) -> TransportFailure {
        let code =
            switch refusal {
            case .message(let failure), .connection(let failure): failure.code
            }
        return failure(
            code,
            "does not take the retained message '\(ForeignText.shown(topic))', but events: "
                + "allow it, or set 'keep_state = false'"
        )
    }

    /// Returns the reason that the broker gives for ending the connection (DISCONNECT of MQTT 5).
    func end(_ reason: Int32) -> TransportFailure {
        switch UInt32(bitPattern: reason) {
        case MQTT_RC_SESSION_TAKEN_OVER.rawValue:
            failure(
                "broker_conflict",
                "gave the connection to another client with the id '\(ForeignText.shown(client))': "
                    + "does another machine have the same 'device'?"
            )
        case MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue: noRetain
        case MQTT_RC_PACKET_TOO_LARGE.rawValue:
            failure("broker_too_large", "closed the connection: an event was too large")
        case MQTT_RC_QUOTA_EXCEEDED.rawValue: failure("broker_full", "closed the connection (quota exceeded)")
        case MQTT_RC_NOT_AUTHORIZED.rawValue, MQTT_RC_BANNED.rawValue, MQTT_RC_ADMINISTRATIVE_ACTION.rawValue:
            failure("broker_denied", "closed the connection (\(Self.text(reason)))")
        case MQTT_RC_SERVER_SHUTTING_DOWN.rawValue, MQTT_RC_SERVER_BUSY.rawValue:
            failure("broker_unreachable", "closed the connection (\(Self.text(reason)))")
        case MQTT_RC_KEEP_ALIVE_TIMEOUT.rawValue:
            failure("broker_timeout", "closed the connection: it had heard nothing for too long")
        default: failure("broker_protocol", "closed the connection (\(Self.text(reason)))")
        }
    }

    /// Returns the reason for a connection that has failed in a call of libmosquitto.
    ///
    /// - Parameter isGreeted: True after the broker's answer to the connection.
    func loss(of session: MQTTSession, _ error: MQTTSession.CallFailure, isGreeted: Bool) -> TransportFailure {
        if let refusal = session.encryption?.refusal { return refusal }
        // The broker's reason may be lost: it closes the connection while this end is still writing.
        if !isGreeted, session.encryption?.lacksCertificate == true {
            return failure("broker_tls", "asks for a client's certificate, and none is configured")
        }
        if let alert = session.encryption?.alert {
            return failure("broker_tls", "ended the TLS connection: \(ForeignText.shown(alert))")
        }
        return call(error, isGreeted: isGreeted, logged: session.loggedError)
    }

    private func call(
        _ error: MQTTSession.CallFailure,
        isGreeted: Bool,
        logged: String? = nil
    ) -> TransportFailure {
        switch error.code {
        case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue: return closed(isGreeted: isGreeted)
        case MOSQ_ERR_KEEPALIVE.rawValue: return failure("broker_timeout", "no longer answers")
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue: return handshake(logged, isGreeted: isGreeted)
        case MOSQ_ERR_ERRNO.rawValue where error.errno == EPROTO: return handshake(logged, isGreeted: isGreeted)
        case MOSQ_ERR_ERRNO.rawValue where error.errno != 0:
            guard isGreeted, [EPIPE, ECONNRESET].contains(error.errno) else { return unreachable(error.errno) }
            return closed(isGreeted: true)
        case MOSQ_ERR_ERRNO.rawValue: return closed(isGreeted: isGreeted)
        case MOSQ_ERR_NOMEM.rawValue:
            return TransportFailure(code: "broker_protocol", detail: "no memory is left for libmosquitto")
        default:
            return failure(
                "broker_protocol",
                "breaks the rules of MQTT (\(String(cString: mosquitto_strerror(error.code))))"
            )
        }
    }

    /// Returns the reason for a connection that was not established.
    func unreachable(_ errno: Int32) -> TransportFailure {
        TransportFailure(
            code: "broker_unreachable",
            detail: "\(broker) cannot be reached: \(SystemError(errno: errno))"
        )
    }

    /// Returns the reason for a connection that the broker has closed without giving one.
    func closed(isGreeted: Bool) -> TransportFailure {
        isGreeted
            ? failure("broker_unreachable", "closed the connection")
            : failure("broker_protocol", "closed the connection before it answered")
    }

    /// Returns the reason for a connection that the broker has closed while messages waited for their acknowledgement.
    ///
    /// The largest one is no more than a hint: a broker of 3.1.1 also closes for a permission, or because it ends.
    func closed(unanswered count: Int, largest: String, topic: String, bytes: Int) -> TransportFailure {
        failure(
            "broker_unreachable",
            "closed the connection with \(count) unacknowledged, the largest \(largest) to '\(ForeignText.shown(topic))' "
                + "(\(bytes) bytes); MQTT 3.1.1 has no reasons: if this repeats, compare its maximum packet size "
                + "('max_packet_size') and permissions, or set 'mqtt_version = \"5\"'"
        )
    }

    /// Returns the reason for a failed TLS connection.
    private func handshake(_ logged: String?, isGreeted: Bool) -> TransportFailure {
        // "OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number"
        guard let reason = logged?.split(separator: ":").last else { return closed(isGreeted: isGreeted) }
        return TransportFailure(
            code: "broker_tls",
            detail: "the TLS connection with \(broker) failed: \(ForeignText.shown(String(reason)))"
        )
    }

    /// The failure of an event that exceeds the broker's maximum size.
    var tooLarge: TransportFailure { failure("broker_too_large", "does not take an event of this size") }

    /// The failure of a broker without retained messages.
    var noRetain: TransportFailure {
        failure("broker_no_retain", "retains no messages, and gets events alone: set 'keep_state = false'")
    }

    /// The failure of a broker without QoS 1.
    private var noAcknowledgement: TransportFailure {
        failure("broker_protocol", "acknowledges no message: it offers QoS 0 alone")
    }

    /// Creates a failure whose sentence starts with the broker.
    func failure(_ code: String, _ predicate: String) -> TransportFailure {
        TransportFailure(code: code, detail: "\(broker) \(predicate)")
    }

    private static func text(_ reason: Int32) -> String {
        String(cString: reason < 0x80 ? mosquitto_connack_string(reason) : mosquitto_reason_string(reason)).lowercased()
            .trimmingFullStop
    }
}

extension String {
    fileprivate var trimmingFullStop: String { last == "." ? String(dropLast()) : self }
}
