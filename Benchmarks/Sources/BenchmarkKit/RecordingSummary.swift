internal import FoundationEssentials

/// What a program that records events in a loop reports at its end: one line of JSON on standard output.
package struct RecordingSummary: Codable, Sendable, Equatable {
    package var appends: Int
    package var bytes: Int
    /// By the monotonic clock.
    package var elapsedSeconds: Double
    /// Time on a CPU, user and kernel, of the whole process.
    package var cpuSeconds: Double

    package init(appends: Int, bytes: Int, elapsedSeconds: Double, cpuSeconds: Double) {
        self.appends = appends
        self.bytes = bytes
        self.elapsedSeconds = elapsedSeconds
        self.cpuSeconds = cpuSeconds
    }

    /// Reads the line.
    package init(line: String) throws(BenchmarkError) {
        do {
            self = try JSONDecoder().decode(RecordingSummary.self, from: Data(line.utf8))
        } catch {
            throw BenchmarkError("read the summary of a recording", cause: "'\(line.prefix(200))' is none")
        }
    }

    /// The line, without its end.
    package func line() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
