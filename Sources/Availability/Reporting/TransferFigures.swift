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
    /// The rates of each evening on which a good rate was configured.
    private var evenings: [CivilTime.Day: Evening] = [:]

    private struct Evening: Sendable, Hashable {
        var rates: ExponentialHistogram
        var good: Int64

        var isShort: Bool { rates.quantile(0.5).map { $0 < good } ?? false }
    }

    /// The rate delivered in the evenings, compared with the rate that is configured as good.
    public struct Delivery: Sendable, Hashable {
        /// The number of evenings with transfers.
        public var evenings: Int
        /// The number of those whose median rate was below the good one.
        public var shortEvenings: Int
        /// The rate that is configured as good, in bits per second; the newest of several.
        public var good: Int64
        /// The median rate of the short evenings, or of all evenings if none was short.
        public var delivered: Int64
    }

    /// The delivery in the evenings; `nil` if no good rate was configured on any of them.
    public var delivery: Delivery? {
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

    /// Adds the transfers of an hour.
    mutating func add(_ transfers: TransferSketches, at moment: Timestamp, in civilTime: CivilTime) {
        all.merge(transfers)
        guard Self.eveningHours.contains(civilTime.hour(of: moment)) else { return }
        evening.merge(transfers)
        guard let good = transfers.goodBitsPerSecond, good > 0, transfers.judged.count > 0 else { return }
        add(Evening(rates: transfers.judged, good: good), on: civilTime.day(of: moment))
    }

    /// Adds the transfers of another point of the same subject.
    mutating func merge(_ other: TransferFigures) {
        all.merge(other.all)
        evening.merge(other.evening)
        for (day, evening) in other.evenings { add(evening, on: day) }
    }

    /// Adds an evening; the days of a window bound their number.
    private mutating func add(_ evening: Evening, on day: CivilTime.Day) {
        guard var sum = evenings[day] else { return evenings[day] = evening }
        sum.rates.merge(evening.rates)
        sum.good = max(sum.good, evening.good)
        evenings[day] = sum
    }
}
