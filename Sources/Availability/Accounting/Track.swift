internal import AgentEvents

/// The account of one subject: the default path, an uplink, or a probe at one point.
struct Track: Sendable {
    private(set) var totals: SpanTotals
    /// The state since ``cursor``; `nil` until the next change sets it.
    private(set) var state: TrackState?
    /// The moment up to which everything is in the totals.
    private(set) var cursor = Int64.min
    /// The number of the newest change.
    var number: UInt64 = 0

    init(window: Window) { totals = SpanTotals(window: window) }

    private static func unknown(_ reason: Condition.UnknownReason) -> TrackState {
        TrackState(condition: .unknown(reason))
    }

    /// Records a change; if the state before is not known, it is taken from the change.
    ///
    /// - Returns: The effective moment: the time of observation, no earlier than the previous change, and no later than
    ///   the publication.
    @discardableResult
    mutating func change(observed: Timestamp, published: Timestamp, from: TrackState, to: TrackState) -> Int64 {
        let moment = min(max(observed.microsecondsSince1970, cursor), published.microsecondsSince1970)
        settle(until: moment, state ?? from)
        state = to
        return moment
    }

    /// Records an unknown period, after which the state continues.
    mutating func gap(from start: Int64, to end: Int64, _ reason: Condition.UnknownReason) {
        settle(until: start, state ?? Self.unknown(.noData))
        settle(until: end, Self.unknown(reason))
    }

    /// Marks the time since the last change as unknown if the known state differs from the given condition.
    mutating func distrust(unless condition: Condition, until observed: Timestamp, _ published: Timestamp) {
        guard let state, state.condition != condition else { return }
        let moment = min(observed, published).microsecondsSince1970
        guard moment > cursor else { return }
        settle(until: moment, Self.unknown(.noData))
    }

    /// Replaces the record of a period whose events are lost, and clears the state unless a later change has set it.
    ///
    /// - Parameter number: The number before which the lost events are.
    mutating func obscure(from start: Int64, to end: Int64, before number: UInt64) {
        settle(until: end, state ?? Self.unknown(.noData))
        totals.replace(from: start, to: end, by: Self.unknown(.noData))
        if self.number < number { state = nil }
    }

    /// Clears the state, which the next change sets again.
    mutating func forget(at moment: Int64) {
        settle(until: moment, state ?? Self.unknown(.noData))
        state = nil
    }

    /// Follows a clock that was set back: the records from now on replace those of the repeated time.
    mutating func rewind(to moment: Int64) {
        guard moment < cursor else { return }
        totals.truncate(at: moment)
        cursor = moment
    }

    /// Attributes the current outage to a segment, once there is evidence.
    mutating func attribute(_ attribution: Attribution) { state?.attribution = attribution }

    /// Ends the account.
    mutating func close(at moment: Int64, _ reason: Condition.UnknownReason, until end: Int64) {
        settle(until: moment, state ?? Self.unknown(.noData))
        settle(until: end, Self.unknown(reason))
        totals.close()
    }

    private mutating func settle(until moment: Int64, _ state: TrackState) {
        guard moment > cursor else { return }
        totals.append(from: cursor, to: moment, state)
        cursor = moment
    }
}

/// A condition between two moments, in microseconds since 1970.
struct Period: Sendable {
    var start: Int64
    var end: Int64
    var state: TrackState
}

/// A condition, and the attribution if it is an outage.
struct TrackState: Sendable {
    var condition: Condition
    var attribution: Attribution?
}

/// Consecutive spans, added up over a window.
///
/// The newest spans are not added up yet: if the clock is set back, the records of the repeated time are replaced. The
/// number of replaceable spans is bounded.
struct SpanTotals: Sendable {
    private static let maximumPending = 1024

    private let window: Window
    private var pending: [Period] = []
    /// The moment before which spans are added up.
    private var committedEnd = Int64.min
    private var day = 0
    /// True if the window starts within an outage, or directly after one.
    private var beginsInOutage = false
    /// True if probes had a verdict when there was last a path; nil before anything is known.
    private var followsVerdict: Bool?

    private(set) var tally = Tally()
    private(set) var days: [Tally]
    private(set) var outages = OutageLog()

    init(window: Window) {
        self.window = window
        days = [Tally](repeating: Tally(), count: window.days.count)
    }

    /// Appends a span; one that ends before it starts is ignored.
    mutating func append(from start: Int64, to end: Int64, _ state: TrackState) {
        let start = max(start, pending.last?.end ?? committedEnd)
        guard start < end else { return }
        pending.append(Period(start: start, end: end, state: state))
        if pending.count > Self.maximumPending { commit(Self.maximumPending / 2) }
    }

    /// Removes the records of the time from a moment on.
    mutating func truncate(at moment: Int64) {
        while let last = pending.last, last.start >= moment { pending.removeLast() }
        if let last = pending.indices.last { pending[last].end = min(pending[last].end, moment) }
    }

    /// Replaces the records of a period, as far as they are not added up yet.
    mutating func replace(from start: Int64, to end: Int64, by state: TrackState) {
        guard start < end, let first = pending.firstIndex(where: { $0.end > start }) else { return }
        var spans: [Period] = []
        for span in pending[first...] {
            let common = (start: max(span.start, start), end: min(span.end, end))
            guard common.start < common.end else {
                spans.append(span)
                continue
            }
            if span.start < common.start {
                spans.append(Period(start: span.start, end: common.start, state: span.state))
            }
            spans.append(Period(start: common.start, end: common.end, state: state))
            if common.end < span.end { spans.append(Period(start: common.end, end: span.end, state: span.state)) }
        }
        pending.replaceSubrange(first..., with: spans)
        if pending.count > Self.maximumPending { commit(Self.maximumPending / 2) }
    }

    /// Adds up all spans, and the rest of the window as unknown.
    mutating func close() {
        append(from: .min, to: window.end.microsecondsSince1970, TrackState(condition: .unknown(.noData)))
        commit(pending.count)
        outages.close()
    }

    private mutating func commit(_ count: Int) {
        for span in pending.prefix(count) {
            committedEnd = span.end
            switch span.state.condition {
            case .full, .partial, .portal, .local: followsVerdict = true
            case .unknown(.noProbe): followsVerdict = false
            case .none, .unknown: break
            }
            let start = max(span.start, window.start.microsecondsSince1970)
            let end = min(span.end, window.end.microsecondsSince1970)
            if span.start < start { beginsInOutage = span.state.condition.isOutage }
            guard start < end else { continue }
            let isContinued = beginsInOutage && start == window.start.microsecondsSince1970
            tally.add(end - start, of: span.state.condition, followsVerdict: followsVerdict)
            addDays(from: start, to: end, of: span.state.condition)
            outages.add(start: start, end: end, isContinued: isContinued, span.state)
        }
        pending.removeFirst(count)
    }

    private mutating func addDays(from start: Int64, to end: Int64, of condition: Condition) {
        var start = start
        while start < end {
            while window.end(ofDay: day) <= start { day += 1 }
            let until = min(end, window.end(ofDay: day))
            days[day].add(until - start, of: condition, followsVerdict: followsVerdict)
            start = until
        }
    }
}
