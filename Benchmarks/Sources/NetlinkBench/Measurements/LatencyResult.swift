internal import BenchmarkKit
internal import NetworkTestbed

/// One row of a latency table.
struct LatencyResult: Codable, Sendable {
    let edge: Edge
    let listener: String
    let latency: LatencyStatistics
    /// The CPU time of the listener's process for each edge, in microseconds; `nil` if it is not known.
    var cpuMicrosecondsPerEdge: Double?
}
