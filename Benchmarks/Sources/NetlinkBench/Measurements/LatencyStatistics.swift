internal import BenchmarkKit
internal import NetworkTestbed

/// Latencies of one listener, in microseconds.
struct LatencyStatistics: Codable, Sendable {
    let count: UInt64
    /// Edges that the listener did not tell of within two seconds.
    let missed: Int
    let p50: Double
    let p99: Double
    let max: Double

    /// Collects one latency after another.
    struct Collector {
        private var histogram = LatencyHistogram()
        private var missed = 0
        private var cpuNanoseconds: UInt64 = 0

        /// Takes nanoseconds, or `nil` for an edge that was missed.
        mutating func record(_ nanoseconds: UInt64?) {
            guard let nanoseconds, histogram.record(nanoseconds) else {
                missed += 1
                return
            }
        }

        /// Takes the CPU time of edges that were recorded.
        mutating func record(cpuNanoseconds: UInt64) { self.cpuNanoseconds += cpuNanoseconds }

        /// The mean over all edges; `nil` when no CPU time was recorded.
        var cpuMicrosecondsPerEdge: Double? {
            let edges = Double(histogram.count) + Double(missed)
            return cpuNanoseconds == 0 || edges == 0 ? nil : Double(cpuNanoseconds) / 1000 / edges
        }

        var statistics: LatencyStatistics {
            LatencyStatistics(
                count: histogram.count,
                missed: missed,
                p50: histogram.microseconds(atPercentile: 50),
                p99: histogram.microseconds(atPercentile: 99),
                max: histogram.microseconds(atPercentile: 100)
            )
        }
    }
}

/// One row of a latency table.
struct LatencyResult: Codable, Sendable {
    let edge: Edge
    let listener: String
    let latency: LatencyStatistics
    /// What each edge cost the listener's process; `nil` where that is not known.
    var cpuMicrosecondsPerEdge: Double?
}
