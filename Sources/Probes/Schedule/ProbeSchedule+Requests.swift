/// The checks that a request is answered by.
public struct RequestedChecks: Sendable, Hashable {
    /// Points whose check begins because of the request, within a second.
    public var begun = 0
    /// Points whose check was under way, or about to begin, already.
    public var joined = 0
    /// Points without a check: requests have used their share of the link's budget for this day.
    public var refused = 0

    /// No check at all.
    public init() {}
}

/// Checks on request.
extension ProbeSchedule {
    /// The shortest time between the beginnings of two checks of a point of which the second one is requested.
    static let requestInterval: Duration = .seconds(1)

    /// Makes points due at once, staggered, and at the earliest a second after their last check began.
    ///
    /// A check that is under way, waits for its place or is being judged is the answer, as is a round that comes no later
    /// than a new check would: however often requests come, each check ends and is judged, and there is at most one a second.
    ///
    /// - Parameter seconds: The wall clock, in seconds since 1970, by which the days of the budgets are counted.
    mutating func request(_ points: [ProbePoint], now: ContinuousClock.Instant, seconds: Int64) -> RequestedChecks {
        budget.update(seconds: seconds)
        var answer = RequestedChecks()
        for (point, place) in staggered(points, now: now) {
            guard let entry = entries[point] else { continue }
            let due = max(place, entry.started.map { $0 + Self.requestInterval } ?? place)
            if entry.turn != nil || rounds.due(of: point).map({ $0 <= due }) == true {
                answer.joined += 1
            } else if budget.allowsRequest(entry.scheduled.cost) {
                entries[point]?.isRequested = true
                setRound(of: point, due: due)
                answer.begun += 1
            } else {
                answer.refused += 1
            }
        }
        return answer
    }
}
