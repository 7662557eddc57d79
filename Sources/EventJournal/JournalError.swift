internal import Glibc

/// Why the journal could not be used.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Cause: Sendable, Hashable {
        /// The kernel refused (errno(3)).
        case errno(Int32)
        /// Another agent writes this journal; its process number, where it is known.
        case inUse(by: Int32?)
        /// The file is not what it should be.
        case malformed(String)
    }

    /// What was tried, such as `open` or `write`.
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

    /// What went wrong, without what was tried.
    var reason: String {
        switch cause {
        case .errno(let number): String(cString: strerror(number))
        case .inUse: "another agent uses it"
        case .malformed(let reason): reason
        }
    }

    /// The error in one line, for people.
    public var description: String {
        switch cause {
        case .errno(let number): "cannot \(operation) \(path): \(String(cString: strerror(number)))"
        case .inUse(let process?): "cannot \(operation) \(path): the agent with process number \(process) uses it"
        case .inUse(nil): "cannot \(operation) \(path): another agent uses it"
        case .malformed(let reason): "cannot \(operation) \(path): \(reason)"
        }
    }
}
