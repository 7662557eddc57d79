package import CNATS
internal import Glibc
internal import LinuxSupport
package import Sinks

/// A connection of a program that reads stored events.
///
/// It blocks the thread that it belongs to.
package final class NATSReader {
    /// The interval of the messages that check if the server is still reachable, in milliseconds.
    private static let pingInterval: Int64 = 30_000

    /// The maximum number of bytes to request at once: the largest message of a server with the recommended settings.
    ///
    /// Four times as many may wait, or arrive without a complete message: an answer may be late.
    package static let maximumAnswerBytes = 8 << 20

    /// The connection (`natsConnection *`).
    package let connection: OpaquePointer
    private let server: BrokerAddress.Server
    private let loop: NATSReaderLoop
    /// The secrets that the server has learned.
    private let secrets: BrokerSecrets

    /// Connects to the first server that accepts the connection.
    ///
    /// - Parameter settings: The servers and the credentials, in the form of a sink's settings.
    /// - Throws: The failure of the last server.
    package init(_ settings: SinkSettings) throws(TransportFailure) {
        var failure = TransportFailure(code: "broker_unreachable", detail: "no server is named")
        for server in settings.broker.servers {
            switch try Self.open(settings, server) {
            case .success(let (connection, loop, secrets)):
                self.connection = connection
                self.server = server
                self.loop = loop
                self.secrets = secrets
                return
            case .failure(let reason): failure = reason
            }
        }
        throw failure
    }

    deinit {
        stop()
        natsConnection_Destroy(connection)
    }

    /// Ends the connection immediately, and returns when its thread has ended.
    ///
    /// A subscription may be destroyed only after that: libnats 3.4.1 uses it while it reads messages for it.
    package func stop() {
        loop.stop()
        natsConnection_Close(connection)
    }

    /// Records that a message was received: a server that sends too much without one is cut off.
    package func noteProgress() { loop.noteProgress() }

    /// The failure of a server that sends too much.
    package var flood: TransportFailure {
        TransportFailure(
            code: "broker_protocol",
            detail: "\(server.authority) has sent more than was requested: the connection was ended"
        )
    }

    /// Returns the failure of an operation on the connection.
    ///
    /// - Parameters:
    ///   - status: The status of the library.
    ///   - code: The number of JetStream's error, or 0.
    ///   - operation: The operation as a verb with its object: `read events`.
    package func failure(_ status: natsStatus, code: UInt32 = 0, doing operation: String) -> TransportFailure {
        if loop.isFlooded { return flood }
        let words = NATSFailure.lastError(status, secrets)
        if natsConnection_IsClosed(connection) { return NATSFailure.ended(connection, with: server, secrets) }
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
        return secrets.shown(String(cString: text))
    }

    private static func open(
        _ settings: SinkSettings,
        _ server: BrokerAddress.Server
    ) throws(TransportFailure) -> Result<(OpaquePointer, NATSReaderLoop, BrokerSecrets), TransportFailure> {
        var (status, secrets) = (NATS_OK, BrokerSecrets())
        // In the clear only if the server agrees.
        for isEncrypted in settings.broker.scheme.isEncrypted ? [true] : [false, true] {
            let options = try NATSOptions(settings, for: server, isEncrypted: isEncrypted)
            secrets = options.secrets
            natsOptions_SetPingInterval(options.pointer, pingInterval)
            let loop = try Self.loop(for: options)
            let attempt = NATSAttempt.connect(options, to: server)
            if let connection = attempt.connection {
                try start(loop, connection)
                return .success((connection, loop, secrets))
            }
            status = attempt.status
            // A server that requires TLS gets it, but is not trusted without authorities.
            if status != NATS_SSL_ERROR { break }
        }
        let reason = status == NATS_NO_SERVER ? UnreachableServer.failure(of: server) : nil
        return .failure(reason ?? NATSFailure.connecting(to: server, status, settings.credentials, secrets))
    }

    private static func loop(for options: NATSOptions) throws(TransportFailure) -> NATSReaderLoop {
        do throws(SystemError) {
            let loop = try NATSReaderLoop()
            guard loop.attach(to: options) == NATS_OK else { throw SystemError(errno: ENOMEM) }
            return loop
        } catch {
            throw noThread(error)
        }
    }

    private static func start(_ loop: NATSReaderLoop, _ connection: OpaquePointer) throws(TransportFailure) {
        do throws(SystemError) {
            try loop.start(connection)
        } catch {
            natsConnection_Destroy(connection)
            throw noThread(error)
        }
    }

    private static func noThread(_ error: SystemError) -> TransportFailure {
        TransportFailure(code: "broker_unreachable", detail: "no thread could be started for the connection: \(error)")
    }
}
