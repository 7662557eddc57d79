/// The median and the range of the values of several rounds.
package struct Spread: Codable, Sendable, Equatable {
    /// The middle value, or the mean of the two middle values; NaN if there are no values.
    package let median: Double
    package let lowest: Double
    package let highest: Double

    package init(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else {
            (median, lowest, highest) = (.nan, .nan, .nan)
            return
        }
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        (lowest, highest) = (first, last)
    }
}
