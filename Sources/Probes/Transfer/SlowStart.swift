/// Finds the end of TCP's slow start in a transfer's windows: the time until the rate stops growing.
enum SlowStart {
    /// The minimum number of windows to compare with as many before them.
    private static let shortestSpan = 5
    /// The maximum number of windows: a round trip of two seconds is that of a full queue.
    private static let longestSpan = 21
    /// The factor by which a growing rate exceeds the earlier one; slow start doubles the rate each round trip.
    private static let growth = 1.25
    /// The share of the final rate at which slow start ends.
    private static let plateau = 0.8

    /// Returns the number of windows to leave out from the beginning: at most half of them.
    ///
    /// - Parameter roundTrip: The number of windows in an idle round trip. In slow start the bytes of a round trip
    ///   arrive at once, and its other windows are empty: only a span of more than two round trips shows whether the
    ///   rate grows.
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
        // The windows right after the end may be the empty ones of a round trip.
        let settled = counts.count - end > 2 * span ? counts[(end + span)...] : counts[end...]
        let level = mean(settled.prefix(2 * span), of: min(2 * span, settled.count))
        // The comparison detects the end one span too late, and with bursts one round trip too early.
        for index in 0..<max(end, most) where smoothed(counts, at: index, over: max(3, roundTrip)) >= plateau * level {
            return index
        }
        return end
    }

    /// Returns the mean of a window and those after it, which smooths the bursts of a round trip.
    private static func smoothed(_ counts: [Double], at index: Int, over width: Int) -> Double {
        let part = counts[index...].prefix(width)
        return mean(part, of: part.count)
    }

    /// Returns the mean, counting missing windows as empty.
    private static func mean(_ counts: ArraySlice<Double>, of count: Int) -> Double {
        count > 0 ? counts.reduce(0, +) / Double(count) : 0
    }
}

/// Quantiles of sorted values, by rank.
enum Ranked {
    /// Returns the index of a quantile's value by the nearest-rank method.
    static func index(of quantile: Double, in count: Int) -> Int {
        min(max(0, Int((quantile * Double(count)).rounded(.up)) - 1), max(0, count - 1))
    }

    /// Returns the median of sorted values: for an even number of them, the mean of the middle two.
    static func median(_ sorted: [Double]) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
