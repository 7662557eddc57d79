public import AgentEvents

/// The time that a report is about, and its days.
public struct Window: Sendable {
    /// The maximum number of days: ten years.
    public static let maximumDays = 3660

    /// The first moment.
    public let start: Timestamp
    /// The first moment after it.
    public let end: Timestamp
    /// Local time, in which the days are.
    public let civilTime: CivilTime
    /// The days, the first and the last of which may be cut.
    public let days: [CivilTime.Day]
    private let dayEnds: [Int64]

    /// A window; `nil` when it is empty, begins before 1970, or is longer than ``maximumDays``.
    public init?(from start: Timestamp, to end: Timestamp, in civilTime: CivilTime) {
        let latest = Int64(253_000_000_000) * 1_000_000
        guard start < end, start.microsecondsSince1970 >= 0, end.microsecondsSince1970 < latest else { return nil }
        let first = civilTime.day(of: start)
        let last = civilTime.day(of: Timestamp(microsecondsSince1970: end.microsecondsSince1970 - 1))
        guard last.number - first.number < Self.maximumDays else { return nil }
        self.start = start
        self.end = end
        self.civilTime = civilTime
        days = (first.number...max(first.number, last.number)).map(CivilTime.Day.init(number:))
        dayEnds =
            days.dropFirst().map { civilTime.start(of: $0).microsecondsSince1970 } + [end.microsecondsSince1970]
    }

    /// The microseconds.
    public var duration: Int64 { end.microsecondsSince1970 - start.microsecondsSince1970 }

    func end(ofDay day: Int) -> Int64 { dayEnds[min(day, dayEnds.count - 1)] }
}
