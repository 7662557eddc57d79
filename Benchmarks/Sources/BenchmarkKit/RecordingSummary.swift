internal import FoundationEssentials

/// The result of a program that records events in a loop, reported as one line of JSON on standard output.
package struct RecordingSummary: Codable, Sendable, Equatable {
    package var appends: Int
    package var bytes: Int
    /// The elapsed time, by the monotonic clock.
    package var elapsedSeconds: Double
    /// The CPU time, user and kernel, of the whole process during that time.
    package var cpuSeconds: Double

    package init(appends: Int, bytes: Int, elapsedSeconds: Double, cpuSeconds: Double) {
        self.appends = appends
        self.bytes = bytes
        self.elapsedSeconds = elapsedSeconds
        self.cpuSeconds = cpuSeconds
    }

    /// Decodes the summary from its line of JSON.
    package init(line: String) throws(BenchmarkError) {
        do {
            self = try JSONDecoder().decode(RecordingSummary.self, from: Data(line.utf8))
        } catch {
            throw BenchmarkError("read the summary of a recording", cause: "'\(line.prefix(200))' is none")
        }
    }

    /// Returns the summary as a line of JSON, without the line terminator.
    package func line() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
