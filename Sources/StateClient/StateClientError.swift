internal import AgentEvents
internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// The reason that a request to the agent failed.
public enum StateClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No process listens on the socket, or it does not exist (errno(3)).
    case noAgent(socket: String, errno: Int32)
    /// Access to the socket is denied (errno(3)).
    case notPermitted(socket: String, errno: Int32)
    /// The connection ended before the reply was complete.
    case disconnected(socket: String)
    /// The request timed out.
    case timedOut(socket: String)
    /// The agent answered with an error: its code and its message.
    case refused(code: String, message: String)
    /// A reply of the agent is malformed.
    case malformed(String)
    /// A system call failed (errno(3)).
    case system(operation: String, errno: Int32)

    /// The task that made the request was cancelled.
    public static let cancelled = StateClientError.system(operation: "wait any longer", errno: ECANCELED)

    /// The error in one line, for people.
    public var description: String {
        switch self {
        case .noAgent(let socket, let number): "no agent answers at \(socket): \(SystemError(errno: number))"
        case .notPermitted(let socket, let number): "\(socket) may not be used: \(SystemError(errno: number))"
        case .disconnected(let socket): "the agent at \(socket) closed the connection"
        case .timedOut(let socket): "the agent at \(socket) did not answer in time"
        case .refused(let code, let message): message.isEmpty ? "the agent refused: \(code)" : "\(message) [\(code)]"
        case .malformed(let reason): "the agent's answer cannot be understood: \(reason)"
        case .system(let operation, let number): "cannot \(operation): \(SystemError(errno: number))"
        }
    }
}

extension StateClientError {
    /// The socket is events.sock, which sends events without a reply around them.
    static let eventSocket = malformed(
        "this is the socket of the events; the one for requests is control.sock beside it"
    )
    /// The socket is http.sock, or another program's for HTTP.
    static let httpSocket = malformed("an HTTP server answers here; the agent's socket for requests is control.sock")

    /// `true` if the socket is certainly not control.sock, which no retry changes.
    var isOfAnotherSocket: Bool { self == .eventSocket || self == .httpSocket }

    /// Returns the error for a reply or an event that cannot be decoded.
    ///
    /// The flaw can contain text of the reply, and is truncated and escaped.
    static func undecodable(_ subject: String, _ error: any Error) -> StateClientError {
        .malformed("\(subject) has an unexpected form: \(ForeignText.shown(EventDecoder.flaw(error)))")
    }
}

extension NamedThread {
    /// Starts a thread; throws a ``StateClientError`` if no thread can be created.
    static func startOrThrow(
        _ name: StaticString,
        _ body: @escaping @Sendable () -> Void
    ) throws(StateClientError) {
        do throws(SystemError) {
            try start(name, body)
        } catch {
            throw .system(operation: "start a thread", errno: error.errno)
        }
    }
}

extension Wakeup {
    /// Creates a wake-up; throws a ``StateClientError`` if no descriptor is left.
    static func make() throws(StateClientError) -> Wakeup {
        do throws(SystemError) {
            return try Wakeup()
        } catch {
            throw .system(operation: "make a descriptor to wake a thread with", errno: error.errno)
        }
    }
}
