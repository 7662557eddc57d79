/// Ranges of numbers without a line in the journal; bounded by merging close ranges.
struct MissingRanges: Sendable, Hashable {
    static let most = 64
    private(set) var ranges: [ClosedRange<UInt64>] = []

    /// Adds a range; adjacent ones are merged.
    mutating func add(_ range: ClosedRange<UInt64>) {
        var low = range.lowerBound
        var high = range.upperBound
        var apart: [ClosedRange<UInt64>] = []
        for other in ranges {
            if other.upperBound < low, low - other.upperBound > 1 {
                apart.append(other)
            } else if other.lowerBound > high, other.lowerBound - high > 1 {
                apart.append(other)
            } else {
                low = min(low, other.lowerBound)
                high = max(high, other.upperBound)
            }
        }
        apart.append(low...high)
        apart.sort { $0.lowerBound < $1.lowerBound }
        // The oldest ranges matter least, so those lose precision.
        if apart.count > Self.most { apart.replaceSubrange(0..<2, with: [apart[0].lowerBound...apart[1].upperBound]) }
        ranges = apart
    }
}
