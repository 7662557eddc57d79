internal import LinuxSupport

/// An error of a journal operation.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of an error.
    public enum Cause: Sendable, Hashable {
        /// The kernel's error (errno(3)).
        case errno(Int32)
        /// Another agent writes this journal; with its process ID, if known.
        case inUse(by: Int32?)
        /// The content of the file is invalid.
        case malformed(String)
    }

    /// The failed operation, such as `open` or `write`.
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

    /// The cause as text, without the operation.
    var reason: String {
        switch cause {
        case .errno(let number): SystemError(errno: number).description
        case .inUse: "another agent uses it"
        case .malformed(let reason): reason
        }
    }

    /// The error in one line.
    public var description: String {
        switch cause {
        case .errno(let number): "cannot \(operation) \(path): \(SystemError(errno: number))"
        case .inUse(let process?): "cannot \(operation) \(path): the agent with process number \(process) uses it"
        case .inUse(nil): "cannot \(operation) \(path): another agent uses it"
        case .malformed(let reason): "cannot \(operation) \(path): \(reason)"
        }
    }
}

extension JournalError {
    /// Creates an error from that of a file operation.
    init(_ error: FileError) { self.init(operation: error.operation, path: error.path, cause: .errno(error.errno)) }
}

extension NamedThread {
    /// Starts a thread; throws a ``JournalError`` if the system cannot create one.
    static func startOrThrow(
        _ name: StaticString,
        _ body: @escaping @Sendable () -> Void
    ) throws(JournalError) {
        do throws(SystemError) {
            try start(name, body)
        } catch {
            throw JournalError(operation: "start a thread for", path: "the journal", cause: .errno(error.errno))
        }
    }
}
