import Glibc

/// A shortage of file descriptors in this process, for exit tests: every other test would suffer from it too.
package struct DescriptorShortage {
    private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))

    private let former: rlimit

    /// Lets this process open at most so many more descriptors, none by default; one exactly.
    ///
    /// - Parameter isFinal: `true` for a shortage that the process cannot end by raising its soft limit.
    package init(sparing count: UInt = 0, isFinal: Bool = false) throws {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0 else { throw Self.failure("getrlimit") }
        former = limit
        // The kernel gives away the lowest number, and none from the limit on.
        let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard lowest >= 0 else { throw Self.failure("open") }
        close(lowest)
        limit.rlim_cur = rlim_t(lowest) + rlim_t(count)
        if isFinal { limit.rlim_max = limit.rlim_cur }
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
