internal import BenchmarkKit
internal import NetworkTestbed

/// One row of a latency table.
struct LatencyResult: Codable, Sendable {
    let edge: Edge
    let listener: String
    let latency: LatencyStatistics
    /// What each edge cost the listener's process; `nil` where that is not known.
    var cpuMicrosecondsPerEdge: Double?
}
