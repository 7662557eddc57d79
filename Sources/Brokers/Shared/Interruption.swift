internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Ends a blocking call of a thread in a library without a way to cancel it: the call returns with `EINTR`.
enum Interruption {
    /// A signal that has no effect unless it is expected.
    private static let signal = SIGURG

    private static let isPrepared: Void = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        // Without SA_RESTART, which would restart the call.
        action.sa_flags = 0
        sigaction(signal, &action, nil)
    }()

    /// Prepares the process.
    static func prepare() { isPrepared }

    /// Allows interruptions of the calling thread; threads started by a ``NamedThread`` block all signals.
    static func allow() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Interrupts a thread, which must not have ended.
    static func send(to thread: pthread_t) { pthread_kill(thread, signal) }
}

/// The sockets that a library is connecting without exposing them.
///
/// While waiting for the server's first message, libnats 3.4.1 ignores both its own timeout and signals, and notices
/// only the end of the socket. So all other sockets are recorded as an ``ExposedSocket``; another one to the same port
/// is being connected.
enum ConnectingSockets {
    /// The inode numbers of the exposed sockets.
    ///
    /// A descriptor's number would be that of another socket as soon as a library has closed it.
    fileprivate static let exposed = Mutex<Set<UInt64>>([])

    /// Returns true if there is an unknown connection to a port.
    static func contain(port: UInt16) -> Bool {
        var isFound = false
        forEach(to: port) { _ in isFound = true }
        return isFound
    }

    /// Shuts down the unknown connections to a port; another thread's attempt to connect there is repeated.
    static func shutDown(port: UInt16) { forEach(to: port) { _ = shutdown($0, Int32(SHUT_RDWR)) } }

    private static func forEach(to port: UInt16, _ body: (Int32) -> Void) {
        for name in DirectoryStream.readableNames(in: "/proc/self/fd") {
            guard let descriptor = Int32(String(decoding: name, as: UTF8.self)), peerPort(of: descriptor) == port,
                let inode = inode(of: descriptor)
            else { continue }
            exposed.withLock { if !$0.contains(inode) { body(descriptor) } }
        }
    }

    /// Returns the number of a socket, which all its descriptors have in common.
    fileprivate static func inode(of descriptor: Int32) -> UInt64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Returns the peer's port of an established TCP connection; `nil` for any other descriptor.
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

/// The record of a socket that can be ended by its owner, and is therefore spared by ``ConnectingSockets``.
final class ExposedSocket: Sendable {
    private let inode: UInt64?

    /// Records the socket of a descriptor.
    init(_ descriptor: Int32) {
        inode = ConnectingSockets.inode(of: descriptor)
        if let inode { _ = ConnectingSockets.exposed.withLock { $0.insert(inode) } }
    }

    deinit { if let inode { _ = ConnectingSockets.exposed.withLock { $0.remove(inode) } } }
}
