internal import BenchmarkKit

/// Everything that one run has measured.
struct ProbeReport: BenchmarkReport, Codable, Sendable {
    /// Changes when the meaning of a field does.
    var schema = 1
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    var memoryMegabytes = Host.memoryMegabytes
    /// What else the machine had to do.
    var loadBefore = Host.load
    var loadAfter = ""
    /// The server's version and, by name, the contenders'.
    let server: String
    let versions: [String: String]
    /// The contenders that are not there, and why.
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

    /// The row of a contender.
    func result(_ contender: Contender, concurrency: Int) -> ProbeResult? {
        results.first { $0.contender == contender && $0.concurrency == concurrency }
    }
}
