internal import BenchmarkKit

/// The cost of one contender's probes at one concurrency: medians over the rounds.
struct ProbeResult: Codable, Sendable {
    let contender: Contender
    let concurrency: Int
    let cpuMillisecondsPerProbe: Double
    /// The extremes of the rounds.
    let lowestCPUMillisecondsPerProbe: Double
    let highestCPUMillisecondsPerProbe: Double
    let probesPerSecond: Double
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    /// The highest value of all rounds.
    let peakResidentKilobytes: UInt64
    /// The number of failures in all rounds.
    let failures: Int
    let failure: String?
    let rounds: [Measurement]

    init(contender: Contender, concurrency: Int, rounds: [Measurement]) {
        self.contender = contender
        self.concurrency = concurrency
        self.rounds = rounds
        let costs = rounds.map { $0.summary.cpuSeconds * 1000 / Double($0.summary.count) }
        cpuMillisecondsPerProbe = Self.median(costs)
        lowestCPUMillisecondsPerProbe = costs.min() ?? .nan
        highestCPUMillisecondsPerProbe = costs.max() ?? .nan
        probesPerSecond = Self.median(rounds.map { Double($0.summary.count) / $0.summary.elapsedSeconds })
        p50Milliseconds = Self.median(rounds.map { $0.summary.p50Microseconds / 1000 })
        p99Milliseconds = Self.median(rounds.map { $0.summary.p99Microseconds / 1000 })
        peakResidentKilobytes = rounds.map(\.peakResidentKilobytes).max() ?? 0
        failures = rounds.reduce(0) { $0 + $1.summary.failures }
        failure = rounds.lazy.compactMap(\.summary.failure).first
    }

    /// Returns the middle value, or the mean of the two middle values; NaN if there are no values.
    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
