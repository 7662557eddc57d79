internal import Glibc

/// An error of writing or reading a recording.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of an error.
    public enum Cause: Sendable, Hashable {
        /// The kernel's error (errno(3)).
        case errno(Int32)
        /// The recording has another version of the format.
        case version(Int)
        /// The content is invalid.
        case damaged(String)
    }

    /// The failed operation: `create`, `open`, `read` or `write`.
    public let operation: String
    /// The file.
    public let path: String
    /// The number of the line, from 1; `nil` if no line is concerned.
    public let line: Int?
    /// The cause.
    public let cause: Cause

    /// Creates an error.
    public init(operation: String, path: String, line: Int? = nil, cause: Cause) {
        self.operation = operation
        self.path = path
        self.line = line
        self.cause = cause
    }

    /// The error in one line.
    public var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return switch cause {
        case .errno(let number): "cannot \(operation) \(place): \(String(cString: strerror(number)))"
        case .version(let version):
            "\(place): a recording of version \(version), and version \(RecordingHeader.version) is the only one known"
        case .damaged(let reason): "\(place): \(reason)"
        }
    }
}
