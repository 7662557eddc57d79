internal import Glibc

/// The socket of the service manager that takes notices (sd_notify(3), `NOTIFY_SOCKET`).
///
/// Sending never fails for the service: a manager that cannot be told goes untold. It waits a second at most, where the
/// manager does not read.
package final class NotifySocket: Sendable {
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)

    private let descriptor: CInt

    /// The socket that an environment names; `nil` when it names none.
    ///
    /// - Parameter environment: The variable is an absolute path, or a name in the abstract namespace behind an `@`
    ///   (unix(7)).
    /// - Throws: ``NotifySocketError`` for everything else.
    package static func named(in environment: [String: String]) throws(NotifySocketError) -> NotifySocket? {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        return try NotifySocket(connectedTo: name)
    }

    private init(connectedTo name: String) throws(NotifySocketError) {
        guard var address = Self.address(of: name) else { throw .badAddress(name) }
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
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
    }

    deinit { close(descriptor) }

    /// Sends notifications to the manager, in this order, in one datagram.
    ///
    /// Safe from any thread.
    ///
    /// - Returns: Whether the manager has been told.
    @discardableResult
    package func send(_ notices: [ServiceNotice]) -> Bool {
        let message = Array(notices.map(\.assignment).joined(separator: "\n").utf8)
        while true {
            let count = Glibc.send(descriptor, message, message.count, CInt(MSG_NOSIGNAL))
            if count == message.count { return true }
            if errno != EINTR { return false }
        }
    }

    // MARK: The address

    private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    private static let longestName = MemoryLayout<sockaddr_un>.size - pathOffset

    /// An abstract name has no end but that of the address; a path ends with a zero.
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
    /// The configuration is being reloaded, since a time of `CLOCK_MONOTONIC` in microseconds.
    ///
    /// Managers from systemd 253 on require the time if the unit is of `Type=notify-reload`.
    case reloading(since: UInt64)
    /// The service is stopping.
    case stopping
    /// A sentence of the present state, for `systemctl status`.
    case status(String)
    /// The service is alive.
    case watchdog

    /// The longest sentence that is sent, in bytes: the manager takes 4 KiB of everything together (NOTIFY_BUFFER_MAX).
    static let longestStatus = 1024

    /// The assignment, or the assignments, that say it.
    var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let moment): "RELOADING=1\nMONOTONIC_USEC=\(moment)"
        case .stopping: "STOPPING=1"
        case .status(let sentence): "STATUS=\(Self.oneLine(sentence))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// A line break would begin another assignment, which could be any.
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
    /// The variable names neither an absolute path nor an abstract name, or one that is too long.
    case badAddress(String)
    /// There is no such socket, or it takes nothing from this process.
    case unreachable(String, errno: Int32)

    /// The sentence for the log.
    package var description: String {
        switch self {
        case .badAddress(let name): "NOTIFY_SOCKET is no address of a socket: '\(name.prefix(128))'"
        case .unreachable(let name, let code):
            "the service manager cannot be reached at \(name): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
        }
    }
}
