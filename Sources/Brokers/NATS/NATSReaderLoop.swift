internal import CNATS
internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// The thread that reads and writes for the connection of a ``NATSReader``, in place of the library's own thread.
///
/// The library's thread reads whatever a server sends, and has no limit for a message or a line. A server sends only
/// what was requested, so this one ends the connection when too many bytes have arrived without progress of the reader.
final class NATSReaderLoop: Sendable {
    /// The maximum number of bytes without progress.
    static let maximumBytes = 4 * NATSReader.maximumAnswerBytes

    private struct State {
        /// The library's descriptor; -1 before it has connected.
        var socket: Int32 = -1
        /// A duplicate descriptor of the same socket, which stays open when the library closes its own.
        var descriptor: Int32 = -1
        var wantsToWrite = false
        var isStopped = false
        var isFlooded = false
        /// The bytes that the server had sent at the last progress.
        var receivedBefore: UInt64 = 0
        var thread: NamedThread?
    }

    private let wakeup: Wakeup
    private let state = Mutex(State())

    init() throws(SystemError) { wakeup = try Wakeup() }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// `true` if the server has sent too much, and the connection was therefore ended.
    var isFlooded: Bool { state.withLock { $0.isFlooded } }

    /// Takes over the socket of the connection that is made with these options; the loop must outlive the connection.
    func attach(to options: NATSOptions) -> natsStatus {
        natsOptions_SetEventLoop(
            options.pointer,
            Unmanaged.passUnretained(self).toOpaque(),
            { place, loop, _, socket in
                place?.pointee = loop
                NATSReaderLoop.of(loop)?.state.withLock { $0.socket = socket }
                return NATS_OK
            },
            { _, _ in NATS_OK },
            { loop, wanted in
                // Called with the connection locked, and by each thread that uses it.
                guard let loop = NATSReaderLoop.of(loop) else { return NATS_OK }
                loop.state.withLock { $0.wantsToWrite = wanted }
                if wanted { loop.wakeup.signal() }
                return NATS_OK
            },
            { _ in NATS_OK }
        )
    }

    /// Starts the thread for a connection, which must not be destroyed before ``stop()`` has returned.
    func start(_ connection: OpaquePointer) throws(SystemError) {
        let descriptor = fcntl(state.withLock { $0.socket }, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        state.withLock { $0.descriptor = descriptor }
        let thread = try NamedThread("nats-reader") { [self] in run(connection, descriptor) }
        state.withLock { $0.thread = thread }
    }

    /// Ends the connection immediately, discards unsent data, and waits for the thread.
    func stop() {
        let (descriptor, thread) = state.withLock { state in
            state.isStopped = true
            defer { state.thread = nil }
            return (state.descriptor, state.thread)
        }
        // Also ends a read of the library that waits for the rest of a TLS record.
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
        wakeup.signal()
        thread?.join()
    }

    /// Records that the reader has received a message.
    func noteProgress() {
        state.withLock { state in
            state.receivedBefore = ConnectionBytes(of: state.descriptor)?.received ?? state.receivedBefore
        }
    }

    private func run(_ connection: OpaquePointer, _ descriptor: Int32) {
        defer { nats_ReleaseThreadMemory() }
        while !natsConnection_IsClosed(connection) {
            let (isStopped, wantsToWrite) = state.withLock { ($0.isStopped, $0.wantsToWrite) }
            guard !isStopped else { return }
            var entries = [
                pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(wantsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0),
            ]
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            if entries[0].revents != 0 { wakeup.reset() }
            let ready = Int32(entries[1].revents)
            if ready & POLLOUT != 0 { natsConnection_ProcessWriteEvent(connection) }
            guard ready & ~POLLOUT != 0 else { continue }
            natsConnection_ProcessReadEvent(connection)
            let received = ConnectionBytes(of: descriptor)?.received ?? 0
            let isFlooded = state.withLock { state in
                state.isFlooded = state.isFlooded || received > state.receivedBefore + UInt64(Self.maximumBytes)
                return state.isFlooded
            }
            // The library reads what the kernel still has, and then ends the calls that wait for the connection.
            if isFlooded { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private static func of(_ loop: UnsafeMutableRawPointer?) -> NATSReaderLoop? {
        loop.map { Unmanaged<NATSReaderLoop>.fromOpaque($0).takeUnretainedValue() }
    }
}
