internal import Glibc

/// A program that was run to its end, watched for its memory.
package struct ProgramRun {
    package let output: String
    package let elapsedNanoseconds: UInt64
    package let cpuNanoseconds: UInt64
    package let peakResidentKilobytes: UInt64

    private static let lookMicroseconds: UInt32 = 5000

    /// Runs it; its output goes through a file, so that nobody has to wake up for a line.
    package init(_ path: String, _ arguments: [String], outputFile: String) throws(BenchmarkError) {
        let descriptor = open(outputFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("write \(outputFile)", errno: errno) }
        defer { close(descriptor) }
        let started = MonotonicClock.nanoseconds
        let child = try ChildProcess(path, arguments, output: descriptor, error: STDERR_FILENO)
        var peak: UInt64 = 0
        while child.isRunning {
            peak = max(peak, ProcessUsage.peakResidentKilobytes(of: child.identifier))
            usleep(Self.lookMicroseconds)
        }
        elapsedNanoseconds = MonotonicClock.nanoseconds - started
        let status = child.waitForEnd()
        guard status == 0 else { throw BenchmarkError("run \(path)", cause: "it ended with status \(status)") }
        cpuNanoseconds = child.cpuNanosecondsAtEnd ?? 0
        peakResidentKilobytes = peak
        output = ProcFile.read(outputFile) ?? ""
    }
}
