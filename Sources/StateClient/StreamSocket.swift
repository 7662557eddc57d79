internal import Glibc
internal import LinuxSupport

/// A connection to a Unix stream socket, used by one thread that may sleep.
///
/// The descriptor is non-blocking; all waits happen in `Wakeup`, so that every operation can be interrupted.
struct StreamSocket: ~Copyable {
    /// The maximum number of bytes of a path (`sun_path` without the terminating NUL, unix(7)).
    static let longestPath = 107
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    /// The descriptor of the socket.
    let descriptor: Int32
    private let path: String
    private let wakeup: Wakeup

    /// Connects.
    ///
    /// - Throws: ``StateClientError``; ``StateClientError/cancelled`` if the wait was interrupted.
    init(
        connectingTo location: SocketLocation,
        wakeup: Wakeup,
        deadline: ContinuousClock.Instant?
    ) throws(StateClientError) {
        path = location.path
        self.wakeup = wakeup
        guard (1...Self.longestPath).contains(path.utf8.count), !path.utf8.contains(0) else {
            let operation = "connect to '\(path)', as a socket's path has 1 to \(Self.longestPath) bytes"
            throw .system(operation: operation, errno: path.isEmpty ? EINVAL : ENAMETOOLONG)
        }
        let descriptor = socket(AF_UNIX, Self.kind, 0)
        guard descriptor >= 0 else { throw .system(operation: "make a socket", errno: errno) }
        do throws(StateClientError) {
            try Self.connect(descriptor, path, wakeup, deadline)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Returns `true` if a socket exists on which no process listens.
    static func isRefused(at path: String) -> Bool {
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard (1...longestPath).contains(path.utf8.count) else { return false }
        return connect(descriptor, path) != 0 && errno == ECONNREFUSED
    }

    /// Connects as connect(2) does, to a path that has at most ``longestPath`` bytes.
    private static func connect(_ descriptor: Int32, _ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func connect(
        _ descriptor: Int32,
        _ path: String,
        _ wakeup: Wakeup,
        _ deadline: ContinuousClock.Instant?
    ) throws(StateClientError) {
        while true {
            if connect(descriptor, path) == 0 {
                _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
                return
            }
            switch errno {
            case EINTR: continue
            case EISCONN: return
            case EAGAIN:
                // The kernel's queue of connections that wait to be accepted is full.
                switch wakeup.sleep(deadline: .now) {
                case .woken: throw .cancelled
                case .ready, .deadline: break
                }
                if let deadline, deadline <= .now { throw .timedOut(socket: path) }
                waitInTurn(descriptor)
            case ENOENT, ECONNREFUSED, ENOTDIR: throw .noAgent(socket: path, errno: errno)
            case EACCES, EPERM: throw .notPermitted(socket: path, errno: errno)
            default: throw .system(operation: "connect to \(path)", errno: errno)
            }
        }
    }

    /// Lets the next attempt to connect wait in the kernel for a moment.
    ///
    /// The kernel serves waiting clients in the order of their arrival: among them, a client that only retries never
    /// connects.
    private static func waitInTurn(_ descriptor: Int32) {
        var time = timeval(tv_sec: 0, tv_usec: 100_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Sends all bytes.
    func send(_ bytes: [UInt8], deadline: ContinuousClock.Instant?) throws(StateClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN: try wait(for: POLLOUT, deadline)
            // Data that the agent sent before it closed the connection can still be read, and explains more than this
            // error.
            case EPIPE, ECONNRESET: return
            default: throw .system(operation: "send to \(path)", errno: errno)
            }
        }
    }

    /// Receives available bytes; returns an empty result if the agent has closed the connection.
    ///
    /// - Parameter canWait: `true` to wait for data; otherwise the result is `nil` if none is available.
    func receive(
        into buffer: inout [UInt8],
        canWait: Bool,
        deadline: ContinuousClock.Instant?
    ) throws(StateClientError) -> Int? {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return count }
            switch errno {
            case EINTR: break
            case EAGAIN:
                guard canWait else { return nil }
                try wait(for: POLLIN, deadline)
            case ECONNRESET: return 0
            default: throw .system(operation: "receive from \(path)", errno: errno)
            }
        }
    }

    private func wait(for events: Int32, _ deadline: ContinuousClock.Instant?) throws(StateClientError) {
        switch wakeup.sleep(untilReady: descriptor, for: events, deadline: deadline) {
        case .ready: return
        case .woken: throw .cancelled
        case .deadline: throw .timedOut(socket: path)
        }
    }
}
