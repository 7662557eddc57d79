/// The numbers of a device's events that its stream lacks, as far as they may still be announced as lost.
///
/// A number alone says little: a sink with `types` leaves numbers out. An announcement alone does not either: it may be
/// about the broker of another sink of the device, while this stream has the events.
struct MissingNumbers: Sendable {
    /// The maximum number of ranges: a loss is announced soon after it, so the oldest ones make room.
    static let maximumRanges = 64

    /// The ranges, in ascending order.
    private var ranges: [ClosedRange<UInt64>] = []

    /// Adds the numbers between two consecutive events.
    mutating func add(after previous: UInt64, before next: UInt64) {
        guard previous < next, next - previous > 1 else { return }
        if ranges.count == Self.maximumRanges { ranges.removeFirst() }
        ranges.append(previous + 1...next - 1)
    }

    /// Removes the numbers of a range, and returns how many of them were missing.
    @discardableResult
    mutating func remove(_ range: ClosedRange<UInt64>) -> UInt64 {
        var count: UInt64 = 0
        var left: [ClosedRange<UInt64>] = []
        for missing in ranges {
            guard missing.overlaps(range) else {
                left.append(missing)
                continue
            }
            let common = missing.clamped(to: range)
            count += common.upperBound - common.lowerBound + 1
            if missing.lowerBound < common.lowerBound { left.append(missing.lowerBound...common.lowerBound - 1) }
            if common.upperBound < missing.upperBound { left.append(common.upperBound + 1...missing.upperBound) }
        }
        ranges = Array(left.suffix(Self.maximumRanges))
        return count
    }

    /// Removes all numbers: those of another history begin.
    mutating func removeAll() { ranges = [] }
}
