internal import CheckResults
internal import NIOCore

/// Collects the durations of small requests.
struct RoundTripMeter {
    /// The maximum number of round trips: ten a second for an hour.
    private static let maximum = 36_000
    /// The number of round trips after slow start that suffice to ignore the earlier ones.
    private static let enough = 5

    private struct Trip {
        var sent: NIODeadline
        var duration: Duration
    }

    private var trips: [Trip] = []

    /// The number of round trips.
    var count: Int { trips.count }
    /// The last round trip.
    var last: Duration? { trips.last?.duration }

    /// Adds a round trip, unless the maximum is reached.
    mutating func add(_ duration: Duration, sent: NIODeadline) {
        guard trips.count < Self.maximum else { return }
        trips.append(Trip(sent: sent, duration: max(.zero, duration)))
    }

    /// Returns the figures of all round trips, or of those since a time if there are enough; nil without any.
    func figures(since time: NIODeadline? = nil) -> RoundTrips? {
        let sorted = durations(since: time)
        guard let first = sorted.first else { return nil }
        return RoundTrips(
            count: sorted.count,
            minimum: first,
            p50: Self.median(sorted),
            p95: sorted[Ranked.index(of: 0.95, in: sorted.count)]
        )
    }

    /// Returns the mean of the round trips up to the 95th percentile: the draft's trimmed mean.
    func trimmedMean(since time: NIODeadline? = nil) -> Duration? {
        let kept = durations(since: time)
        guard !kept.isEmpty else { return nil }
        let trimmed = kept.prefix(Ranked.index(of: 0.95, in: kept.count) + 1)
        return trimmed.reduce(.zero, +) / trimmed.count
    }

    private func durations(since time: NIODeadline?) -> [Duration] {
        let late = trips.filter { trip in time.map { trip.sent >= $0 } ?? true }
        return (late.count >= Self.enough ? late : trips).map(\.duration).sorted()
    }

    private static func median(_ sorted: [Duration]) -> Duration {
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// The round trips of small requests while a transfer runs: the responsiveness of draft-ietf-ippm-responsiveness.
struct LoadedMeter {
    /// The round trips on a separate connection.
    var separate = RoundTripMeter()
    /// The round trips on the transfer's connection.
    var same = RoundTripMeter()

    /// Returns the figures, without slow start if enough round trips remain; nil without a round trip.
    ///
    /// The connections have equal weights, like the foreign and self measurements of the draft.
    func figures(idle: RoundTrips?, since time: NIODeadline?) -> LoadedRoundTrips? {
        let means = [separate.trimmedMean(since: time), same.trimmedMean(since: time)].compactMap { $0 }
        guard !means.isEmpty else { return nil }
        let mean = means.reduce(.zero, +) / means.count
        let apart = separate.figures(since: time)
        return LoadedRoundTrips(
            separate: apart,
            same: same.figures(since: time),
            perMinute: mean > .zero ? Duration.seconds(60) / mean : 0,
            added: apart.flatMap { apart in idle.map { max(.zero, apart.p50 - $0.p50) } }
        )
    }
}
