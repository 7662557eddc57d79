internal import CNATS
internal import Glibc
internal import LinuxSupport
internal import Sinks

/// An attempt to connect on the calling thread, which another one ends when it takes too long: see ``NATSWire``.
enum NATSAttempt {
    /// A limit that the library never comes to.
    static let unlimited = Duration.seconds(3600)

    /// Connects.
    ///
    /// - Parameters:
    ///   - options: The options, made with ``unlimited`` patience.
    ///   - server: The server.
    ///   - patience: The time that the attempt may take.
    /// - Returns: The status, and the connection where that is `NATS_OK`; `NATS_TIMEOUT` when it took too long.
    static func connect(
        _ options: NATSOptions,
        to server: BrokerAddress.Server,
        within patience: Duration = NATSOptions.patience
    ) -> (status: natsStatus, connection: OpaquePointer?) {
        Interruption.prepare()
        Interruption.allow()
        let caller = pthread_self()
        let start = ContinuousClock.now
        guard let end = try? Wakeup(),
            let watch = try? NamedThread(
                "nats-watch",
                {
                    var deadline = start + patience
                    while end.sleep(deadline: deadline) == .deadline {
                        Interruption.send(to: caller)
                        if deadline > start + patience { ConnectingSockets.shutDown(port: server.port) }
                        deadline += .milliseconds(500)
                    }
                }
            )
        else { return (NATS_SYS_ERROR, nil) }
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options.pointer)
        let isLate = start.duration(to: .now) >= patience
        end.signal()
        watch.join()
        return status != NATS_OK && isLate ? (NATS_TIMEOUT, nil) : (status, connection)
    }
}
