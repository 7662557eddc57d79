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
    /// The transfers; nil without one.
    public private(set) var transfers: TransferFigures?

    /// The failed share of the checks that were made, in millionths, rounded up; `nil` when none was made.
    public var lossMillionths: Int64? {
        let made = Int128(succeeded) + Int128(failed)
        guard made > 0 else { return nil }
        return Int64((Int128(failed) * 1_000_000 + made - 1) / made)
    }

    mutating func add(_ summary: ScannedSummary, in civilTime: CivilTime) {
        succeeded = succeeded.addingReportingOverflow(summary.succeeded).partialValue
        failed = failed.addingReportingOverflow(summary.failed).partialValue
        notChecked = notChecked.addingReportingOverflow(summary.notChecked).partialValue
        latency.merge(summary.latency)
        guard let added = summary.transfer, !added.isEmpty else { return }
        var figures = transfers ?? TransferFigures()
        figures.add(added, at: summary.from, in: civilTime)
        transfers = figures
    }

    func merged(with other: CheckFigures) -> CheckFigures {
        var sum = self
        sum.succeeded = succeeded.addingReportingOverflow(other.succeeded).partialValue
        sum.failed = failed.addingReportingOverflow(other.failed).partialValue
        sum.notChecked = notChecked.addingReportingOverflow(other.notChecked).partialValue
        sum.latency.merge(other.latency)
        if let added = other.transfers {
            var figures = transfers ?? TransferFigures()
            figures.merge(added)
            sum.transfers = figures
        }
        return sum
    }
}
