public import AgentEvents

/// Local time, defined by the offset from UTC at each moment.
///
/// As in POSIX, there are no leap seconds: 23:59:60 is the first second of the next day.
public struct CivilTime: Sendable {
    /// A day of the Gregorian calendar.
    public struct Day: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// Days since 1970-01-01.
        let number: Int64

        /// Creates a day; `nil` for an invalid date, or a year before 1970 or after 9998.
        public init?(year: Int, month: Int, day: Int = 1) {
            guard (1970...9998).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
            number = Int64(Timestamp.days(year, month, day))
            guard self.parts.month == month else { return nil }
        }

        init(number: Int64) { self.number = number }

        /// The year, the month and the day of the month.
        public var parts: (year: Int, month: Int, day: Int) {
            let shifted = number + 719_468
            let era = shifted.floorDivided(by: 146_097)
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let month = (5 * dayOfYear + 2) / 153
            let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
            return (Int(year), Int(month < 10 ? month + 3 : month - 9), Int(dayOfYear - (153 * month + 2) / 5 + 1))
        }

        /// The first day of the next month.
        public var nextMonth: Day? {
            let (year, month, _) = parts
            return Day(year: month == 12 ? year + 1 : year, month: month % 12 + 1)
        }

        /// `2026-11-21`.
        public var description: String {
            let (year, month, day) = parts
            return "\(CivilTime.digits(year, 4))-\(CivilTime.digits(month, 2))-\(CivilTime.digits(day, 2))"
        }

        /// Returns true if the left day is earlier.
        public static func < (left: Day, right: Day) -> Bool { left.number < right.number }
    }

    private static let daySeconds: Int64 = 86_400
    private let offset: @Sendable (Int64) -> Int64

    /// Creates a local time with an offset that may depend on the moment.
    ///
    /// - Parameter offset: Returns the seconds east of UTC at a moment, given in seconds since 1970.
    public init(offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

    /// UTC.
    public static let utc = CivilTime { _ in 0 }

    /// Returns the day of a moment.
    public func day(of moment: Timestamp) -> Day {
        Day(number: local(moment.microsecondsSince1970.floorDivided(by: 1_000_000)).floorDivided(by: Self.daySeconds))
    }

    /// Returns the hour of a moment, from 0 to 23.
    public func hour(of moment: Timestamp) -> Int {
        let seconds = local(moment.microsecondsSince1970.floorDivided(by: 1_000_000))
        return Int((seconds - seconds.floorDivided(by: Self.daySeconds) * Self.daySeconds) / 3600)
    }

    /// Returns the first moment of a day, which is later than midnight if daylight saving starts at midnight.
    public func start(of day: Day) -> Timestamp {
        moments(ofLocal: day.number * Self.daySeconds).first
    }

    /// Returns the first and the last moment with a local time: two if the clock is set back over it, as at the end of
    /// daylight saving.
    ///
    /// A local time that the clock skips has the moment after it.
    ///
    /// - Parameter wanted: The local time, in seconds since 1970-01-01 00:00:00 of local time.
    package func moments(ofLocal wanted: Int64) -> (first: Timestamp, last: Timestamp) {
        // No offset exceeds a day. Finds the first second whose local time is the wanted one or later, by bisection: local
        // time may fall back, but never by as much as the distance to the same time of another day.
        var low = wanted - Self.daySeconds
        var high = wanted + Self.daySeconds
        let exact = [wanted - offset(low), wanted - offset(high)].filter { local($0) == wanted }
        if let first = exact.min(), let last = exact.max() {
            return (
                Timestamp(microsecondsSince1970: first * 1_000_000), Timestamp(microsecondsSince1970: last * 1_000_000)
            )
        }
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if local(middle) >= wanted { high = middle } else { low = middle }
        }
        let next = Timestamp(microsecondsSince1970: high * 1_000_000)
        return (next, next)
    }

    /// Returns `2026-11-21 07:00:30 +01:00`.
    public func text(_ moment: Timestamp) -> String { "\(shortText(moment)) \(offsetText(moment))" }

    /// Returns `2026-11-21 07:00:30`.
    public func shortText(_ moment: Timestamp) -> String {
        let seconds = local(moment.microsecondsSince1970.floorDivided(by: 1_000_000))
        let day = seconds.floorDivided(by: Self.daySeconds)
        let time = Int(seconds - day * Self.daySeconds)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.digits($0, 2) }.joined(separator: ":")
        return "\(Day(number: day)) \(clock)"
    }

    /// Returns the offset from UTC, in seconds.
    fileprivate func offset(at moment: Timestamp) -> Int64 {
        offset(moment.microsecondsSince1970.floorDivided(by: 1_000_000))
    }

    private func offsetText(_ moment: Timestamp) -> String {
        let minutes = Int(offset(at: moment) / 60)
        let clock = "\(Self.digits(abs(minutes) / 60, 2)):\(Self.digits(abs(minutes) % 60, 2))"
        return (minutes < 0 ? "-" : "+") + clock
    }

    private func local(_ seconds: Int64) -> Int64 { seconds + offset(seconds) }

    static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

/// The period of a report, and its days.
public struct Window: Sendable {
    /// The maximum number of days: ten years.
    public static let maximumDays = 3660

    /// The first moment.
    public let start: Timestamp
    /// The first moment after it.
    public let end: Timestamp
    /// The local time that defines the days.
    public let civilTime: CivilTime
    /// The days, of which the first and the last may be partial.
    public let days: [CivilTime.Day]
    private let dayEnds: [Int64]
    /// True if local time has the same offset from UTC throughout, so that it alone names a moment.
    private let hasConstantOffset: Bool

    /// Creates a window; `nil` if it is empty, starts before 1970, or is longer than ``maximumDays``.
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
        let offsets = ([start.microsecondsSince1970] + dayEnds).map {
            civilTime.offset(at: Timestamp(microsecondsSince1970: $0))
        }
        hasConstantOffset = Set(offsets).count == 1
    }

    /// The duration, in microseconds.
    public var duration: Int64 { end.microsecondsSince1970 - start.microsecondsSince1970 }

    /// Returns a moment as local time, with the offset if that changes within the window, as with daylight saving.
    func text(_ moment: Timestamp) -> String {
        hasConstantOffset ? civilTime.shortText(moment) : civilTime.text(moment)
    }

    func end(ofDay day: Int) -> Int64 { dayEnds[min(day, dayEnds.count - 1)] }
}
