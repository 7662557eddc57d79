/// The numbers of a device's events that its stream lacks, as far as they may still be announced as lost.
///
/// A number alone says little: a sink with `types` leaves numbers out. An announcement alone does not either: it may be
/// about the broker of another sink of the device, while this stream has the events.
struct MissingNumbers: Sendable {
    /// The maximum number of ranges.
    ///
    /// The smallest ones make room: a sink with `types` leaves out a few events at a time, and a loss is announced behind all
    /// that the journal still has.
    static let maximumRanges = 64

    /// The ranges, in ascending order.
    private var ranges: [ClosedRange<UInt64>] = []

    /// Adds the numbers between two consecutive events.
    mutating func add(after previous: UInt64, before next: UInt64) {
        guard previous < next, next - previous > 1 else { return }
        ranges.append(previous + 1...next - 1)
        dropSmallest()
    }

    private mutating func dropSmallest() {
        while ranges.count > Self.maximumRanges {
            let sizes = ranges.map { $0.upperBound - $0.lowerBound }
            guard let smallest = sizes.indices.min(by: { sizes[$0] < sizes[$1] }) else { return }
            ranges.remove(at: smallest)
        }
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
        ranges = left
        dropSmallest()
        return count
    }

    /// Removes all numbers: those of another history begin.
    mutating func removeAll() { ranges = [] }
}
