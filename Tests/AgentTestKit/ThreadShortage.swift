import Foundation
import Glibc

/// A shortage of threads in this process, for exit tests as root: the process is a user of its own from then on, because
/// the limit counts all threads of a user, and none of root's.
package struct ThreadShortage {
    private static let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
    /// The user that the process becomes, and no other process.
    package static var user: UInt32 { 1 << 30 + UInt32(getpid()) }

    private let former: rlimit

    /// Lets this process start at most so many more threads.
    package init(sparing count: Int) throws {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0 else { throw Self.failure("getrlimit") }
        former = limit
        guard setuid(Self.user) == 0 else { throw Self.failure("setuid") }
        limit.rlim_cur = rlim_t(try Self.threadCount() + count)
        guard setrlimit(Self.resource, &limit) == 0 else { throw Self.failure("setrlimit") }
    }

    /// Ends the shortage.
    package func end() throws {
        var limit = former
        guard setrlimit(Self.resource, &limit) == 0 else { throw Self.failure("setrlimit") }
    }

    /// Returns the number of threads that are this user's; one that has ended keeps its former user.
    private static func threadCount() throws -> Int {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return tasks.count { task in
            let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)
            return status?.contains("\nUid:\t\(user)\t") == true
        }
    }

    private static func failure(_ call: String) -> FinishedCommand.Failure {
        FinishedCommand.Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
