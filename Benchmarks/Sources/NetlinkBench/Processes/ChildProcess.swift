internal import CTestbed
internal import Glibc

/// A program that this one started.
///
/// It is ended, by its process id, with the value that stands for it.
final class ChildProcess {
    let identifier: pid_t
    private var status: Int32?

    /// Starts a program.
    ///
    /// A descriptor of -1 stands for /dev/null.
    init(
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

    /// Whether it still runs.
    var isRunning: Bool {
        guard status == nil else { return false }
        var raw: Int32 = 0
        guard waitpid(identifier, &raw, WNOHANG) == identifier else { return true }
        status = raw
        return false
    }

    /// Waits for its end; its exit status, or 128 and the signal that ended it.
    @discardableResult
    func waitForEnd() -> Int32 {
        if status == nil {
            var raw: Int32 = 0
            while waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
            status = raw
        }
        let raw = status ?? 0
        return raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + raw & 0x7F
    }

    /// Asks it to end, and insists after a second.
    func stop() {
        guard isRunning else { return }
        kill(identifier, SIGTERM)
        for _ in 0..<100 {
            if !isRunning { return }
            usleep(10_000)
        }
        kill(identifier, SIGKILL)
        waitForEnd()
    }
}
