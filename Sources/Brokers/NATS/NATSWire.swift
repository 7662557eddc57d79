internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import Synchronization

/// One connection to a NATS server, on a thread of its own.
///
/// libnats blocks: in the name lookup, in the TLS handshake, and while the rest of a TLS record is in transit. Its own
/// timeout does not apply to the handshake, and after it has expired, 3.4.1 polls the socket for the first PONG in a
/// busy loop. So no timeout is set; its calls and sockets are ended instead, and everything happens here, where it
/// blocks no other thread.
///
/// The library's own threads for reading and writing are not started (its interface for event loops): only this thread
/// uses the connection, and it sleeps in poll(2) while nothing happens.
final class NATSWire: Sendable {
    /// The maximum number of pending inputs, and of their bytes, which exceeds the replies to a full window.
    static let maximumInputs = 4096
    static let maximumInputBytes = 16 << 20

    struct State {
        var inputs: [NATSInput] = []
        var inputBytes = 0
        var requests: [NATSRequest] = []
        var isStopped = false
        var hasEnded = false
        /// The thread while it may be interrupted.
        var thread: pthread_t?
        /// The current attempt to connect; `nil` before the first and after the last one.
        var attempt: NATSAttemptTimer?
        /// The server's port.
        var port: UInt16 = 0
        /// The bytes of failed attempts.
        var lostBytes: UInt64 = 0
        /// A duplicate descriptor of the socket, which stays open when the library closes its own.
        var descriptor: Int32 = -1
        var exposed: ExposedSocket?
    }

    let settings: SinkSettings
    let inbox: String
    private let wakeup: Wakeup
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - inbox: The prefix of the reply subjects.
    ///   - wake: Called from the thread when ``takeInputs()`` has something new.
    /// - Throws: ``SystemError`` if no thread or descriptor is left.
    init(
        _ settings: SinkSettings,
        inbox: String,
        wake: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.settings = settings
        self.inbox = inbox
        self.wake = wake
        wakeup = try Wakeup()
        Interruption.prepare()
        try NamedThread.start("sink-nats") { [self] in
            state.withLock { $0.thread = pthread_self() }
            Self.run(self)
            state.withLock {
                $0.thread = nil
                $0.attempt = nil
                $0.hasEnded = true
            }
            wake()
        }
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0 else { return }
        close(descriptor)
    }

    // MARK: - For the sink's thread

    /// Returns the inputs since the last call.
    func takeInputs() -> [NATSInput] {
        state.withLock { state in
            defer { (state.inputs, state.inputBytes) = ([], 0) }
            return state.inputs
        }
    }

    /// Sends messages as soon as the socket accepts them.
    func send(_ requests: [NATSRequest]) {
        guard !requests.isEmpty else { return }
        state.withLock { $0.requests += requests }
        wakeup.signal()
    }

    /// Stops the connection; no inputs follow.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeup.signal()
        interrupt(longerThan: .zero)
    }

    /// True if the thread has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The bytes on the link.
    var bytes: UInt64 {
        state.withLock { state in
            state.lostBytes + (state.descriptor >= 0 ? ConnectionBytes(of: state.descriptor)?.total ?? 0 : 0)
        }
    }

    /// Interrupts the thread's wait: an attempt to connect to an address that has taken longer than the limit, or
    /// anything after a stop.
    ///
    /// An interruption may come slightly too early, so this is to be called until ``hasEnded`` or the next attempt.
    func interrupt(longerThan limit: Duration) {
        state.withLock { state in
            if state.isStopped, state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
            guard let thread = state.thread, var attempt = state.attempt, attempt.start.duration(to: .now) >= limit
            else { return }
            let isConnected = ConnectingSockets.contain(port: state.port)
            Interruption.send(to: thread)
            if attempt.interrupt(at: .now, isConnected: isConnected) { ConnectingSockets.shutDown(port: state.port) }
            state.attempt = attempt
        }
    }

    // MARK: - For the connection's thread

    /// True if the connection is to end.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The descriptor that is readable if ``takeRequests()`` or ``isStopped`` has something new.
    var wakeupDescriptor: Int32 { wakeup.descriptor }

    /// Records the start of an attempt to connect.
    func beginAttempt(port: UInt16) {
        state.withLock { ($0.attempt, $0.port) = (NATSAttemptTimer(at: .now), port) }
    }

    /// Records the end of a failed attempt, and its bytes; returns true if it was interrupted.
    func endAttempt(bytes: UInt64) -> Bool {
        state.withLock { state in
            defer { state.attempt = nil }
            state.lostBytes += bytes
            return state.attempt?.wasInterrupted == true
        }
    }

    /// Records the socket of the successful attempt.
    func setSocket(_ socket: Int32) -> Int32 {
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 3)
        let exposed = ExposedSocket(socket)
        keepAlive(descriptor)
        state.withLock {
            $0.attempt = nil
            ($0.descriptor, $0.exposed) = (descriptor, exposed)
        }
        return descriptor
    }

    /// Returns the messages to send.
    func takeRequests() -> [NATSRequest] {
        wakeup.reset()
        return state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// Adds an input; returns false if too many are pending.
    func add(_ input: NATSInput) -> Bool {
        let fits = state.withLock { state in
            var bytes = 64
            if case .message(let message) = input { bytes += message.payload.count }
            // The end is always accepted.
            if case .closed = input {
            } else {
                guard state.inputs.count < Self.maximumInputs, state.inputBytes + bytes <= Self.maximumInputBytes else {
                    return false
                }
            }
            state.inputs.append(input)
            state.inputBytes += bytes
            return true
        }
        wake()
        return fits
    }

    /// Enables the kernel's keep-alive, which finds a dead connection: the kernel answers itself, and no thread wakes
    /// up on a healthy connection.
    private func keepAlive(_ descriptor: Int32) {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 600)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 30)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000)
    }
}
