internal import FoundationEssentials

/// The result of a program that probes in a loop, reported as one line of JSON on standard output when it finishes.
package struct LoadSummary: Codable, Sendable, Equatable {
    /// The number of probes after the warm-up.
    package var count: Int
    /// The number of these probes that failed.
    package var failures: Int
    /// The CPU time, user and kernel, of the whole process after the warm-up.
    package var cpuSeconds: Double
    /// The elapsed time after the warm-up, by the monotonic clock.
    package var elapsedSeconds: Double
    /// The percentiles of the latencies of all probes, including the failed ones.
    package var p50Microseconds: Double
    package var p99Microseconds: Double
    /// The description of the first failure; `nil` if there was none.
    package var failure: String?

    package init(
        count: Int,
        failures: Int,
        cpuSeconds: Double,
        elapsedSeconds: Double,
        p50Microseconds: Double,
        p99Microseconds: Double,
        failure: String?
    ) {
        self.count = count
        self.failures = failures
        self.cpuSeconds = cpuSeconds
        self.elapsedSeconds = elapsedSeconds
        self.p50Microseconds = p50Microseconds
        self.p99Microseconds = p99Microseconds
        self.failure = failure
    }

    /// Decodes the summary from its line of JSON.
    package init(line: String) throws(BenchmarkError) {
        do {
            self = try JSONDecoder().decode(LoadSummary.self, from: Data(line.utf8))
        } catch {
            throw BenchmarkError("read the summary of a load", cause: "'\(line.prefix(200))' is none")
        }
    }

    /// Returns the summary as a line of JSON, without the line terminator.
    package func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
