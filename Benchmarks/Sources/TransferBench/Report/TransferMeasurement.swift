internal import BenchmarkKit
internal import FoundationEssentials

/// The cost of one transfer: medians of the rounds, and the highest memory.
struct TransferMeasurement: Codable, Sendable {
    var scenario: Scenario
    var contender: Contender
    var bytes: Int
    var cpuSecondsPerGigabyte: Double
    var gigabitsPerSecond: Double
    var peakResidentKilobytes: UInt64

    init(_ scenario: Scenario, _ contender: Contender, _ bytes: Int, _ runs: [ProgramRun]) {
        self.scenario = scenario
        self.contender = contender
        self.bytes = bytes
        let gigabytes = Double(bytes) / 1e9
        cpuSecondsPerGigabyte = Spread(runs.map { Double($0.cpuNanoseconds) / 1e9 / gigabytes }).median
        gigabitsPerSecond = Spread(runs.map { Double(bytes) * 8 / Double(max(1, $0.elapsedNanoseconds)) }).median
        peakResidentKilobytes = runs.map(\.peakResidentKilobytes).max() ?? 0
    }
}

/// The lateness of small checks, alone or beside a transfer, as JSON from the process that made them.
struct LatenessMeasurement: Codable, Sendable {
    var isBesideTransfer: Bool
    var checks: Int
    /// The checks that were due.
    var expectedChecks: Int
    var failures: Int
    var p50Milliseconds: Double
    var p99Milliseconds: Double
    var maxMilliseconds: Double
}

extension LatenessMeasurement {
    init(text: String) throws(BenchmarkError) {
        do {
            let decoder = JSONDecoder()
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf",
                negativeInfinity: "-inf",
                nan: "nan"
            )
            self = try decoder.decode(LatenessMeasurement.self, from: Data(text.utf8))
        } catch {
            throw BenchmarkError("read the lateness", cause: "'\(text.prefix(200))' is no report")
        }
    }

    func line() throws -> String { try Output.json(self) }
}
