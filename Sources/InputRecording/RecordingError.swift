internal import Glibc

/// Why a recording could not be written or read.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Cause: Sendable, Hashable {
        /// The kernel refused (errno(3)).
        case errno(Int32)
        /// The recording is of another version of the format.
        case version(Int)
        /// The content is not what it should be.
        case damaged(String)
    }

    /// What was tried: `create`, `open`, `read` or `write`.
    public let operation: String
    /// The file.
    public let path: String
    /// The number of the line, from 1; `nil` where none is concerned.
    public let line: Int?
    /// What went wrong.
    public let cause: Cause

    /// An error of an operation on a recording.
    public init(operation: String, path: String, line: Int? = nil, cause: Cause) {
        self.operation = operation
        self.path = path
        self.line = line
        self.cause = cause
    }

    /// The error in one line, for people.
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
