/// Finds the end of TCP's slow start in a transfer's windows: the time until the rate stops growing.
enum SlowStart {
    /// The minimum number of windows that are compared with as many before them.
    private static let shortestSpan = 5
    /// The maximum number: a round trip of two seconds is that of a full queue.
    private static let longestSpan = 21
    /// The factor by which a rate that grows is larger than before; slow start doubles it each round trip.
    private static let growth = 1.25
    /// The share of the final rate that ends the slow start.
    private static let plateau = 0.8

    /// Returns the number of windows from the beginning to leave out: at most half of them.
    ///
    /// - Parameter roundTrip: The windows of an idle round trip. In slow start its bytes come at once, and the other
    ///   windows are empty: only what is longer than two of them shows whether the rate grows.
    static func windows(of counts: [Double], roundTrip: Int = 0) -> Int {
        let roundTrip = min(max(0, roundTrip), longestSpan / 2)
        let span = max(shortestSpan, 2 * roundTrip + 1)
        let most = counts.count / 2
        var end = most
        for index in 1..<max(2, counts.count) where index + span <= counts.count {
            let before = mean(counts[max(0, index - span)..<index], of: span)
            let after = mean(counts[index..<(index + span)], of: span)
            if after <= growth * before {
                end = index
                break
            }
        }
        end = min(end, most)
        // The windows right after it may be the empty ones of a round trip.
        let settled = counts.count - end > 2 * span ? counts[(end + span)...] : counts[end...]
        let level = mean(settled.prefix(2 * span), of: min(2 * span, settled.count))
        // The comparison notices the end late by its own span, and with bursts early by a round trip.
        for index in 0..<max(end, most) where smoothed(counts, at: index, over: max(3, roundTrip)) >= plateau * level {
            return index
        }
        return end
    }

    /// The mean of a window and those after it, which evens out the bursts of a round trip.
    private static func smoothed(_ counts: [Double], at index: Int, over width: Int) -> Double {
        let part = counts[index...].prefix(width)
        return mean(part, of: part.count)
    }

    /// The mean with missing windows as empty ones.
    private static func mean(_ counts: ArraySlice<Double>, of count: Int) -> Double {
        count > 0 ? counts.reduce(0, +) / Double(count) : 0
    }
}

/// Values by their rank in a sorted list.
enum Ranked {
    /// Returns the index of a quantile's value by the nearest-rank method.
    static func index(of quantile: Double, in count: Int) -> Int {
        min(max(0, Int((quantile * Double(count)).rounded(.up)) - 1), max(0, count - 1))
    }

    /// Returns the median of sorted values: of an even number the mean of the two in the middle.
    static func median(_ sorted: [Double]) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
