public import FoundationEssentials
internal import Synchronization

/// Dates for tests, in UTC.
public enum TestDate {
    /// Returns a date in UTC; out-of-range numbers carry over into the next unit.
    public static func utc(
        _ year: Int,
        _ month: Int = 1,
        _ day: Int = 1,
        _ hour: Int = 0,
        _ minute: Int = 0,
        _ second: Int = 0
    ) -> Date {
        // The calendar fails only for numbers far beyond any year in a certificate.
        let components = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: components) ?? .distantFuture
    }

    /// 1 June 2026, noon: everything that the certificate factory creates by default is valid then.
    public static let present = utc(2026, 6, 1, 12)

    static func year(of date: Date) -> Int { calendar.component(.year, from: date) }

    /// Returns the digits of a GeneralizedTime: `20260101000000Z`.
    static func digits(of date: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let pairs = [parts.month, parts.day, parts.hour, parts.minute, parts.second].map { padded($0 ?? 0, to: 2) }
        return padded(parts.year ?? 0, to: 4) + pairs.joined() + "Z"
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}

/// A wall clock that stands still until a test moves it, in either direction.
public final class ManualDate: Sendable {
    private let date: Mutex<Date>

    /// Creates a clock that shows `date`.
    public init(_ date: Date = TestDate.present) { self.date = Mutex(date) }

    /// The current date; setting it moves the clock.
    public var now: Date {
        get { date.withLock { $0 } }
        set { date.withLock { $0 = newValue } }
    }

    /// Moves the clock by `duration`, which may be negative.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        date.withLock { $0 += Double(seconds) + Double(attoseconds) / 1e18 }
    }
}
