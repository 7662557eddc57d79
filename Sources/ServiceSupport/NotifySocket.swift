internal import Glibc
internal import LinuxSupport

/// The notification socket of the service manager (sd_notify(3), `NOTIFY_SOCKET`).
///
/// A failure to send does not affect the service. Sending waits at most a second if the manager does not read.
package final class NotifySocket: Sendable {
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)

    private let descriptor: CInt

    /// Returns the socket that an environment names; `nil` if it names none.
    ///
    /// - Parameter environment: The environment, in which `NOTIFY_SOCKET` is an absolute path, or a name in the
    ///   abstract namespace after an `@` (unix(7)).
    /// - Throws: ``NotifySocketError`` for any other value.
    package static func named(in environment: [String: String]) throws(NotifySocketError) -> NotifySocket? {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        return try NotifySocket(connectedTo: name)
    }

    private init(connectedTo name: String) throws(NotifySocketError) {
        guard var address = Self.address(of: name) else { throw .badAddress(name) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .unreachable(name, errno: errno) }
        var patience = Self.patience
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let length = Self.length(of: name)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard result == 0 else {
            let reason = errno
            close(descriptor)
            throw .unreachable(name, errno: reason)
        }
        // Not before: an object that is complete is ended by `deinit` when its initializer throws, and would close twice.
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends notifications to the manager, in this order, in one datagram.
    ///
    /// Safe to call from any thread.
    ///
    /// - Returns: `true` if the datagram was sent.
    @discardableResult
    package func send(_ notices: [ServiceNotice]) -> Bool {
        let message = Array(notices.map(\.assignment).joined(separator: "\n").utf8)
        while true {
            let count = Glibc.send(descriptor, message, message.count, CInt(MSG_NOSIGNAL))
            if count == message.count { return true }
            if errno != EINTR { return false }
        }
    }

    // MARK: Address

    private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    private static let longestName = MemoryLayout<sockaddr_un>.size - pathOffset

    /// Returns the length of an address; unlike a path, an abstract name has no terminating NUL.
    private static func length(of name: String) -> socklen_t {
        socklen_t(pathOffset + name.utf8.count + (name.hasPrefix("@") ? 0 : 1))
    }

    private static func address(of name: String) -> sockaddr_un? {
        guard name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1, name.utf8.count < longestName,
            !name.utf8.contains(0)
        else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}

/// A notification to the service manager that started the service (sd_notify(3)).
package enum ServiceNotice: Sendable, Hashable {
    /// The service is ready: its start, or a reload, has finished.
    case ready
    /// The configuration is being reloaded; the associated value is the start time by `CLOCK_MONOTONIC`, in
    /// microseconds.
    ///
    /// systemd 253 and later require the time for a unit of `Type=notify-reload`.
    case reloading(since: UInt64)
    /// The service is stopping.
    case stopping
    /// A description of the current state, for `systemctl status`.
    case status(String)
    /// The service is alive.
    case watchdog

    /// The maximum length of a status, in bytes: the manager accepts 4 KiB in total (NOTIFY_BUFFER_MAX).
    static let longestStatus = 1024

    /// The assignments of the notification.
    var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let moment): "RELOADING=1\nMONOTONIC_USEC=\(moment)"
        case .stopping: "STOPPING=1"
        case .status(let sentence): "STATUS=\(Self.oneLine(sentence))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// Returns a status without line breaks, which would start another, arbitrary assignment.
    private static func oneLine(_ sentence: String) -> String {
        var text = ""
        var count = 0
        for scalar in sentence.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
            let shown: Unicode.Scalar = isControl ? " " : scalar
            count += UTF8.width(shown)
            guard count <= longestStatus else { break }
            text.unicodeScalars.append(shown)
        }
        return text
    }
}

/// The reason that the service manager cannot be notified.
package enum NotifySocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The variable is neither an absolute path nor an abstract name, or is too long.
    case badAddress(String)
    /// The socket does not exist, or does not accept data from this process.
    case unreachable(String, errno: Int32)

    /// The message for the log.
    package var description: String {
        switch self {
        case .badAddress(let name): "NOTIFY_SOCKET is not the address of a socket: '\(name.prefix(128))'"
        case .unreachable(let name, let code):
            "the service manager cannot be reached at \(name): \(SystemError(errno: code))"
        }
    }
}
