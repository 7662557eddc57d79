/// Numbers that no line of the journal has, in ranges; bounded by letting close ranges grow together.
struct MissingRanges: Sendable, Hashable {
    static let most = 64
    private(set) var ranges: [ClosedRange<UInt64>] = []

    /// Adds a range; those that touch become one.
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
        // The oldest are of least interest: there, exactness is given up.
        if apart.count > Self.most { apart.replaceSubrange(0..<2, with: [apart[0].lowerBound...apart[1].upperBound]) }
        ranges = apart
    }
}
