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
        let cost = Spread(costs)
        cpuMillisecondsPerProbe = cost.median
        lowestCPUMillisecondsPerProbe = cost.lowest
        highestCPUMillisecondsPerProbe = cost.highest
        probesPerSecond = Spread(rounds.map { Double($0.summary.count) / $0.summary.elapsedSeconds }).median
        p50Milliseconds = Spread(rounds.map { $0.summary.p50Microseconds / 1000 }).median
        p99Milliseconds = Spread(rounds.map { $0.summary.p99Microseconds / 1000 }).median
        peakResidentKilobytes = rounds.map(\.peakResidentKilobytes).max() ?? 0
        failures = rounds.reduce(0) { $0 + $1.summary.failures }
        failure = rounds.lazy.compactMap(\.summary.failure).first
    }
}
