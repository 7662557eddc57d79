internal import AgentEvents

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

    /// The hole between two consecutive events.
    struct Gap: Sendable, Hashable {
        /// The time of the event before it.
        var start: Timestamp
        /// The time of the event after it.
        var end: Timestamp
        /// The number of the event after it.
        var next: UInt64
        /// False if the stream may have some of the numbers, because not all of its events were read.
        var isCertain = true
        /// True once some of the numbers were announced as lost.
        var isKnown = false
    }

    private struct Missing: Sendable {
        var numbers: ClosedRange<UInt64>
        var gap: Gap
    }

    /// The ranges, in ascending order.
    private var ranges: [Missing] = []

    /// Adds the numbers between two consecutive events.
    mutating func add(after previous: UInt64, before next: UInt64, _ gap: Gap) {
        guard previous < next, next - previous > 1 else { return }
        ranges.append(Missing(numbers: previous + 1...next - 1, gap: gap))
        dropSmallest()
    }

    private mutating func dropSmallest() {
        while ranges.count > Self.maximumRanges {
            let sizes = ranges.map { $0.numbers.upperBound - $0.numbers.lowerBound }
            guard let smallest = sizes.indices.min(by: { sizes[$0] < sizes[$1] }) else { return }
            ranges.remove(at: smallest)
        }
    }

    /// Removes a number, and returns whether it was missing.
    mutating func remove(_ number: UInt64) -> Bool { !take(number...number, isLoss: false).isEmpty }

    /// Removes the numbers of an announced loss.
    ///
    /// - Returns: The gaps with some of them, and how many each had.
    mutating func lose(_ range: ClosedRange<UInt64>) -> [(gap: Gap, count: UInt64)] { take(range, isLoss: true) }

    private mutating func take(_ range: ClosedRange<UInt64>, isLoss: Bool) -> [(gap: Gap, count: UInt64)] {
        var taken: [(gap: Gap, count: UInt64)] = []
        var left: [Missing] = []
        for missing in ranges {
            let numbers = missing.numbers
            guard numbers.overlaps(range) else {
                left.append(missing)
                continue
            }
            let common = numbers.clamped(to: range)
            taken.append((missing.gap, common.upperBound - common.lowerBound + 1))
            var gap = missing.gap
            gap.isKnown = gap.isKnown || isLoss
            if numbers.lowerBound < common.lowerBound {
                left.append(Missing(numbers: numbers.lowerBound...common.lowerBound - 1, gap: gap))
            }
            if common.upperBound < numbers.upperBound {
                left.append(Missing(numbers: common.upperBound + 1...numbers.upperBound, gap: gap))
            }
        }
        ranges = left
        dropSmallest()
        return taken
    }

    /// Removes all numbers: those of another history begin.
    mutating func removeAll() { ranges = [] }
}
