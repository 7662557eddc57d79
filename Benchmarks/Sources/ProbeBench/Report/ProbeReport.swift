internal import BenchmarkKit

/// The results of one run.
struct ProbeReport: BenchmarkReport, Codable, Sendable {
    /// The version of the schema, which changes when the meaning of a field does.
    var schema = 1
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    var memoryMegabytes = Host.memoryMegabytes
    /// The machine's load averages before the run, which reveal other activity.
    var loadBefore = Host.load
    var loadAfter = ""
    /// The versions of the server and, by name, of the contenders.
    let server: String
    let versions: [String: String]
    /// The contenders that are not available, with the reasons.
    let missing: [String: String]
    let probesPerRound: Int
    var results: [ProbeResult] = []
    var verdicts: [Verdict] = []

    init(lineUp: LineUp, serverVersion: String, probesPerRound: Int) {
        server = serverVersion
        versions = Dictionary(uniqueKeysWithValues: lineUp.generators.map { ($0.contender.rawValue, $0.version) })
        missing = Dictionary(uniqueKeysWithValues: lineUp.missing.map { ($0.rawValue, $1) })
        self.probesPerRound = probesPerRound
    }

    /// Returns the result of a contender at one concurrency.
    func result(_ contender: Contender, concurrency: Int) -> ProbeResult? {
        results.first { $0.contender == contender && $0.concurrency == concurrency }
    }
}
