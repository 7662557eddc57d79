internal import BenchmarkKit
internal import FoundationEssentials

/// The cost of one load during the measurement, reported as JSON by the measured process.
struct ScheduleMeasurement: Codable, Sendable {
    var name: String
    var contender: Contender
    var probes: Int
    var intervalSeconds: Int
    var elapsedSeconds: Double
    /// The number of checks that finished during the measurement.
    var checks: Int
    var failures: Int
    /// The number of rounds skipped since the start of the process.
    var skipped: Int
    /// The lateness, from the time at which a check was due to its start.
    var p50Milliseconds: Double
    var p99Milliseconds: Double
    var maxMilliseconds: Double
    /// The CPU time in percent of one CPU, including the transport's.
    var cpuPercent: Double
    var residentKilobytes: UInt64
    /// The wake-ups of all threads, including the transport's.
    var wakeUps: UInt64
}

extension ScheduleMeasurement {
    /// Decodes the measurement from its JSON.
    init(line: String) throws(BenchmarkError) {
        do {
            let decoder = JSONDecoder()
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
            self = try decoder.decode(ScheduleMeasurement.self, from: Data(line.utf8))
        } catch {
            throw BenchmarkError("read what a load reports", cause: "'\(line.prefix(200))' is no report")
        }
    }

    /// Returns the measurement as JSON.
    func line() throws -> String { try Output.json(self) }
}
