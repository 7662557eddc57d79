public import AgentEvents

/// The rates and the added latencies of a subject's transfers, at all hours and in the evening, when a provider's
/// network is busiest.
public struct TransferFigures: Sendable, Hashable {
    /// The hours of local time that count as evening.
    static let eveningHours = 18..<23

    /// The transfers at all hours.
    public private(set) var all = TransferSketches()
    /// The transfers in the evening hours.
    public private(set) var evening = TransferSketches()
    /// The rates of each evening on which a good rate was configured for the point.
    private var evenings: [ProbePoint: [CivilTime.Day: Evening]] = [:]

    private struct Evening: Sendable, Hashable {
        var rates: ExponentialHistogram
        var good: Int64

        var isShort: Bool { rates.quantile(0.5).map { $0 < good } ?? false }
    }

    /// The rate delivered in the evenings at a point, compared with the rate that is configured as good for its probe.
    public struct Delivery: Sendable, Hashable {
        /// The number of evenings with transfers.
        public var evenings: Int
        /// The number of those whose median rate was below the good one.
        public var shortEvenings: Int
        /// The rate that is configured as good, in bits per second; the newest of several.
        public var good: Int64
        /// The median rate of the short evenings, or of all evenings if none was short.
        public var delivered: Int64

        /// Returns true for more short evenings, or for as many with a lower share of the good rate.
        fileprivate func isWorse(than other: Delivery) -> Bool {
            if shortEvenings != other.shortEvenings { return shortEvenings > other.shortEvenings }
            let share = Int128(delivered) * Int128(other.good)
            let otherShare = Int128(other.delivered) * Int128(good)
            // The last comparison makes the choice independent of the order of the points.
            return share == otherShare ? (evenings, good) > (other.evenings, other.good) : share < otherShare
        }
    }

    /// The delivery in the evenings, at the point where it was worst; `nil` if no good rate was configured on any of them.
    ///
    /// Each point is judged by its own good rate: one point may download and another one upload.
    public var delivery: Delivery? {
        evenings.values.compactMap(Self.delivery).min { $0.isWorse(than: $1) }
    }

    private static func delivery(_ evenings: [CivilTime.Day: Evening]) -> Delivery? {
        guard let newest = evenings.max(by: { $0.key < $1.key }) else { return nil }
        let short = evenings.values.filter(\.isShort)
        var rates = ExponentialHistogram()
        // The order does not matter for histograms.
        for evening in short.isEmpty ? Array(evenings.values) : short { rates.merge(evening.rates) }
        guard let delivered = rates.quantile(0.5) else { return nil }
        return Delivery(
            evenings: evenings.count,
            shortEvenings: short.count,
            good: newest.value.good,
            delivered: delivered
        )
    }

    /// Adds the transfers of a point in an hour.
    mutating func add(
        _ transfers: TransferSketches,
        of point: ProbePoint,
        at moment: Timestamp,
        in civilTime: CivilTime
    ) {
        all.merge(transfers)
        guard Self.eveningHours.contains(civilTime.hour(of: moment)) else { return }
        evening.merge(transfers)
        guard let good = transfers.goodBitsPerSecond, good > 0, transfers.judged.count > 0 else { return }
        add(Evening(rates: transfers.judged, good: good), of: point, on: civilTime.day(of: moment))
    }

    /// Adds the transfers of another point of the same subject.
    mutating func merge(_ other: TransferFigures) {
        all.combine(with: other.all)
        evening.combine(with: other.evening)
        for (point, days) in other.evenings {
            for (day, evening) in days { add(evening, of: point, on: day) }
        }
    }

    /// Adds an evening; the days of a window and the points of a log bound their number.
    private mutating func add(_ evening: Evening, of point: ProbePoint, on day: CivilTime.Day) {
        guard var sum = evenings[point]?[day] else { return evenings[point, default: [:]][day] = evening }
        sum.rates.merge(evening.rates)
        sum.good = max(sum.good, evening.good)
        evenings[point, default: [:]][day] = sum
    }
}
