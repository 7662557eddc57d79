internal import BenchmarkKit
internal import NetworkTestbed

/// Everything that one run has measured.
///
/// A part that was not asked for is missing.
struct Report: BenchmarkReport, Codable, Sendable {
    /// Changes when the meaning of a field does.
    var schema = 1
    var environment: HostEnvironment
    /// The links of the machine beside the one with the edges.
    var otherLinks: Int
    var latency: [LatencyResult]?
    var flood: [LatencyResult]?
    var churn: [ChurnResult]?
    var idle: [IdleResult]?
    var verdicts: [Verdict] = []

    init(environment: HostEnvironment, otherLinks: Int) {
        self.environment = environment
        self.otherLinks = otherLinks
    }
}
