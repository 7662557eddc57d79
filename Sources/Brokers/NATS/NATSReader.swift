package import CNATS
package import Sinks

/// A connection of a program that reads stored events.
///
/// It blocks the thread that it belongs to.
package final class NATSReader {
    /// The interval of the messages that check if the server is still reachable, in milliseconds.
    private static let pingInterval: Int64 = 30_000

    /// The connection (`natsConnection *`).
    package let connection: OpaquePointer
    private let server: BrokerAddress.Server

    /// Connects to the first server that accepts the connection.
    ///
    /// - Parameter settings: The servers and the credentials, in the form of a sink's settings.
    /// - Throws: The failure of the last server.
    package init(_ settings: SinkSettings) throws(TransportFailure) {
        var failure = TransportFailure(code: "broker_unreachable", detail: "no server is named")
        for server in settings.broker.servers {
            switch try Self.open(settings, server) {
            case .success(let connection):
                self.connection = connection
                self.server = server
                return
            case .failure(let reason): failure = reason
            }
        }
        throw failure
    }

    deinit {
        natsConnection_Close(connection)
        natsConnection_Destroy(connection)
    }

    /// Returns the failure of an operation on the connection.
    ///
    /// - Parameters:
    ///   - status: The status of the library.
    ///   - code: The number of JetStream's error, or 0.
    ///   - operation: The operation as a verb with its object: `read events`.
    package func failure(_ status: natsStatus, code: UInt32 = 0, doing operation: String) -> TransportFailure {
        let words = NATSFailure.lastError(status)
        if natsConnection_IsClosed(connection) { return NATSFailure.ended(connection, with: server) }
        let detail = "\(server.authority) cannot \(operation): \(words)"
        return switch status {
        case NATS_NOT_FOUND, NATS_NO_RESPONDERS: TransportFailure(code: "broker_no_stream", detail: detail)
        case NATS_NOT_PERMITTED: TransportFailure(code: "broker_denied", detail: detail)
        case NATS_TIMEOUT, NATS_MISSED_HEARTBEAT:
            // A request without permission is not answered either, but the connection has its denial.
            switch denial {
            case let text?: TransportFailure(code: "broker_denied", detail: "\(server.authority): \(text)")
            case nil: TransportFailure(code: "broker_timeout", detail: "\(server.authority) did not answer in time")
            }
        default:
            TransportFailure(code: Self.missing.contains(code) ? "broker_no_stream" : "broker_protocol", detail: detail)
        }
    }

    /// JetStream's errors for a stream that does not exist: not found, no matching subject, not enabled.
    private static let missing: Set<UInt32> = [10_059, 10_060, 10_039, 10_076]

    /// The server's text of the last denial.
    private var denial: String? {
        var text: UnsafePointer<CChar>?
        guard natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED, let text else { return nil }
        return NATSFailure.shown(String(cString: text))
    }

    private static func open(
        _ settings: SinkSettings,
        _ server: BrokerAddress.Server
    ) throws(TransportFailure) -> Result<OpaquePointer, TransportFailure> {
        var status = NATS_OK
        // In the clear only if the server agrees.
        for isEncrypted in settings.broker.scheme.isEncrypted ? [true] : [false, true] {
            let options = try NATSOptions(
                settings,
                for: server,
                isEncrypted: isEncrypted,
                patience: NATSAttempt.unlimited
            )
            natsOptions_SetPingInterval(options.pointer, pingInterval)
            let attempt = NATSAttempt.connect(options, to: server)
            if let connection = attempt.connection { return .success(connection) }
            status = attempt.status
            // A server that requires TLS gets it, but is not trusted without authorities.
            if status != NATS_SSL_ERROR { break }
        }
        return .failure(NATSFailure.connecting(to: server, status, settings.credentials))
    }
}
