internal import BenchmarkKit
internal import NetworkTestbed
internal import StreamTestbed

/// Everything that one run has measured.
struct HTTPReport: BenchmarkReport, Codable, Sendable {
    /// Changes when the meaning of a field does.
    var schema = 1
    var environment: HostEnvironment
    /// The probes of the agent that is scraped.
    let probes: Int
    /// The peers' versions, by name, or why they are missing.
    var peers: [String: String] = [:]
    var scrapes: [ScrapeResult] = []
    var streams: [FanOutResult] = []
    let idleSeconds: Int
    var idle: [IdleResult] = []
    var verdicts: [Verdict] = []

    init(environment: HostEnvironment, probes: Int, idleSeconds: Int) {
        self.environment = environment
        self.probes = probes
        self.idleSeconds = idleSeconds
    }
}
