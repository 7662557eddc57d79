internal import FoundationEssentials

/// What a program that probes in a loop reports at its end: one line of JSON on standard output.
package struct LoadSummary: Codable, Sendable, Equatable {
    /// Probes after the warm-up.
    package var count: Int
    /// Those of them that did not succeed.
    package var failures: Int
    /// Time on a CPU, user and kernel, of the whole process after the warm-up.
    package var cpuSeconds: Double
    /// By the monotonic clock, after the warm-up.
    package var elapsedSeconds: Double
    /// Latencies of all probes, those that failed included.
    package var p50Microseconds: Double
    package var p99Microseconds: Double
    /// The first failure in words; nil without one.
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

    /// Reads the line.
    package init(line: String) throws(BenchmarkError) {
        do {
            self = try JSONDecoder().decode(LoadSummary.self, from: Data(line.utf8))
        } catch {
            throw BenchmarkError("read the summary of a load", cause: "'\(line.prefix(200))' is none")
        }
    }

    /// The line, without its end.
    package func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
