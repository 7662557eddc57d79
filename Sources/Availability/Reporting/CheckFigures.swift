public import AgentEvents

/// The number of checks by result, and the latency of those that succeeded.
public struct CheckFigures: Sendable, Hashable {
    /// The number of checks that succeeded.
    public private(set) var succeeded = 0
    /// The number of checks that failed.
    public private(set) var failed = 0
    /// The number of checks that a fault of the machine prevented.
    public private(set) var notChecked = 0
    /// The durations of the checks that succeeded.
    public private(set) var latency = ExponentialHistogram()
    /// The transfers; `nil` if there were none.
    public private(set) var transfers: TransferFigures?

    /// The failed share of the checks that were made, in millionths, rounded up; `nil` if none was made.
    public var lossMillionths: Int64? {
        let made = Int128(succeeded) + Int128(failed)
        guard made > 0 else { return nil }
        return Int64((Int128(failed) * 1_000_000 + made - 1) / made)
    }

    /// The maximum of each number, so that sums and shares of them do not overflow.
    private static let maximum = 1 << 60

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooMuch) = one.addingReportingOverflow(max(0, other))
        return isTooMuch ? maximum : min(sum, maximum)
    }

    mutating func add(_ summary: ScannedSummary, in civilTime: CivilTime) {
        succeeded = Self.sum(succeeded, summary.succeeded)
        failed = Self.sum(failed, summary.failed)
        notChecked = Self.sum(notChecked, summary.notChecked)
        latency.merge(summary.latency)
        guard let added = summary.transfer, !added.isEmpty else { return }
        var figures = transfers ?? TransferFigures()
        figures.add(added, at: summary.from, in: civilTime)
        transfers = figures
    }

    func merged(with other: CheckFigures) -> CheckFigures {
        var sum = self
        sum.succeeded = Self.sum(succeeded, other.succeeded)
        sum.failed = Self.sum(failed, other.failed)
        sum.notChecked = Self.sum(notChecked, other.notChecked)
        sum.latency.merge(other.latency)
        if let added = other.transfers {
            var figures = transfers ?? TransferFigures()
            figures.merge(added)
            sum.transfers = figures
        }
        return sum
    }
}

/// The checks of each probe point within a window, by their summaries.
struct CheckLog: Sendable {
    private(set) var byPoint: [ProbePoint: CheckFigures] = [:]

    /// Adds a summary that belongs to a window.
    ///
    /// - Parameter civilTime: Local time, which distinguishes the transfers of the evening.
    mutating func note(_ summary: ScannedSummary, in civilTime: CivilTime) {
        guard byPoint.count < Accountant.maximumSubjects || byPoint[summary.point] != nil else { return }
        byPoint[summary.point, default: CheckFigures()].add(summary, in: civilTime)
    }

    /// Returns the checks of all points that a predicate selects; `nil` without one.
    func sum(where isWanted: (ProbePoint) -> Bool) -> CheckFigures? {
        var sum: CheckFigures?
        // The order does not matter for counts and histograms.
        for (point, figures) in byPoint where isWanted(point) { sum = sum?.merged(with: figures) ?? figures }
        return sum
    }
}

extension Accountant {
    /// Adds a summary that started within the window.
    mutating func note(_ summary: ScannedSummary) {
        observations.note(summary)
        guard summary.from >= window.start, summary.from < window.end else { return }
        checks.note(summary, in: window.civilTime)
    }
}

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
