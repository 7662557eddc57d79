internal import CNATS
internal import Sinks

/// Converts the failures of libnats to those of a transport.
enum NATSFailure {
    /// Returns the failure of an attempt to connect.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - status: The status of the library.
    ///   - credentials: The credentials of the attempt.
    ///   - secrets: The secrets among them.
    static func connecting(
        to server: BrokerAddress.Server,
        _ status: natsStatus,
        _ credentials: SinkSettings.Credentials,
        _ secrets: BrokerSecrets
    ) -> TransportFailure {
        let reason = lastError(status, secrets)
        return switch status {
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            TransportFailure(code: "broker_denied", detail: "\(server.authority) refuses the credentials: \(reason)")
        case NATS_SSL_ERROR:
            TransportFailure(code: "broker_tls", detail: "no TLS connection with \(server.authority): \(reason)")
        case NATS_SECURE_CONNECTION_WANTED:
            TransportFailure(code: "broker_tls", detail: "\(server.authority) offers no TLS")
        // The library reads a file with a JWT or a seed while connecting, and has one status for errors in it and in
        // the server's JSON.
        case NATS_ERR where credentials.hasKeys && reason.firstRange(of: "JSON") == nil,
            NATS_ILLEGAL_STATE, NATS_INVALID_ARG:
            TransportFailure(code: "credentials_unreadable", detail: "libnats cannot use the credentials: \(reason)")
        case NATS_PROTOCOL_ERROR, NATS_LINE_TOO_LONG, NATS_ERR:
            TransportFailure(code: "broker_protocol", detail: "\(server.authority) does not speak NATS: \(reason)")
        case NATS_TIMEOUT: silent(server)
        default:
            TransportFailure(code: "broker_unreachable", detail: "\(server.authority) cannot be reached: \(reason)")
        }
    }

    /// Returns the failure of an attempt that timed out.
    static func silent(_ server: BrokerAddress.Server) -> TransportFailure {
        TransportFailure(code: "broker_timeout", detail: "\(server.authority) does not answer")
    }

    /// Returns the failure of an established connection.
    static func ended(
        _ connection: OpaquePointer,
        with server: BrokerAddress.Server,
        _ secrets: BrokerSecrets
    ) -> TransportFailure {
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        let reason = text.map { secrets.shown(String(cString: $0)) } ?? ""
        switch status {
        case NATS_OK, NATS_CONNECTION_CLOSED, NATS_IO_ERROR, NATS_NOT_PERMITTED:
            return TransportFailure(code: "broker_unreachable", detail: "\(server.authority) has closed the connection")
        case NATS_CONNECTION_AUTH_FAILED:
            return TransportFailure(
                code: "broker_denied",
                detail: "\(server.authority) has closed the connection: \(reason)"
            )
        default:
            // "User Authentication Revoked", "Account Authentication Expired" and similar errors have no status of
            // their own.
            let isDenied = reason.lowercased().firstRange(of: "authenti") != nil
            return TransportFailure(
                code: isDenied ? "broker_denied" : "broker_unreachable",
                detail: "\(server.authority) has closed the connection: \(reason)"
            )
        }
    }

    /// Returns the library's text of the last failure on this thread, without the position in its source.
    ///
    /// The text of a server's error is a part of it.
    static func lastError(_ status: natsStatus, _ secrets: BrokerSecrets) -> String {
        let text = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
        let name = natsStatus_GetText(status).map { String(cString: $0) } ?? "error \(status.rawValue)"
        guard let end = text.firstRange(of: "): ")?.upperBound else {
            return secrets.shown(text.isEmpty ? name : text)
        }
        return secrets.shown(String(text[end...]))
    }
}
