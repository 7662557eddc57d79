internal import Glibc

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
