import Foundation
import Glibc

/// A shortage of threads in this process, for exit tests as root: the process is a user of its own from then on, because
/// the limit counts all threads of a user, and none of root's.
package struct ThreadShortage {
    private static let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
    /// The user that the process becomes.
    package static let user: UInt32 = 61_234

    private let former: rlimit

    /// Lets this process start at most so many more threads.
    package init(sparing count: Int) throws {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0 else { throw Self.failure("getrlimit") }
        former = limit
        // No other process may start threads of this user.
        guard setuid(1 << 30 + uid_t(getpid())) == 0 else { throw Self.failure("setuid") }
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        limit.rlim_cur = rlim_t(threads + count)
        guard setrlimit(Self.resource, &limit) == 0 else { throw Self.failure("setrlimit") }
    }

    /// Ends the shortage.
    package func end() throws {
        var limit = former
        guard setrlimit(Self.resource, &limit) == 0 else { throw Self.failure("setrlimit") }
    }

    private static func failure(_ call: String) -> FinishedCommand.Failure {
        FinishedCommand.Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
