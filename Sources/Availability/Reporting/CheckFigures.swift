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
        min(one.saturating(adding: max(0, other)), maximum)
    }

    mutating func add(_ summary: ScannedSummary, in civilTime: CivilTime) {
        succeeded = Self.sum(succeeded, summary.succeeded)
        failed = Self.sum(failed, summary.failed)
        notChecked = Self.sum(notChecked, summary.notChecked)
        latency.merge(summary.latency)
        guard let added = summary.transfer, !added.isEmpty else { return }
        var figures = transfers ?? TransferFigures()
        figures.add(added, of: summary.point, at: summary.from, in: civilTime)
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

    /// Removes the checks of a point.
    mutating func remove(_ point: ProbePoint) { byPoint[point] = nil }

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
        guard summary.from >= window.start, summary.from < window.end, selection.includes(Subject(summary.point)) else {
            return
        }
        checks.note(summary, in: window.civilTime)
    }
}
