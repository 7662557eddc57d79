internal import AgentEvents

/// The checks of each probe point within a window, by their summaries.
struct CheckLog: Sendable {
    private(set) var byPoint: [ProbePoint: CheckFigures] = [:]

    /// Adds a summary of a window.
    ///
    /// - Parameter civilTime: Local time, by which transfers of the evening are told from others.
    mutating func note(_ summary: ScannedSummary, in civilTime: CivilTime) {
        guard byPoint.count < Accountant.maximumSubjects || byPoint[summary.point] != nil else { return }
        byPoint[summary.point, default: CheckFigures()].add(summary, in: civilTime)
    }

    /// The checks of all points that a predicate names; `nil` without one.
    func sum(where isWanted: (ProbePoint) -> Bool) -> CheckFigures? {
        var sum: CheckFigures?
        // In any order: neither counts nor histograms depend on it.
        for (point, figures) in byPoint where isWanted(point) { sum = sum?.merged(with: figures) ?? figures }
        return sum
    }
}

extension Accountant {
    /// Adds a summary that began within the window.
    mutating func note(_ summary: ScannedSummary) {
        guard summary.from >= window.start, summary.from < window.end else { return }
        checks.note(summary, in: window.civilTime)
    }
}
