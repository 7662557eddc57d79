internal import Glibc

/// Why the benchmark cannot go on: what was tried, and what came of it.
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

    /// Fails unless a call that answers with 0 or an error number answered with 0.
    package static func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(BenchmarkError) {
        guard result == 0 else { throw BenchmarkError(operation(), errno: result) }
    }
}
