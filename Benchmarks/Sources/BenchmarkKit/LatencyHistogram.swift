internal import Histogram

/// Latencies, kept with three significant digits.
package struct LatencyHistogram: Sendable {
    private var histogram = Histogram<UInt32>(highestTrackableValue: 60_000_000_000)

    package init() {}

    package var count: UInt64 { UInt64(histogram.totalCount) }

    /// Takes nanoseconds; false when they are too many to be kept.
    package mutating func record(_ nanoseconds: UInt64) -> Bool { histogram.record(nanoseconds) }

    /// The value, in microseconds, that this percentage of the latencies does not exceed; "not a number" without any.
    package func microseconds(atPercentile percentile: Double) -> Double {
        histogram.totalCount == 0 ? .nan : Double(histogram.valueAtPercentile(percentile)) / 1000
    }
}
