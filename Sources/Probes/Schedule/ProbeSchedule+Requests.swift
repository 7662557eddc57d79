internal import CheckResults

/// The result of a request for checks.
public struct RequestedChecks: Sendable, Hashable {
    /// The number of points whose check starts because of the request, within a second.
    public var begun = 0
    /// The number of points whose check was already running or about to start.
    public var joined = 0
    /// The number of points without a check, because requests have used their share of the link's daily budget.
    public var refused = 0

    /// Creates an empty result.
    public init() {}
}

/// Checks on request.
extension ProbeSchedule {
    /// The minimum time between the starts of two checks of a point of which the second one is requested.
    static let requestInterval: Duration = .seconds(1)

    /// Makes points due at once, staggered, but no earlier than a second after the start of their last check.
    ///
    /// A check that is running, queued or being judged counts as the answer, as does a round that is due no later than
    /// a new check would be: however frequent the requests, each check completes and is judged, and there is at most
    /// one a second.
    ///
    /// - Parameter seconds: The wall clock, in seconds since 1970, which determines the day of the budgets.
    mutating func request(_ points: [ProbePoint], now: ContinuousClock.Instant, seconds: Int64) -> RequestedChecks {
        budget.update(seconds: seconds)
        var answer = RequestedChecks()
        for (point, place) in staggered(points, now: now) {
            guard let entry = entries[point] else { continue }
            let due = max(place, entry.started.map { $0 + Self.requestInterval } ?? place)
            if entry.turn != nil || rounds.due(of: point).map({ $0 <= due }) == true {
                answer.joined += 1
            } else if budget.allowsRequest(entry.scheduled.cost, of: entry.scheduled.probe.transfer?.bytesOnWire ?? 1) {
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
