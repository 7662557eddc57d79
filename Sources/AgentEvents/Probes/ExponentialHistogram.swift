/// A sparse histogram of durations, with buckets that grow exponentially.
///
/// Bucket `i` counts the durations above 2^((i-1)/8) and up to 2^(i/8) seconds: schema 3 of Prometheus' native
/// histograms. Histograms merge without loss, in any order, and a quantile has an error of at most 4.4 %.
public struct ExponentialHistogram: Sendable, Hashable {
    /// The durations that fell into one bucket.
    public struct Bucket: Sendable, Hashable {
        /// The index: the upper bound is ``ExponentialHistogram/upperBound(ofBucket:)``.
        public let index: Int
        /// The number of durations, at least 1.
        public internal(set) var count: UInt64
    }

    /// The nonempty buckets, by ascending index.
    public private(set) var buckets: [Bucket] = []
    /// The number of durations.
    public private(set) var count: UInt64 = 0
    /// The sum of the durations, in microseconds.
    public private(set) var sum: UInt64 = 0
    /// The shortest duration, in microseconds; 0 if there is none.
    public private(set) var minimum: Int64 = 0
    /// The longest duration, in microseconds; 0 if there is none.
    public private(set) var maximum: Int64 = 0

    /// The indexes: the first bucket holds everything up to a microsecond, the last one everything from 11 days on.
    public static let indexes = -159...160

    /// Creates an empty histogram.
    public init() {}

    /// Adds a duration in microseconds; a negative one, which a clock step may cause, counts as zero.
    public mutating func add(microseconds: Int64) {
        let duration = max(0, microseconds)
        minimum = count == 0 ? duration : min(minimum, duration)
        maximum = max(maximum, duration)
        (count, sum) = (count.saturating(adding: 1), sum.saturating(adding: UInt64(duration)))
        let index = Self.index(of: duration)
        let position = buckets.firstIndex { $0.index >= index } ?? buckets.endIndex
        if position < buckets.endIndex, buckets[position].index == index {
            buckets[position].count = buckets[position].count.saturating(adding: 1)
        } else {
            buckets.insert(Bucket(index: index, count: 1), at: position)
        }
    }

    /// Adds every duration of another histogram.
    public mutating func merge(_ other: ExponentialHistogram) {
        guard other.count > 0 else { return }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        (count, sum) = (count.saturating(adding: other.count), sum.saturating(adding: other.sum))
        var position = 0
        for bucket in other.buckets {
            while position < buckets.count, buckets[position].index < bucket.index { position += 1 }
            if position < buckets.count, buckets[position].index == bucket.index {
                buckets[position].count = buckets[position].count.saturating(adding: bucket.count)
            } else {
                buckets.insert(bucket, at: position)
            }
            position += 1
        }
    }

    /// Appends a bucket.
    ///
    /// - Returns: `false` if its index does not ascend or is not known, or the bucket is empty.
    mutating func append(bucket index: Int, _ count: UInt64) -> Bool {
        guard Self.indexes.contains(index), count > 0, buckets.last.map({ $0.index < index }) ?? true else {
            return false
        }
        buckets.append(Bucket(index: index, count: count))
        self.count = self.count.saturating(adding: count)
        return true
    }

    /// Sets the exact figures, which the buckets do not contain.
    mutating func measure(sum: UInt64, minimum: Int64, maximum: Int64) {
        self.sum = sum
        self.minimum = max(0, minimum)
        self.maximum = max(self.minimum, maximum)
    }

    /// Returns the quantile for a share of the durations, in microseconds; `nil` if there are none.
    ///
    /// - Parameter share: From 0, the shortest, to 1, the longest; the nearest rank counts, as for exact percentiles.
    /// - Returns: A value within 4.4 % of the exact one, plus half a microsecond for rounding.
    public func quantile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, (max(0, min(1, share)) * Double(count)).rounded(.up))
        var seen: UInt64 = 0
        for bucket in buckets {
            seen = seen.saturating(adding: bucket.count)
            guard Double(seen) >= rank else { continue }
            // The last bucket has no upper bound.
            if bucket.index == Self.indexes.upperBound { break }
            // The geometric mean of both bounds.
            let (lower, upper) = (Self.upperBound(ofBucket: bucket.index - 1), Self.upperBound(ofBucket: bucket.index))
            let estimate = 2 * lower * upper / (lower + upper) * 1_000_000
            return max(minimum, min(maximum, Int64(estimate.rounded())))
        }
        return maximum
    }

    /// Returns the upper bound of a bucket, in seconds, which is part of the bucket.
    public static func upperBound(ofBucket index: Int) -> Double {
        Double(sign: .plus, exponent: index >> 3, significand: roots[index & 7])
    }

    /// The powers 2^(k/8).
    private static let roots = [
        1, 1.0905077326652577, 1.189207115002721, 1.2968395546510096, 1.4142135623730951, 1.5422108254079407,
        1.681792830507429, 1.8340080864093424,
    ]

    /// The upper bounds in whole microseconds: a table instead of a logarithm, whose last bit depends on the C library.
    private static let bounds = indexes.map(bound)

    private static func index(of duration: Int64) -> Int {
        var (low, high) = (0, bounds.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < duration { low = middle + 1 } else { high = middle }
        }
        return indexes.lowerBound + low
    }
}

extension ExponentialHistogram: Codable {
    private enum CodingKeys: String, CodingKey {
        case minimum = "min_us"
        case maximum = "max_us"
        case sum = "sum_us"
        case buckets
    }

    /// Reads a histogram.
    ///
    /// - Throws: `DecodingError` unless the buckets' indexes ascend and are known, and all buckets are nonempty.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        var numbers = try members.nestedUnkeyedContainer(forKey: .buckets)
        try self.init(buckets: &numbers)
        guard count > 0 else { return }
        measure(
            sum: try members.decode(UInt64.self, forKey: .sum),
            minimum: try members.decode(Int64.self, forKey: .minimum),
            maximum: try members.decode(Int64.self, forKey: .maximum)
        )
    }

    /// Writes the histogram, with its buckets as one array of alternating indexes and counts.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(minimum, forKey: .minimum)
        try members.encode(maximum, forKey: .maximum)
        try members.encode(sum, forKey: .sum)
        var numbers = members.nestedUnkeyedContainer(forKey: .buckets)
        try encodeBuckets(to: &numbers)
    }

    /// Reads only the buckets, whose bounds then bound the durations.
    init(buckets numbers: inout any UnkeyedDecodingContainer) throws {
        while !numbers.isAtEnd {
            let index = try numbers.decode(Int.self)
            let count = try numbers.decode(UInt64.self)
            guard append(bucket: index, count) else {
                throw DecodingError.dataCorruptedError(in: numbers, debugDescription: "not a bucket")
            }
            let (upper, overflow) = UInt64(Self.bound(index)).multipliedReportingOverflow(by: count)
            sum = sum.saturating(adding: overflow ? .max : upper)
        }
        if let first = buckets.first, let last = buckets.last {
            (minimum, maximum) = (Self.bound(first.index - 1), Self.bound(last.index))
        }
    }

    /// Writes the buckets as alternating indexes and counts.
    func encodeBuckets(to numbers: inout any UnkeyedEncodingContainer) throws {
        for bucket in buckets {
            try numbers.encode(bucket.index)
            try numbers.encode(bucket.count)
        }
    }

    private static func bound(_ index: Int) -> Int64 { Int64(upperBound(ofBucket: index) * 1_000_000) }
}

extension FixedWidthInteger {
    /// Returns the sum with a number that is not negative, or the maximum.
    package func saturating(adding other: Self) -> Self {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
