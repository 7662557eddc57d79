public import AgentEvents

/// The transfers of each probe point, hour by hour over the last 24 hours and day by day over the last 30 days.
///
/// The size is bounded: older slots are removed; a point beyond the maximum replaces the one without transfers for
/// the longest time, and is omitted while all have had some since the day before.
public struct RecentTransfers: Sendable {
    /// The number of hours, including the current one.
    public static let hours = 24
    /// The number of days, including today.
    public static let days = 30
    /// The maximum number of points.
    public static let maximumPoints = 256
    /// The number of additional hours and days that are kept, so that a temporarily wrong clock displaces none of the
    /// others.
    private static let spare = 6

    /// An hour of UTC, or a day of local time.
    public struct Slot: Sendable, Hashable {
        /// The start.
        public let start: Timestamp
        /// The transfers of all points; empty if there were none.
        public let transfers: TransferSketches
        /// The good rate of a point whose median rate was below it, the highest of several; `nil` without such a point.
        public let missedBitsPerSecond: Int64?

        /// Creates a slot with the transfers of each point, in any order.
        public init(start: Timestamp, points: [TransferSketches]) {
            self.start = start
            transfers = points.reduce(into: TransferSketches()) { $0.combine(with: $1) }
            missedBitsPerSecond = points.compactMap(\.missedBitsPerSecond).max()
        }
    }

    /// The transfers of one point, or of the points of one uplink.
    public struct Series: Sendable, Hashable {
        /// The last 24 hours, in order.
        public var hours: [Slot]
        /// The last 30 days, in order.
        public var days: [Slot]

        /// Creates a series.
        public init(hours: [Slot] = [], days: [Slot] = []) {
            self.hours = hours
            self.days = days
        }

        /// All transfers of the last 24 hours.
        public var lastDay: TransferSketches {
            hours.reduce(into: TransferSketches()) { $0.merge($1.transfers) }
        }
    }

    private struct Point {
        var hours: [Int64: TransferSketches] = [:]
        var days: [Int64: TransferSketches] = [:]
    }

    private let civilTime: CivilTime
    private var points: [ProbePoint: Point] = [:]

    /// Creates figures without transfers.
    public init(in civilTime: CivilTime) { self.civilTime = civilTime }

    /// Returns true for a moment that may be among the last 30 days at another moment.
    public static func covers(_ moment: Timestamp, at now: Timestamp) -> Bool {
        let age = now.microsecondsSince1970 &- moment.microsecondsSince1970
        return age < Int64(days + 1) * 24 * Timestamp.microsecondsPerHour
    }

    /// Adds the transfers of a summary, merged into those of the same hour and day.
    public mutating func add(_ summary: ScannedSummary) {
        guard let transfers = summary.transfer, !transfers.isEmpty,
            points[summary.point] != nil || makeRoom(at: summary.from)
        else { return }
        var point = points[summary.point] ?? Point()
        point.hours[summary.from.hour, default: TransferSketches()].merge(transfers)
        point.days[civilTime.day(of: summary.from).number, default: TransferSketches()].merge(transfers)
        Self.bound(&point.hours, to: Self.hours, around: summary.from.hour)
        Self.bound(&point.days, to: Self.days, around: civilTime.day(of: summary.from).number)
        points[summary.point] = point
    }

    /// Makes room for another point: removes one without transfers since the day before.
    ///
    /// - Returns: `false` if there is none.
    private mutating func makeRoom(at moment: Timestamp) -> Bool {
        guard points.count >= Self.maximumPoints else { return true }
        let oldest = points.compactMap { point, slots in slots.days.keys.max().map { (point, $0) } }
            .min { $0.1 < $1.1 }
        guard let oldest, oldest.1 < civilTime.day(of: moment).number - 1 else { return false }
        points[oldest.0] = nil
        return true
    }

    /// Removes the slots farthest from the present: one that a clock stamped in the future must not displace it.
    private static func bound(_ slots: inout [Int64: TransferSketches], to count: Int, around present: Int64) {
        while slots.count > count + spare, let farthest = slots.keys.max(by: { abs($0 - present) < abs($1 - present) })
        {
            slots[farthest] = nil
        }
    }

    /// The points with transfers.
    public var probePoints: [ProbePoint] { Array(points.keys) }

    /// Returns the transfers of a point at a moment.
    public func series(of point: ProbePoint, at now: Timestamp) -> Series { series(of: [point], at: now) }

    /// Returns the combined transfers of several points at a moment.
    public func series(of wanted: [ProbePoint], at now: Timestamp) -> Series {
        let (hour, day) = (now.hour, civilTime.day(of: now).number)
        let known = wanted.compactMap { points[$0] }
        return Series(
            hours: (hour - Int64(Self.hours) + 1...hour).map { hour in
                Slot(start: Timestamp(hour: hour), points: known.compactMap { $0.hours[hour] })
            },
            days: (day - Int64(Self.days) + 1...day).map { day in
                Slot(
                    start: civilTime.start(of: CivilTime.Day(number: day)),
                    points: known.compactMap { $0.days[day] }
                )
            }
        )
    }
}
