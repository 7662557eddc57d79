internal import CTestbed
internal import Glibc

/// A child process.
///
/// The process is terminated, by its process ID, when this object is deallocated.
package final class ChildProcess {
    package let identifier: Int32
    private var status: Int32?
    /// The CPU time, user and kernel, of the whole process; `nil` while it is running.
    package private(set) var cpuNanosecondsAtEnd: UInt64?

    /// Starts a program.
    ///
    /// A descriptor of -1 stands for /dev/null.
    package init(
        _ path: String,
        _ arguments: [String],
        input: Int32 = -1,
        output: Int32 = -1,
        error: Int32 = -1
    ) throws(BenchmarkError) {
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        identifier = testbed_spawn(path, words, input, output, error)
        guard identifier > 0 else { throw BenchmarkError("start \(path)", errno: errno) }
    }

    deinit { stop() }

    /// A Boolean value that indicates whether the process is running.
    package var isRunning: Bool {
        guard status == nil else { return false }
        return !reap(WNOHANG)
    }

    /// Waits for the process to exit; returns its exit status, or 128 plus the number of the signal that killed it.
    @discardableResult
    package func waitForEnd() -> Int32 {
        while status == nil, !reap(0), errno == EINTR {}
        let raw = status ?? 0
        return raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + raw & 0x7F
    }

    /// Sends SIGTERM, and SIGKILL if the process is still running after a second.
    package func stop() {
        guard isRunning else { return }
        kill(identifier, SIGTERM)
        for _ in 0..<100 {
            if !isRunning { return }
            usleep(10_000)
        }
        kill(identifier, SIGKILL)
        waitForEnd()
    }

    /// Stores the status and the CPU time of the process, if it has exited.
    private func reap(_ options: Int32) -> Bool {
        var raw: Int32 = 0
        var usage = rusage()
        guard wait4(identifier, &raw, options, &usage) == identifier else { return false }
        status = raw
        cpuNanosecondsAtEnd = ProcessUsage.cpuNanoseconds(usage)
        return true
    }
}
