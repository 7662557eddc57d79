internal import BenchmarkKit
internal import FoundationEssentials

/// What one load cost while it was measured: one line of JSON from the process that was.
struct ScheduleMeasurement: Codable, Sendable {
    var name: String
    var contender: Contender
    var probes: Int
    var intervalSeconds: Int
    var elapsedSeconds: Double
    /// Checks that ended while it was measured.
    var checks: Int
    var failures: Int
    /// Rounds that were left out since the beginning.
    var skipped: Int
    /// How long after it was due a check began.
    var p50Milliseconds: Double
    var p99Milliseconds: Double
    var maxMilliseconds: Double
    /// Of one CPU, the transport's work included.
    var cpuPercent: Double
    var residentKilobytes: UInt64
    /// Of all threads, the transport's included.
    var wakeUps: UInt64
}

extension ScheduleMeasurement {
    /// Reads the line.
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

    /// The line, without its end.
    func line() throws -> String { try Output.json(self) }
}
