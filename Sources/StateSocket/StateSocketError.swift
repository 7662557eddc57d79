internal import Glibc
internal import LinuxSupport

/// The reason the sockets could not be opened.
public struct StateSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of an error.
    public enum Cause: Sendable, Hashable {
        /// The kernel's error (errno(3)).
        case errno(Int32)
        /// Another agent uses the file or directory; with its process ID, if known.
        case inUse(by: Int32?)
        /// The path is a file of another type, which must not be deleted.
        case notASocket
        /// Another user has put another file in the place of the socket.
        case replaced
        /// The path does not fit into a socket address with this many bytes.
        case pathTooLong(limit: Int)
        /// The group does not exist.
        case unknownGroup(String)
        /// The account database could not be searched for the group (nsswitch.conf(5)).
        case failedLookup(group: String, errno: Int32)
        /// The agent's user is not a member of the group with this number, and may not give it a file.
        case foreignGroup(UInt32)
        /// A descriptor from the service manager is not suitable.
        case unsuitableDescriptor(String)
        /// The server was already started.
        case startedBefore
        /// The event loop could not adopt the socket.
        case eventLoop(String)
    }

    /// The failed operation, such as `bind` or `lock`.
    public let operation: String
    /// The file or directory.
    public let path: String
    /// The cause.
    public let cause: Cause

    /// Creates an error of a file operation.
    public init(operation: String, path: String, cause: Cause) {
        self.operation = operation
        self.path = path
        self.cause = cause
    }

    /// Creates an error from `errno`.
    init(errnoOf operation: String, _ path: String, _ number: Int32 = errno) {
        self.init(operation: operation, path: path, cause: .errno(number))
    }

    /// The cause in words.
    public var reason: String {
        switch cause {
        case .errno(let number): SystemError(errno: number).description
        case .inUse(let process?): "the agent with process number \(process) uses it"
        case .inUse(nil): "another agent uses it"
        case .notASocket: "a file that is not a stream socket exists there"
        case .replaced: "another user has put another file in its place"
        case .pathTooLong(let limit): "the path has more than \(limit) bytes"
        case .unknownGroup(let name): "there is no group '\(name)'"
        case .failedLookup(let name, let number):
            "cannot look up the group '\(name)': \(SystemError(errno: number))"
        case .foreignGroup(let number):
            "the agent's user is not a member of the group \(number); "
                + "SupplementaryGroups=\(number) in the unit of a service makes it one"
        case .unsuitableDescriptor(let reason), .eventLoop(let reason): reason
        case .startedBefore: "the server was started before"
        }
    }

    /// The error in one line.
    public var description: String { "cannot \(operation) \(path): \(reason)" }
}
