/// Latencies of one contender, in microseconds.
package struct LatencyStatistics: Codable, Sendable {
    package let count: UInt64
    /// Edges that were not told of in time.
    package let missed: Int
    package let p50: Double
    package let p99: Double
    package let max: Double

    /// Collects one latency after another.
    package struct Collector {
        private var histogram = LatencyHistogram()
        private var missed = 0
        private var cpuNanoseconds: UInt64 = 0

        package init() {}

        /// Takes nanoseconds, or `nil` for an edge that was missed.
        package mutating func record(_ nanoseconds: UInt64?) {
            guard let nanoseconds, histogram.record(nanoseconds) else {
                missed += 1
                return
            }
        }

        /// Takes the CPU time of edges that were recorded.
        package mutating func record(cpuNanoseconds: UInt64) { self.cpuNanoseconds += cpuNanoseconds }

        /// The mean over all edges; `nil` when no CPU time was recorded.
        package var cpuMicrosecondsPerEdge: Double? {
            let edges = Double(histogram.count) + Double(missed)
            return cpuNanoseconds == 0 || edges == 0 ? nil : Double(cpuNanoseconds) / 1000 / edges
        }

        package var statistics: LatencyStatistics {
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
