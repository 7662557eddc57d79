internal import AgentEvents

/// A condition between two moments, in microseconds since 1970.
struct Period: Sendable {
    var start: Int64
    var end: Int64
    var state: TrackState
    /// The number of the run that recorded it.
    var run = 0
    /// The state of a time between earlier runs, which this one fills.
    var beneath: TrackState?
    /// True if something answered again at its end, although none of the time after it is known.
    var recovers = false
    /// True while its state is not known, but the next change will show it.
    var awaitsChange = false

    /// False for the time between runs, and for a state that no event of the run showed.
    var isRecorded: Bool {
        if awaitsChange { return true }
        return switch state.condition {
        case .unknown(.agentOff), .unknown(.agentCrashed), .unknown(.noData), .unknown(.clockNotSet): false
        default: true
        }
    }

    /// Returns the part between two moments; `nil` if there is none.
    func clamped(from start: Int64 = .min, to end: Int64 = .max) -> Period? {
        var part = self
        (part.start, part.end) = (max(self.start, start), min(self.end, end))
        if part.end < self.end { part.recovers = false }
        return part.start < part.end ? part : nil
    }
}

/// A condition, and the attribution if it is an outage.
struct TrackState: Sendable {
    /// The state of a time about which no event says anything.
    static let noData = TrackState(condition: .unknown(.noData))

    var condition: Condition
    var attribution: Attribution?
}

/// Consecutive spans, added up over a window.
///
/// The newest spans are not added up yet: if the clock is set back, the records of the same run for the repeated time are
/// replaced. Those of earlier runs are set aside, and stay: the spans of the time around them make room. The number of
/// these spans is bounded.
struct SpanTotals: Sendable {
    private static let maximumPending = 1024

    private let window: Window
    private var pending: [Period] = []
    /// The records of earlier runs, and of the time between these, after the pending ones; the latest one first.
    private var aside: [Period] = []
    /// The number of the present run.
    private var run = 0
    /// The moment before which spans are added up.
    private var committedEnd = Int64.min
    private var day = 0
    /// True if the window starts within an outage, or directly after one.
    private var beginsInOutage = false
    /// True if probes had a verdict when there was last a path; nil before anything is known.
    private var followsVerdict: Bool?

    /// True if some of the pending spans await a change.
    private var hasAwaiting = false

    private(set) var tally = Tally()
    private(set) var days: [Tally]
    private(set) var outages = OutageLog()

    init(window: Window) {
        self.window = window
        days = [Tally](repeating: Tally(), count: window.days.count)
    }

    /// Appends a span, as far as earlier runs have no record of its time; one that ends before it starts is ignored.
    ///
    /// - Parameter state: Its state; `nil` for that which ``resolve(_:)`` sets.
    mutating func append(from start: Int64, to end: Int64, _ state: TrackState?) {
        var span = Period(
            start: max(start, pending.last?.end ?? committedEnd),
            end: end,
            state: state ?? .noData,
            run: run,
            awaitsChange: state == nil
        )
        guard span.start < span.end else { return }
        hasAwaiting = hasAwaiting || span.awaitsChange
        while span.start < end, let next = aside.last, next.start < end {
            aside.removeLast()
            if let part = span.clamped(to: next.start) { pending.append(part) }
            if var part = next.clamped(from: span.start, to: end) {
                if span.isRecorded, !next.isRecorded {
                    (part.state, part.run, part.beneath) = (span.state, run, next.state)
                    part.awaitsChange = span.awaitsChange
                }
                pending.append(part)
            }
            if let part = next.clamped(from: end) { aside.append(part) }
            span.start = max(span.start, next.end)
        }
        if span.start < end { pending.append(span) }
        if pending.count > Self.maximumPending { commit(pending.count - Self.maximumPending / 2) }
    }

    /// Notes that something answered at the end of the last span of the present run.
    mutating func noteRecovery(at moment: Int64) {
        guard let last = pending.indices.last, pending[last].end == moment, pending[last].run == run else { return }
        pending[last].recovers = true
    }

    /// Sets the state of the spans that await a change, as far as they are not added up yet.
    mutating func resolve(_ state: TrackState) {
        guard hasAwaiting else { return }
        hasAwaiting = false
        for index in pending.indices where pending[index].awaitsChange {
            pending[index].awaitsChange = false
            pending[index].state = state
            // The time between earlier runs, about which this one knows no more either.
            guard !pending[index].isRecorded, let beneath = pending[index].beneath else { continue }
            (pending[index].state, pending[index].run, pending[index].beneath) = (beneath, run - 1, nil)
        }
    }

    /// Makes the spans so far those of an earlier run.
    mutating func endRun() {
        resolve(.noData)
        run += 1
    }

    /// Removes the present run's records of the time from a moment on, and sets those of earlier runs aside.
    ///
    /// - Returns: False if these are too many, and nothing was changed.
    mutating func rewind(to moment: Int64) -> Bool {
        let first = pending.firstIndex { $0.end > moment } ?? pending.endIndex
        let later = pending[first...].reversed().compactMap { span -> Period? in
            guard span.run == run else { return span.clamped(from: moment) }
            guard let beneath = span.beneath else { return nil }
            return Period(start: span.start, end: span.end, state: beneath, run: run - 1).clamped(from: moment)
        }
        guard aside.count + later.count <= Self.maximumPending else { return false }
        let part = first < pending.endIndex ? pending[first].clamped(to: moment) : nil
        pending.replaceSubrange(first..., with: part.map { [$0] } ?? [])
        aside += later
        return true
    }

    /// Replaces the records of a period, as far as they are not added up yet.
    mutating func replace(from start: Int64, to end: Int64, by state: TrackState) {
        guard start < end else { return }
        if let first = pending.firstIndex(where: { $0.end > start }) {
            let spans = pending[first...].flatMap { span in
                let common = span.clamped(from: start, to: end)
                    .map { Period(start: $0.start, end: $0.end, state: state, run: $0.run) }
                return [span.clamped(to: start), common, span.clamped(from: end)].compactMap(\.self)
            }
            pending.replaceSubrange(first..., with: spans)
        }
        aside = aside.flatMap { [$0.clamped(from: end), $0.clamped(to: start)].compactMap(\.self) }
        if pending.count > Self.maximumPending { commit(pending.count - Self.maximumPending / 2) }
    }

    /// Limits the list of outages to an equal part of that of all subjects.
    mutating func shareOutages(among subjects: Int) { outages.share(among: subjects) }

    /// Adds up all spans, and the rest of the window as unknown.
    mutating func close() {
        append(from: .min, to: window.end.microsecondsSince1970, .noData)
        resolve(.noData)
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
            let recovers = span.recovers && span.end < window.end.microsecondsSince1970
            outages.add(start: start, end: end, isContinued: isContinued, recovers: recovers, span.state)
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
