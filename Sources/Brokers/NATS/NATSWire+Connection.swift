internal import CNATS
internal import Glibc
internal import LinuxSupport
internal import Sinks

// The thread of a connection.
extension NATSWire {
    /// Connects, and serves the connection until its end.
    static func run(_ wire: NATSWire) {
        OpenSSL.prepare()
        // Before interruptions are allowed, so that the library's own threads inherit all signals blocked.
        nats_Open(0)
        Interruption.allow()
        defer { nats_ReleaseThreadMemory() }
        switch wire.connect() {
        case .success(let link):
            let end = link.serve(wire)
            link.close()
            if let end { _ = wire.add(.closed(end)) }
        case .failure(let failure): _ = wire.add(.closed(failure))
        }
    }

    /// Tries the servers in random order, so that a fleet is distributed over a cluster.
    private func connect() -> Result<NATSLink, TransportFailure> {
        var worst: TransportFailure?
        for server in settings.broker.servers.shuffled() {
            guard !isStopped else { break }
            do throws(TransportFailure) {
                return .success(try connect(to: server))
            } catch {
                // An unreachable server is less informative than another one that rejects the credentials.
                if worst == nil || worst?.code == "broker_unreachable" { worst = error }
            }
        }
        return .failure(worst ?? TransportFailure(code: "broker_unreachable", detail: "no server was tried"))
    }

    private func connect(to server: BrokerAddress.Server) throws(TransportFailure) -> NATSLink {
        let isEncrypted = settings.broker.scheme.isEncrypted
        beginAttempt(port: server.port)
        let link = NATSLink(server)
        var status = try link.connect(NATSOptions(settings, for: server, isEncrypted: isEncrypted))
        if status == NATS_SSL_ERROR, !isEncrypted, settings.authorities == nil, !isStopped {
            // The server requires TLS. The system's authorities are read only in this case, because they take a
            // megabyte.
            _ = endAttempt(bytes: NATSLink.attemptBytes)
            beginAttempt(port: server.port)
            status = try link.connect(NATSOptions(settings, for: server, isEncrypted: true))
        }
        guard status == NATS_OK, link.socket >= 0 else {
            let failure = NATSFailure.connecting(to: server, status, settings.credentials, link.secrets)
            let bytes = failure.code == "broker_unreachable" ? 512 : NATSLink.attemptBytes
            throw endAttempt(bytes: bytes) ? NATSFailure.silent(server) : failure
        }
        link.take(setSocket(link.socket))
        return link
    }
}

/// An attempt to connect on the calling thread, which another thread ends on a timeout: see ``NATSWire``.
enum NATSAttempt {
    /// Connects.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - server: The server.
    ///   - patience: The timeout of each address.
    /// - Returns: The status, and the connection if the status is `NATS_OK`; `NATS_TIMEOUT` after a timeout.
    static func connect(
        _ options: NATSOptions,
        to server: BrokerAddress.Server,
        within patience: Duration = .seconds(20)
    ) -> (status: natsStatus, connection: OpaquePointer?) {
        Interruption.prepare()
        Interruption.allow()
        let caller = pthread_self()
        let start = ContinuousClock.now
        guard let end = try? Wakeup(),
            let watch = try? NamedThread(
                "nats-watch",
                {
                    var timer = NATSAttemptTimer(at: start)
                    var deadline = start + patience
                    while end.sleep(deadline: deadline) == .deadline {
                        let isConnected = ConnectingSockets.contain(port: server.port)
                        Interruption.send(to: caller)
                        let ends = timer.interrupt(at: .now, isConnected: isConnected)
                        if ends { ConnectingSockets.shutDown(port: server.port) }
                        deadline = max(timer.start + patience, .now + .milliseconds(500))
                    }
                }
            )
        else { return (NATS_SYS_ERROR, nil) }
        var connection: OpaquePointer?
        let status = options.connect { natsConnection_Connect(&connection, options.pointer) }
        let isLate = start.duration(to: .now) >= patience
        end.signal()
        watch.join()
        return status != NATS_OK && isLate ? (NATS_TIMEOUT, nil) : (status, connection)
    }
}
