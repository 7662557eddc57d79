public import AgentEvents

/// The checks of each probe point in the last 24 hours, hour by hour, from their summaries.
///
/// The size is bounded: earlier hours are removed; a point beyond the maximum replaces the one without checks for
/// the longest time, and is omitted while all have some.
public struct RecentLatency: Sendable {
    /// The number of hours, including the current one.
    public static let hours = 24
    /// The maximum number of points.
    public static let maximumPoints = 256
    /// The number of additional hours that are kept, so that a temporarily wrong clock displaces none of the others.
    private static let spare = 6

    /// The checks of an hour of UTC.
    public struct Hour: Sendable, Hashable {
        /// The start of the hour.
        public var start: Timestamp
        /// The number of checks that succeeded.
        public var succeeded: Int
        /// The number of checks that failed.
        public var failed: Int
        /// The durations of the checks that succeeded.
        public var latency: ExponentialHistogram

        /// Creates an hour.
        public init(start: Timestamp, succeeded: Int, failed: Int, latency: ExponentialHistogram) {
            self.start = start
            self.succeeded = succeeded
            self.failed = failed
            self.latency = latency
        }
    }

    private var points: [ProbePoint: [Hour]] = [:]

    /// Creates figures without checks.
    public init() {}

    /// Returns true for a moment whose hour is among the last 24 at another moment.
    public static func covers(_ moment: Timestamp, at now: Timestamp) -> Bool { moment >= firstHour(at: now) }

    /// Adds a summary; the summaries of an hour are merged.
    public mutating func add(_ summary: ProbeSummary) {
        guard points[summary.point] != nil || makeRoom(at: summary.from) else { return }
        let hour = Hour(
            start: Timestamp(hour: summary.from.hour),
            succeeded: summary.succeeded,
            failed: summary.failed.total,
            latency: summary.latency
        )
        var hours = points[summary.point, default: []]
        if let same = hours.lastIndex(where: { $0.start == hour.start }) {
            hours[same].succeeded = hours[same].succeeded.saturating(adding: hour.succeeded)
            hours[same].failed = hours[same].failed.saturating(adding: hour.failed)
            hours[same].latency.merge(hour.latency)
        } else {
            hours.append(hour)
        }
        hours.sort { $0.start < $1.start }
        // The hour farthest from the present: one that a clock stamped in the future must not displace it.
        while hours.count > Self.hours + Self.spare, let first = hours.first, let last = hours.last {
            let isFuture = hour.start.distance(to: last.start) > first.start.distance(to: hour.start)
            if isFuture { hours.removeLast() } else { hours.removeFirst() }
        }
        points[summary.point] = hours
    }

    /// Makes room for another point: removes one without checks in the last two hours.
    ///
    /// - Returns: `false` if there is none.
    private mutating func makeRoom(at moment: Timestamp) -> Bool {
        guard points.count >= Self.maximumPoints else { return true }
        let oldest = points.compactMap { point, hours in hours.last.map { (point, $0.start) } }.min { $0.1 < $1.1 }
        guard let oldest, moment.hour - oldest.1.hour > 1 else { return false }
        points[oldest.0] = nil
        return true
    }

    /// Returns the hours with checks, in order, of each point with checks in the 24 hours before a moment.
    public func hours(at now: Timestamp) -> [ProbePoint: [Hour]] {
        points.mapValues { hours in hours.filter { Self.covers($0.start, at: now) && $0.start <= now } }
            .filter { !$0.value.isEmpty }
    }

    /// Returns the start of the first of the 24 hours at a moment.
    public static func firstHour(at now: Timestamp) -> Timestamp {
        Timestamp(hour: now.hour - Int64(hours - 1))
    }
}

extension Timestamp {
    fileprivate func distance(to other: Timestamp) -> Int64 {
        other.microsecondsSince1970 &- microsecondsSince1970
    }
}
