internal import Glibc

/// The clients in the queues of the sockets that the service manager passed to this process (sd_listen_fds(3)).
///
/// systemd starts a service again at once while one of its sockets can be read, even after an exit status that prevents a
/// restart: a process that ends with such a status discards them first, so that they see the end of their connections.
public struct QueuedClients: Sendable {
    /// The maximum number of connections or datagrams that are discarded of each socket.
    ///
    /// Twice the default of `net.core.somaxconn`: a client that connects in a loop does not hold up the exit.
    private static let maximumCount = 8192

    private let descriptors: [CInt]

    /// Finds the passed sockets, if any, and duplicates them: their next owner may close them.
    ///
    /// To be called before ``ActivatedSockets/take()``, which removes the variables from the environment.
    public init() { self.init(of: ActivatedSockets.handedOver().map(\.descriptor)) }

    /// Duplicates the descriptors; those that are not open are ignored.
    init(of descriptors: [CInt]) {
        self.descriptors = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, $0) }.filter { $0 >= 0 }
    }

    /// Closes the queued connections, and discards datagrams.
    ///
    /// Does not block. The sockets are non-blocking after that, also for the service manager, which sets this anew for
    /// the next process.
    public func discard() {
        for descriptor in descriptors { Self.discard(descriptor) }
    }

    private static func discard(_ descriptor: CInt) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return }
        let isListening = ActivatedSockets.option(SO_ACCEPTCONN, of: descriptor) == 1
        var byte: UInt8 = 0
        for _ in 0..<maximumCount {
            let result = isListening ? Int(accept(descriptor, nil, nil)) : read(descriptor, &byte, 1)
            if result < 0, errno != EINTR, errno != ECONNABORTED { return }
            if result >= 0, isListening { close(CInt(result)) }
        }
    }
}
