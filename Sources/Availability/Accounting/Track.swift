internal import AgentEvents

/// The account of one subject: the default path, an uplink, or a probe at one point.
struct Track: Sendable {
    private(set) var ledger: Ledger
    /// The state since ``cursor``; `nil` while the next change will tell it.
    private(set) var state: TrackState?
    /// Everything before this moment is in the ledger.
    private(set) var cursor = Int64.min

    init(window: Window) { ledger = Ledger(window: window) }

    private static func unknown(_ reason: Condition.UnknownReason) -> TrackState {
        TrackState(condition: .unknown(reason))
    }

    /// Records a change; the state before is the change's own where nothing is known of it.
    ///
    /// - Returns: The moment at which it counts: when it was observed, no earlier than the change before, and no later
    ///   than it was published.
    @discardableResult
    mutating func change(observed: Timestamp, published: Timestamp, from: TrackState, to: TrackState) -> Int64 {
        let moment = min(max(observed.microsecondsSince1970, cursor), published.microsecondsSince1970)
        settle(until: moment, state ?? from)
        state = to
        return moment
    }

    /// Records a stretch of which nothing is known; the state continues after it.
    mutating func gap(from start: Int64, to end: Int64, _ reason: Condition.UnknownReason) {
        settle(until: start, state ?? Self.unknown(.noData))
        settle(until: end, Self.unknown(reason))
    }

    /// Takes the time since the last change for unknown where the state at its end is another one than is known.
    mutating func distrust(unless condition: Condition, until observed: Timestamp, _ published: Timestamp) {
        guard let state, state.condition != condition else { return }
        let moment = min(observed, published).microsecondsSince1970
        guard moment > cursor else { return }
        settle(until: moment, Self.unknown(.noData))
    }

    /// Forgets the state: the next change tells it.
    mutating func forget(at moment: Int64) {
        settle(until: moment, state ?? Self.unknown(.noData))
        state = nil
    }

    /// Follows a clock that was set back: what is recorded from now on replaces the time that repeats.
    mutating func rewind(to moment: Int64) {
        guard moment < cursor else { return }
        ledger.truncate(at: moment)
        cursor = moment
    }

    /// Puts the present outage down to a segment, as soon as there is evidence.
    mutating func attribute(_ attribution: Attribution) { state?.attribution = attribution }

    /// Ends the account.
    mutating func close(at moment: Int64, _ reason: Condition.UnknownReason, until end: Int64) {
        settle(until: moment, state ?? Self.unknown(.noData))
        settle(until: end, Self.unknown(reason))
        ledger.close()
    }

    private mutating func settle(until moment: Int64, _ state: TrackState) {
        guard moment > cursor else { return }
        ledger.append(from: cursor, to: moment, state)
        cursor = moment
    }
}
