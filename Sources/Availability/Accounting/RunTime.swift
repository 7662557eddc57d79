internal import AgentEvents

/// The times of the events of one run of the agent after the other, whose clock may be wrong.
///
/// A run that starts with a wrong clock is not known as one before the clock is set: a device without a battery starts at
/// the same time with every boot, such as 1970 or the build date of its system. What can be known is that no two runs have
/// run at the same time.
struct RunTime: Sendable {
    private static let earliestPlausible = Timestamp.earliestPlausible.microsecondsSince1970
    /// The maximum number of intervals; the earliest ones are forgotten.
    private static let maximumIntervals = 1024

    /// The consequences of an event's time for the records.
    struct Step: Sendable, Equatable {
        /// True if the records so far are those of an earlier run.
        var endsRun: Bool
        /// True if the records continue at an earlier time.
        var isBack = false
        /// The reason why nothing is known about the time since the event before it; `nil` if the state continues.
        var reason: Condition.UnknownReason?
    }

    /// The newest time that records have; `min` before the first event.
    private(set) var position = Int64.min
    /// The time of the newest event.
    private var newest = Int64.min
    /// The beginning of the present run's records; `nil` while its clock is not set.
    private var beginning: Int64?
    /// The time that earlier runs recorded: intervals in order, which do not touch each other.
    private var recorded: [(start: Int64, end: Int64)] = []

    /// True while the newest event is stamped by a clock that is set, and while none was.
    private var isSet: Bool { newest >= Self.earliestPlausible || position < Self.earliestPlausible }

    /// Advances to the time of the next event.
    ///
    /// - Parameter endsRun: True if it is of another run than the one before it, or events between them are missing.
    mutating func advance(to moment: Int64, endsRun: Bool) -> Step {
        let previous = newest
        let wasSet = isSet
        newest = moment
        guard isSet else {
            // Nothing counts until the clock is set.
            if endsRun || wasSet { endRun() }
            return Step(endsRun: endsRun || wasSet)
        }
        // A run that leaps over another one had, or gets, a wrong clock; there is no telling when it was set.
        let isLeap = !endsRun && overlapsRecorded(until: moment)
        var step = Step(endsRun: endsRun || isLeap)
        if step.endsRun { endRun() }
        if moment < position {
            step.isBack = true
        } else if !endsRun, previous < Self.earliestPlausible, moment >= Self.earliestPlausible {
            step.reason = .clockNotSet
        } else if isLeap {
            step.reason = .noData
        }
        beginning = min(beginning ?? moment, moment)
        position = moment
        return step
    }

    /// Returns whether an earlier run recorded part of the time from the position until a moment.
    private func overlapsRecorded(until moment: Int64) -> Bool {
        guard let last = recorded.last, last.end > position else { return false }
        return recorded.contains { $0.start < moment && $0.end > position }
    }

    /// Adds the records of the present run to those of earlier runs.
    private mutating func endRun() {
        guard let beginning else { return }
        self.beginning = nil
        var interval = (start: beginning, end: position)
        let first = (recorded.lastIndex { $0.end < interval.start } ?? -1) + 1
        let next = recorded[first...].firstIndex { $0.start > interval.end } ?? recorded.endIndex
        for other in recorded[first..<next] {
            interval = (min(interval.start, other.start), max(interval.end, other.end))
        }
        recorded.replaceSubrange(first..<next, with: [interval])
        if recorded.count > Self.maximumIntervals { recorded.removeFirst() }
    }
}
