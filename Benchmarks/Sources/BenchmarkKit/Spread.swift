/// What several rounds gave: the middle, and how far apart they were.
package struct Spread: Codable, Sendable, Equatable {
    /// The middle one, or the mean of the two in the middle; "not a number" without any.
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
