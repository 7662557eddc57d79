internal import Glibc

/// The reason that a benchmark cannot continue: the operation that failed, and its cause.
package struct BenchmarkError: Error, Sendable, Equatable, CustomStringConvertible {
    package let operation: String
    package let cause: String

    package init(_ operation: String, cause: String) {
        self.operation = operation
        self.cause = cause
    }

    package init(_ operation: String, errno code: Int32) {
        self.init(operation, cause: String(cString: strerror(code)))
    }

    package var description: String { "cannot \(operation): \(cause)" }

    /// Throws unless a call that returns 0 or an error number returned 0.
    package static func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(BenchmarkError) {
        guard result == 0 else { throw BenchmarkError(operation(), errno: result) }
    }
}
