internal import Glibc
internal import Synchronization

/// Ends a blocking call of a thread, where a library offers no way to give up: the call returns with `EINTR`.
enum Interruption {
    /// A signal that has no effect unless it is expected.
    private static let signal = SIGURG

    private static let isPrepared: Void = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        // Without SA_RESTART, which is the point.
        action.sa_flags = 0
        sigaction(signal, &action, nil)
    }()

    /// Prepares the process.
    static func prepare() { isPrepared }

    /// Lets the calling thread be interrupted; those that are started from a ``NamedThread`` hold all signals back.
    static func allow() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Interrupts a thread, which must not have ended.
    static func send(to thread: pthread_t) { pthread_kill(thread, signal) }
}

/// The sockets that a library connects without saying which ones they are.
///
/// While it waits for the server's first words, libnats 3.4.1 heeds neither its own limit nor a signal, only the end of the socket. So
/// the sockets that are known, because their connections are made, are noted here; another one to the same port is being connected.
enum ConnectingSockets {
    private static let known = Mutex<Set<Int32>>([])

    /// Notes descriptors of a connection that is made.
    static func add(_ descriptors: [Int32]) { known.withLock { $0.formUnion(descriptors) } }

    /// Forgets descriptors, before they are closed or after.
    static func remove(_ descriptors: [Int32]) { known.withLock { $0.subtract(descriptors) } }

    /// Ends the connections to a port that are not known; another thread's attempt to connect there is repeated.
    static func shutDown(port: UInt16) {
        guard let folder = opendir("/proc/self/fd") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let descriptor = Int32(name), peerPort(of: descriptor) == port else { continue }
            known.withLock { if !$0.contains(descriptor) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
        }
    }

    /// The port of the other end of a TCP connection; `nil` for anything else.
    private static func peerPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { storage in
            let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
            guard result == 0 else { return nil }
            switch Int32(storage.pointee.ss_family) {
            case AF_INET:
                return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            case AF_INET6:
                return storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin6_port)
                }
            default: return nil
            }
        }
    }
}
