internal import Glibc

/// Why the sockets could not be opened.
public struct StateSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Cause: Sendable, Hashable {
        /// The kernel refused (errno(3)).
        case errno(Int32)
        /// Another agent uses it; its process number, where it is known.
        case inUse(by: Int32?)
        /// There is a file of another kind, which is not ours to delete.
        case notASocket
        /// The path does not fit into a socket's address, which holds this many bytes.
        case pathTooLong(limit: Int)
        /// There is no group of that name.
        case unknownGroup(String)
        /// A descriptor that the service manager handed over is not what it should be.
        case unsuitableDescriptor(String)
        /// The server was started before.
        case startedBefore
        /// The event loop could not take the socket.
        case eventLoop(String)
    }

    /// What was tried, such as `bind` or `lock`.
    public let operation: String
    /// The file or directory.
    public let path: String
    /// What went wrong.
    public let cause: Cause

    /// An error of an operation on a file.
    public init(operation: String, path: String, cause: Cause) {
        self.operation = operation
        self.path = path
        self.cause = cause
    }

    /// The kernel's refusal, as `errno` has it.
    init(errnoOf operation: String, _ path: String, _ number: Int32 = errno) {
        self.init(operation: operation, path: path, cause: .errno(number))
    }

    /// The error in one line, for people.
    public var description: String {
        let reason =
            switch cause {
            case .errno(let number): String(cString: strerror(number))
            case .inUse(let process?): "the agent with process number \(process) uses it"
            case .inUse(nil): "another agent uses it"
            case .notASocket: "a file that is no stream socket is in the way"
            case .pathTooLong(let limit): "the path has more than \(limit) bytes"
            case .unknownGroup(let name): "there is no group '\(name)'"
            case .unsuitableDescriptor(let reason), .eventLoop(let reason): reason
            case .startedBefore: "the server was started before"
            }
        return "cannot \(operation) \(path): \(reason)"
    }
}
