internal import AgentEvents

/// The account of one subject: the default path, an uplink, or a probe at one point.
struct Track: Sendable {
    private(set) var totals: SpanTotals
    /// The state since ``cursor``; `nil` until the next change sets it.
    private(set) var state: TrackState?
    /// The moment up to which everything is in the totals.
    private(set) var cursor = Int64.min
    /// The number of the newest event with its state.
    var number: UInt64 = 0

    init(window: Window) { totals = SpanTotals(window: window) }

    private static func unknown(_ reason: Condition.UnknownReason) -> TrackState {
        TrackState(condition: .unknown(reason))
    }

    /// Records a change; if the state before is not known, it is taken from the change, also for the time before suspends.
    ///
    /// - Returns: The effective moment: the time of observation, no earlier than the previous change, and no later than
    ///   the publication.
    @discardableResult
    mutating func change(observed: Timestamp, published: Timestamp, from: TrackState, to: TrackState) -> Int64 {
        let moment = min(max(observed.microsecondsSince1970, cursor), published.microsecondsSince1970)
        settle(until: moment, state ?? from)
        if state == nil { totals.resolve(from) }
        state = to
        return moment
    }

    /// Confirms the known state as of an event's number.
    ///
    /// - Returns: False if no state is known, or another one.
    mutating func confirm(_ condition: Condition, _ number: UInt64) -> Bool {
        guard state?.condition == condition else { return false }
        self.number = number
        return true
    }

    /// Records an unknown period, after which the state continues.
    mutating func gap(from start: Int64, to end: Int64, _ reason: Condition.UnknownReason) {
        settle(until: start, state)
        settle(until: end, Self.unknown(reason))
    }

    /// Marks the time since the last change as unknown if the known state differs from the given condition.
    mutating func distrust(unless condition: Condition, until observed: Timestamp, _ published: Timestamp) {
        guard let state, state.condition != condition else { return }
        let moment = min(observed, published).microsecondsSince1970
        guard moment > cursor else { return }
        settle(until: moment, .noData)
    }

    /// Replaces the record of a period whose events are lost, and clears the state unless a later change has set it.
    ///
    /// - Parameter number: The number before which the lost events are.
    mutating func obscure(from start: Int64, to end: Int64, before number: UInt64) {
        settle(until: end, state)
        totals.resolve(.noData)
        totals.replace(from: start, to: end, by: .noData)
        if self.number < number { state = nil }
    }

    /// Clears the state, which the next change sets again.
    mutating func forget(at moment: Int64) {
        settle(until: moment, state)
        state = nil
    }

    /// Ends the records of a run, which later runs do not replace; the state continues.
    mutating func endRun(at moment: Int64) {
        settle(until: moment, state)
        totals.endRun()
    }

    /// Follows a clock that was set back: the records from now on replace those of the same run for the repeated time.
    mutating func rewind(to moment: Int64) {
        guard moment < cursor, totals.rewind(to: moment) else { return }
        cursor = moment
    }

    /// Attributes the current outage to a segment, once there is evidence.
    mutating func attribute(_ attribution: Attribution) { state?.attribution = attribution }

    /// Limits the list of outages to an equal part of that of all subjects.
    mutating func shareOutages(among subjects: Int) { totals.shareOutages(among: subjects) }

    /// Ends the account.
    mutating func close(at moment: Int64, _ reason: Condition.UnknownReason, until end: Int64) {
        settle(until: moment, state)
        settle(until: end, Self.unknown(reason))
        totals.close()
    }

    private mutating func settle(until moment: Int64, _ state: TrackState?) {
        guard moment > cursor else {
            if state?.condition.isAvailable == true { totals.noteRecovery(at: cursor) }
            return
        }
        totals.append(from: cursor, to: moment, state)
        cursor = moment
    }
}
